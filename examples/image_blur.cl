/* 3 x 3 box blur of an RGBA image through a sampler that clamps to the edge. */
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |
                          CLK_FILTER_NEAREST;

kernel void image_blur(read_only image2d_t in, write_only image2d_t out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    uint4 sum = (uint4)(0);
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += read_imageui(in, edge, at + (int2)(x, y));
    write_imageui(out, at, sum / 9u);
}
