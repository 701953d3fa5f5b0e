/* Sampler messages that OpenCL uses: sample (at level of detail 0), ld and
 * resinfo. Filter weights are not rounded to the hardware's eight fraction
 * bits. */
#include <math.h>

#include "emu/gen/half.h"
#include "emu/gen/message_image.h"

enum sample_type {
    SAMPLE = 0x00,
    SAMPLE_B = 0x01,
    SAMPLE_L = 0x02,
    SAMPLE_LD = 0x07,
    SAMPLE_RESINFO = 0x0a,
    SAMPLE_LZ = 0x18,
    SAMPLE_LD_LZ = 0x1a,
};

enum address_mode {
    ADDRESS_WRAP = 0,
    ADDRESS_MIRROR = 1,
    ADDRESS_CLAMP = 2,
    ADDRESS_CUBE = 3,
    ADDRESS_CLAMP_BORDER = 4,
    ADDRESS_MIRROR_ONCE = 5,
    ADDRESS_HALF_BORDER = 6,
};

/* Parameter of each message that holds u, v, r and the level of detail. */
struct parameter_order {
    uint8_t type;
    int8_t coordinate[3];
    int8_t level; /* -1: none */
};

static const struct parameter_order orders[] = {
    {SAMPLE, {0, 1, 2}, -1},       {SAMPLE_B, {1, 2, 3}, -1},      {SAMPLE_L, {1, 2, 3}, 0},
    {SAMPLE_LD, {0, 1, 3}, 2},     {SAMPLE_RESINFO, {1, 2, 3}, 0}, {SAMPLE_LZ, {0, 1, 2}, -1},
    {SAMPLE_LD_LZ, {0, 1, 2}, -1},
};

/* SAMPLER_STATE of the message. */
struct sampler_state {
    bool linear;
    bool normalized;
    uint8_t mode[3]; /* enum address_mode for u, v, r */
    uint32_t border[4];
};

/* One sampler message, taken apart. */
struct sample {
    struct message_image image;
    const struct parameter_order *order;
    struct sampler_state state;
    uint32_t lanes, per_parameter, parameters;
    uint32_t outputs[4]; /* component of each returned vector */
    uint32_t output_count, output_registers;
    int32_t texel_offset[3];
    uint32_t outside;
};

static bool read_state(struct emu_message_context *context, struct sampler_state *state)
{
    const struct emu_dispatch *dispatch = context->dispatch;
    uint64_t table = dispatch->sampler_table;
    uint32_t word[4];

    if (context->message->header) {
        uint32_t pointer = message_dword(message_payload(context, 0), 3);
        table = dispatch->dynamic_base + (pointer & ~UINT32_C(0x1f));
    }
    table += 16u * (uint64_t)context->message->sampler;
    if (!emu_memory_read(context->worker, table, word, sizeof word) ||
        !emu_memory_read(context->worker, dispatch->dynamic_base + (word[2] & 0xffffc0),
                         state->border, sizeof state->border)) {
        emu_worker_fault(context->worker, "state of sampler %u at 0x%llx is not mapped",
                         context->message->sampler, (unsigned long long)table);
        return false;
    }
    state->linear = (word[0] >> 17 & 7) == 1; /* magnification filter */
    state->normalized = !(word[3] >> 10 & 1);
    state->mode[0] = word[3] >> 6 & 7;
    state->mode[1] = word[3] >> 3 & 7;
    state->mode[2] = word[3] & 7;
    return true;
}

static uint32_t parameter(const struct emu_message_context *context, const struct sample *sample,
                          int index, uint32_t lane)
{
    uint32_t first = context->message->header + (uint32_t)index * sample->per_parameter;

    if (index < 0 || (uint32_t)index >= sample->parameters)
        return 0;
    return message_dword(message_payload(context, first + lane / 8), lane % 8);
}

