// options: -cl-std=CL2.0
__kernel void pipe_copy(__read_only pipe int in, __write_only pipe int out) { int x; while (read_pipe(in, &x) == 0) { x = x * 3 + 1; if (write_pipe(out, &x) != 0) break; } }
__kernel void pipe_vector(__read_only pipe float4 in, __global float4 *a) { float4 x = 0; if (read_pipe(in, &x) == 0) a[get_global_id(0)] = x * 2.0f; }
__kernel void pipe_reserve(__write_only pipe int out, __global const int *a) { size_t i = get_global_id(0); reserve_id_t id = reserve_write_pipe(out, 2); if (is_valid_reserve_id(id)) { int x = a[i], y = a[i + 1]; write_pipe(out, id, 0, &x); write_pipe(out, id, 1, &y); commit_write_pipe(out, id); } }
__kernel void pipe_size(__read_only pipe int in, __global int *a) { a[get_global_id(0)] = get_pipe_num_packets(in) + get_pipe_max_packets(in); }
