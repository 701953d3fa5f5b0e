#define EACH(name, order, scope) \
__kernel void name(__global atomic_int *a, __global atomic_uint *b, __global int *c, __local atomic_int *l) { size_t i = get_global_id(0); \
  atomic_store_explicit(&a[0], c[i], order == memory_order_acquire ? memory_order_relaxed : memory_order_release, scope); \
  c[i] = atomic_fetch_add_explicit(&a[1], 5, order, scope) + atomic_fetch_min_explicit(&a[2], c[i], order, scope); \
  c[i] ^= atomic_fetch_max_explicit(&b[3], (uint)c[i], order, scope) + atomic_fetch_and_explicit(&b[4], 7u, order, scope); \
  c[i] |= atomic_exchange_explicit(&a[5], c[i], order, scope); int e = c[i]; \
  if (!atomic_compare_exchange_strong_explicit(&l[0], &e, 3, order, memory_order_relaxed, memory_scope_work_group)) c[i] = e; }
EACH(relaxed_group, memory_order_relaxed, memory_scope_work_group)
EACH(acquire_device, memory_order_acquire, memory_scope_device)
EACH(release_device, memory_order_release, memory_scope_device)
EACH(acq_rel_system, memory_order_acq_rel, memory_scope_all_svm_devices)
EACH(seq_cst_device, memory_order_seq_cst, memory_scope_device)
__kernel void flags(__global atomic_flag *f, __global int *a) { size_t i = get_global_id(0); while (atomic_flag_test_and_set_explicit(f, memory_order_acquire, memory_scope_device)) a[i]++; a[0] += i; atomic_flag_clear_explicit(f, memory_order_release, memory_scope_device); }