static float parameter_float(const struct emu_message_context *context, const struct sample *sample,
                             int index, uint32_t lane)
{
    uint32_t bits = parameter(context, sample, index, lane);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The one or two texels that a coordinate selects along one axis; -1 is the
 * border. */
struct axis {
    int32_t texel[2];
    float weight; /* of the second */
};

static int32_t address(int32_t texel, int32_t size, uint8_t mode)
{
    if (texel >= 0 && texel < size)
        return texel;
    switch ((enum address_mode)mode) {
    case ADDRESS_WRAP:
        return (texel % size + size) % size;
    case ADDRESS_MIRROR:
        texel = (texel % (2 * size) + 2 * size) % (2 * size);
        return texel < size ? texel : 2 * size - 1 - texel;
    case ADDRESS_MIRROR_ONCE:
        texel = texel < 0 ? -1 - texel : texel;
        return texel < size ? texel : size - 1;
    case ADDRESS_CLAMP_BORDER:
    case ADDRESS_HALF_BORDER:
        return -1;
    case ADDRESS_CLAMP:
    case ADDRESS_CUBE:
        break;
    }
    return texel < 0 ? 0 : size - 1;
}

static struct axis select_texels(const struct sampler_state *state, bool linear, uint8_t mode,
                                 float coordinate, uint32_t size, int32_t offset)
{
    struct axis axis = {{0, 0}, 0};
    float low;

    if (!(fabsf(coordinate) < INFINITY)) /* infinities and NaN select the first texel */
        coordinate = 0;
    if (state->normalized) {
        /* Only the fraction matters to a periodic mode: keep its bits. */
        if (mode == ADDRESS_WRAP)
            coordinate -= floorf(coordinate);
        else if (mode == ADDRESS_MIRROR)
            coordinate -= 2.0f * floorf(0.5f * coordinate);
        coordinate *= (float)size;
    }
    coordinate = coordinate < -65536.0f ? -65536.0f : coordinate > 65536.0f ? 65536.0f : coordinate;
    low = floorf(linear ? coordinate - 0.5f : coordinate);
    axis.texel[0] = address((int32_t)low + offset, (int32_t)size, mode);
    if (linear) {
        axis.weight = coordinate - 0.5f - low;
        axis.texel[1] = address((int32_t)low + 1 + offset, (int32_t)size, mode);
    }
    return axis;
}

/* One texel, or the border colour; a component that the format lacks reads its
 * default either way. */
static bool fetch(const struct sample *sample, int32_t x, int32_t y, int32_t z, uint32_t lane,
                  uint32_t value[4])
{
    const struct message_format *format = sample->image.format;
    struct message_place place = {(uint32_t)x, (uint32_t)y, (uint32_t)z};
    uint8_t texel[16];
    uint64_t offset;

    if (x < 0 || y < 0 || z < 0) {
        for (unsigned i = 0; i < 4; i++)
            value[i] = format->component[i].width ? sample->state.border[i]
                                                  : message_format_default(format, i);
        return true;
    }
    offset = message_image_offset(sample->image.surface, &place, format->bytes);
    if (message_load(&sample->image.space, offset, texel, format->bytes) != MESSAGE_ACCESS_OK) {
        message_fault_unmapped(&sample->image.space, offset, format->bytes, lane);
        return false;
    }
    message_format_unpack(format, texel, value);
    return true;
}

static float as_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Sum of the (up to eight) texels that the axes select, by their weights. */
static bool filter(const struct sample *sample, const struct axis axis[3], unsigned axes,
                   uint32_t lane, uint32_t value[4])
{
    float sum[4] = {0, 0, 0, 0};

    for (unsigned corner = 0; corner < 1u << axes; corner++) {
        float weight = 1;
        int32_t at[3];
        uint32_t texel[4];

        for (unsigned i = 0; i < 3; i++) {
            unsigned second = corner >> i & 1;
            at[i] = axis[i].texel[second];
            if (i < axes)
                weight *= second ? axis[i].weight : 1.0f - axis[i].weight;
        }
        if (weight == 0)
            continue;
        if (!fetch(sample, at[0], at[1], at[2], lane, texel))
            return false;
        for (unsigned i = 0; i < 4; i++)
            sum[i] += weight * as_float(texel[i]);
    }
    memcpy(value, sum, sizeof sum);
    return true;
}

static int32_t array_layer(float index, uint32_t count)
{
    float layer = rintf(index);

    if (!(layer > 0))
        return 0;
    return layer >= (float)count ? (int32_t)count - 1 : (int32_t)layer;
}

static bool sample_lane(struct emu_message_context *context, struct sample *sample, uint32_t lane,
                        uint32_t value[4])
{
    const struct emu_surface *surface = sample->image.surface;
    uint32_t size[3] = {surface->width, surface->height, surface->depth};
    unsigned axes = surface->type == MESSAGE_SURFACE_3D   ? 3
                    : surface->type == MESSAGE_SURFACE_2D ? 2
                                                          : 1;
    bool linear = sample->state.linear && !message_format_is_integer(sample->image.format);
    struct axis axis[3] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};

    for (unsigned i = 0; i < axes; i++)
        axis[i] =
            select_texels(&sample->state, linear, sample->state.mode[i],
                          parameter_float(context, sample, sample->order->coordinate[i], lane),
                          size[i], sample->texel_offset[i]);
    if (axes < 3 && surface->array_count > 1)
        axis[2].texel[0] = axis[2].texel[1] =
            array_layer(parameter_float(context, sample, sample->order->coordinate[axes], lane),
                        surface->array_count);
    if (linear)
        return filter(sample, axis, axes, lane, value);
    return fetch(sample, axis[0].texel[0], axis[1].texel[0], axis[2].texel[0], lane, value);
}

