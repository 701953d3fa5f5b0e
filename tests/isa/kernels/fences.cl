__kernel void fences(__global int *a) { size_t i = get_global_id(0); a[i] = 1; mem_fence(CLK_GLOBAL_MEM_FENCE); a[i + 1] = a[i] + 2; read_mem_fence(CLK_LOCAL_MEM_FENCE); write_mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE); a[i + 2] = 3; }
__kernel void wait_global(__global int *a) { int i = get_local_id(0); a[i] = i; barrier(CLK_GLOBAL_MEM_FENCE); a[i + 64] = a[i ^ 1]; }
