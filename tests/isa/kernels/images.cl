__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
__constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
__kernel void copy(read_only image2d_t a, write_only image2d_t b) { int2 p = (int2)(get_global_id(0), get_global_id(1)); write_imagef(b, p, read_imagef(a, nearest, p)); }
__kernel void integers(read_only image2d_t a, write_only image2d_t b) { int2 p = (int2)(get_global_id(0), get_global_id(1)); write_imagei(b, p, read_imagei(a, nearest, p) + 1); write_imageui(b, p + 1, read_imageui(a, p)); }
__kernel void filtered(read_only image2d_t a, sampler_t s, __global float4 *r) { size_t i = get_global_id(0); r[i] = read_imagef(a, s, (float2)(i * 0.1f, 0.5f)) + read_imagef(a, linear, (float2)(0.3f, i)); }
__kernel void volume(read_only image3d_t a, __global float4 *r) { size_t i = get_global_id(0); r[i] = read_imagef(a, nearest, (int4)(i, 1, 2, 0)); }
__kernel void line(read_only image1d_t a, write_only image1d_t b) { int i = get_global_id(0); write_imagef(b, i, read_imagef(a, i) * 2.0f); }
__kernel void array(read_only image2d_array_t a, __global float4 *r) { size_t i = get_global_id(0); r[i] = read_imagef(a, nearest, (int4)(i, 1, 2, 0)); }
__kernel void buffer(read_only image1d_buffer_t a, __global float4 *r) { int i = get_global_id(0); r[i] = read_imagef(a, i); }
__kernel void sizes(read_only image2d_t a, __global int *r) { r[get_global_id(0)] = get_image_width(a) + get_image_height(a) * 3 + get_image_channel_order(a); }