/* ld: integer coordinates; outside the image the components that the format
 * has read zero. */
static bool load_lane(struct emu_message_context *context, struct sample *sample, uint32_t lane,
                      uint32_t value[4])
{
    const struct message_format *format = sample->image.format;
    struct message_place place;
    int32_t at[3];

    for (unsigned i = 0; i < 3; i++)
        at[i] = (int32_t)parameter(context, sample, sample->order->coordinate[i], lane) +
                sample->texel_offset[i];
    if (parameter(context, sample, sample->order->level, lane) == 0 &&
        message_image_place(&sample->image, at[0], at[1], at[2], &place))
        return fetch(sample, (int32_t)place.x, (int32_t)place.y, (int32_t)place.layer, lane, value);
    for (unsigned i = 0; i < 4; i++)
        value[i] = format->component[i].width ? 0 : message_format_default(format, i);
    sample->outside++;
    return true;
}

/* resinfo: width, height, depth or layers, number of levels. */
static void information(const struct sample *sample, uint32_t value[4])
{
    const struct emu_surface *surface = sample->image.surface;
    bool is_array = surface->array_count > 1;

    value[0] = surface->width;
    value[1] = value[2] = 0;
    value[3] = surface->mip_count + 1u;
    switch ((enum message_surface_type)surface->type) {
    case MESSAGE_SURFACE_1D:
        value[1] = is_array ? surface->array_count : 0;
        break;
    case MESSAGE_SURFACE_2D:
        value[1] = surface->height;
        value[2] = is_array ? surface->array_count : 0;
        break;
    case MESSAGE_SURFACE_3D:
        value[1] = surface->height;
        value[2] = surface->depth;
        break;
    case MESSAGE_SURFACE_BUFFER:
        value[0] = (uint32_t)(surface->size / sample->image.format->bytes);
        break;
    case MESSAGE_SURFACE_SCRATCH:
    case MESSAGE_SURFACE_NULL:
        value[0] = value[3] = 0;
        break;
    }
}

/* Surface channel selects: 0 zero, 1 one, 4 to 7 red to alpha. */
static uint32_t select_channel(const struct sample *sample, const uint32_t value[4],
                               uint32_t output)
{
    uint8_t select = sample->image.surface->swizzle[output];

    if (select >= 4)
        return value[select - 4];
    return select == 1 ? message_format_default(sample->image.format, 3) : 0;
}

static uint16_t to_half(const struct sample *sample, uint32_t value)
{
    if (message_format_is_integer(sample->image.format))
        return (uint16_t)value;
    return emu_float_to_half(as_float(value), 0);
}

static void write_lane(const struct emu_message_context *context, const struct sample *sample,
                       uint32_t lane, const uint32_t value[4])
{
    for (uint32_t i = 0; i < sample->output_count; i++) {
        uint32_t word = value[sample->outputs[i]];
        uint8_t *grf = message_response(context, i * sample->output_registers);

        if (sample->order->type != SAMPLE_RESINFO)
            word = select_channel(sample, value, sample->outputs[i]);
        if (context->message->half_return) {
            uint16_t half = to_half(sample, word);
            memcpy(grf + 2u * lane, &half, sizeof half);
        } else {
            memcpy(grf + 4u * lane, &word, sizeof word);
        }
    }
}

/* Which components come back: those that the header does not disable, or the
 * first ones that fit the response. */
static bool choose_outputs(struct emu_message_context *context, struct sample *sample)
{
    const struct sonde_gen_message *message = context->message;
    uint32_t disabled = 0, offsets = 0;

    sample->output_registers = message_registers(sample->lanes, message->half_return ? 2 : 4);
    if (message->header) {
        uint32_t control = message_dword(message_payload(context, 0), 2);
        disabled = control >> 12 & 0xf;
        offsets = control & 0xfff;
    }
    for (uint32_t i = 0; i < 4; i++)
        if (!(disabled >> i & 1) &&
            (sample->output_count + 1) * sample->output_registers <= message->response_registers)
            sample->outputs[sample->output_count++] = i;
    for (unsigned i = 0; i < 3; i++) { /* signed 4 bits each: u in 11:8, v, r */
        int32_t offset = (int32_t)(offsets >> (8 - 4 * i) & 0xf);
        sample->texel_offset[i] = offset >= 8 ? offset - 16 : offset;
    }
    if (!sample->output_count)
        emu_worker_fault(context->worker, "sampler message that returns no component");
    return sample->output_count;
}

static bool prepare(struct emu_message_context *context, struct sample *sample)
{
    const struct sonde_gen_message *message = context->message;
    uint8_t type = message->sample_type;

    *sample = (struct sample){.lanes = message_lanes(context)};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (orders[i].type == type)
            sample->order = &orders[i];
    if (!sample->order) {
        emu_worker_fault(context->worker, "sampler message type 0x%x is not emulated", type);
        return false;
    }
    sample->per_parameter = message_registers(sample->lanes, 4);
    if (!message_require(context, message->header + sample->per_parameter, 0) ||
        !message_image_open(context, true, &sample->image) || !choose_outputs(context, sample))
        return false;
    sample->parameters = (message_payload_count(context) - message->header) / sample->per_parameter;
    if (type != SAMPLE_LD && type != SAMPLE_LD_LZ && type != SAMPLE_RESINFO)
        return read_state(context, &sample->state);
    return true;
}

enum emu_message_outcome message_sample(struct emu_message_context *context)
{
    struct sample sample;

    if (context->dst == UINT32_MAX)
        return EMU_MESSAGE_DONE;
    if (!prepare(context, &sample))
        return EMU_MESSAGE_FAULT;
    for (uint32_t left = context->enabled & message_lane_mask(sample.lanes); left;
         left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), value[4] = {0, 0, 0, 0};
        bool done = true;

        if (sample.order->type == SAMPLE_RESINFO)
            information(&sample, value);
        else if (sample.image.surface->type == MESSAGE_SURFACE_NULL)
            sample.outside++;
        else if (sample.order->type == SAMPLE_LD || sample.order->type == SAMPLE_LD_LZ)
            done = load_lane(context, &sample, lane, value);
        else
            done = sample_lane(context, &sample, lane, value);
        if (!done)
            return EMU_MESSAGE_FAULT;
        write_lane(context, &sample, lane, value);
    }
    if (sample.outside)
        emu_worker_out_of_bounds(context->worker, sample.outside);
    return EMU_MESSAGE_DONE;
}
