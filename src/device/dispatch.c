/* Dispatches, and GPGPU_WALKER: from the command, the interface descriptor and
 * the state to a dispatch of the emulator. */
#include "device/connection.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "device/dry.h"
#include "device/log.h"
#include "device/truth_writer.h"
#include "device/window.h"
#include "profile/trace.h"

#define DESCRIPTOR_SIZE 32u
#define GRF_SIZE        32u

static uint8_t *translate(void *context, uint64_t address, bool write)
{
    struct device_space *space = context;
    return write ? device_space_page_for_write(space, address) : device_space_page(space, address);
}

/* SLM size code: 0 none, n = 2^(n-1) KiB up to 64 KiB. */
static bool decode_slm(uint32_t code, uint32_t *size)
{
    *size = code == 0 ? 0 : 1024u << (code - 1);
    return code <= 7;
}

/* Interface descriptor fields (Skylake PRM volume 2d, INTERFACE_DESCRIPTOR_DATA). */
static bool apply_descriptor(struct device_streamer *s, const uint32_t *idd,
                             struct emu_dispatch *dispatch)
{
    const struct device_state *state = s->state;
    dispatch->kernel_start =
        (state->instruction_base + ((uint64_t)(idd[1] & 0xffff) << 32 | (idd[0] & ~0x3fu))) &
        DEVICE_ADDRESS_MASK;
    dispatch->denormals_preserve = idd[2] & (1u << 19);
    dispatch->sampler_state_pointer = idd[3] & ~0x1fu;
    dispatch->sampler_table =
        (state->dynamic_base + dispatch->sampler_state_pointer) & DEVICE_ADDRESS_MASK;
    dispatch->binding_table = (state->surface_base + (idd[4] & 0xffe0)) & DEVICE_ADDRESS_MASK;
    dispatch->per_thread_registers = idd[5] >> 16;
    dispatch->cross_thread_registers = idd[7] & 0xff;
    dispatch->threads_per_group = idd[6] & 0x3ff;
    dispatch->barrier_enable = idd[6] & (1u << 21);
    dispatch->rounding_mode = idd[6] >> 22 & 3;
    if (!decode_slm(idd[6] >> 16 & 0x1f, &dispatch->slm_size)) {
        device_streamer_fault(s, "interface descriptor asks for SLM size code %u, above 64 KiB",
                              idd[6] >> 16 & 0x1f);
        return false;
    }
    return true;
}

void device_dispatch_apply_state(const struct device_streamer *s, struct emu_dispatch *dispatch)
{
    const struct device_state *state = s->state;
    const struct device_configuration *configuration =
        s->connection->process->machine->configuration;
    dispatch->platform = configuration->platform;
    dispatch->slices = configuration->slices;
    dispatch->subslices = configuration->subslices;
    dispatch->eus_per_subslice = configuration->eus_per_subslice;
    dispatch->threads_per_eu = configuration->threads_per_eu;
    if (state->large_grf) { /* half as many threads share the registers of an EU */
        dispatch->grf_count = 256;
        dispatch->threads_per_eu /= 2;
    }
    dispatch->instruction_base = state->instruction_base;
    dispatch->general_base = state->general_base;
    dispatch->surface_base = state->surface_base;
    dispatch->dynamic_base = state->dynamic_base;
    dispatch->bindless_base = state->bindless_base;
    dispatch->scratch_base = state->scratch_base;
    dispatch->scratch_per_thread = state->scratch_per_thread;
    dispatch->scratch_code = state->scratch_code;
}

/* Walker fields; false after a logged fault. */
static bool apply_walker(struct device_streamer *s, const uint32_t *words,
                         struct emu_dispatch *dispatch)
{
    uint32_t threads =
        ((words[4] & 0x3f) + 1) * ((words[4] >> 8 & 0x3f) + 1) * ((words[4] >> 16 & 0x3f) + 1);
    if (words[4] >> 30 == 3 || threads != dispatch->threads_per_group) {
        device_streamer_fault(s,
                              "GPGPU_WALKER of SIMD code %u with %u threads a group, descriptor "
                              "says %u",
                              words[4] >> 30, threads, dispatch->threads_per_group);
        return false;
    }
    dispatch->simd = 8u << (words[4] >> 30);
    const uint32_t start[3] = {words[5], words[8], words[11]};
    const uint32_t end[3] = {words[7], words[10], words[12]};
    memcpy(dispatch->group_start, start, sizeof start);
    memcpy(dispatch->group_end, end, sizeof end);
    dispatch->right_mask = words[13];
    uint64_t address = (s->state->indirect_base + (words[3] & ~0x3fu)) & DEVICE_ADDRESS_MASK;
    uint64_t needed = GRF_SIZE * ((uint64_t)dispatch->cross_thread_registers +
                                  (uint64_t)threads * dispatch->per_thread_registers);
    dispatch->payload = s->payload;
    dispatch->payload_size = words[2] & 0x1ffff;
    if (needed > dispatch->payload_size) {
        device_streamer_fault(s, "GPGPU_WALKER has %zu bytes of payload, its threads take %" PRIu64,
                              dispatch->payload_size, needed);
        return false;
    }
    return device_streamer_load(s, false, address, s->payload, (uint32_t)dispatch->payload_size);
}

static void log_fault(struct device_streamer *s, const struct emu_fault *fault)
{
    const struct device_process *process = s->connection->process;
    device_log_line(process->machine->log_fd,
                    "process %d: kernel at 0x%llx stopped at instruction 0x%x (%s), group %u,%u,%u "
                    "thread %u, execution mask 0x%x: %s",
                    (int)process->pid, (unsigned long long)fault->kernel_start,
                    fault->instruction_offset, fault->instruction, fault->group[0], fault->group[1],
                    fault->group[2], fault->thread, fault->execution_mask, fault->reason);
}

/* One cycle an instruction on each EU, until the timing model says better. */
static void advance_clock(struct device_process *process, const struct emu_result *result)
{
    const struct device_configuration *c = process->machine->configuration;
    uint64_t eus = (uint64_t)c->slices * c->subslices * c->eus_per_subslice;
    device_process_advance(process,
                           result->cycles != 0 ? result->cycles : result->instructions / eus + 1);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Count and log a fault. A client that is gone is no fault of the program. */
static void report_fault(struct device_streamer *s, const struct emu_result *result)
{
    struct device_process *process = s->connection->process;
    if (device_process_cancelled(process)) {
        device_log_line(process->machine->log_fd,
                        "process %d: its kernel at 0x%llx was abandoned after %" PRIu64
                        " instructions: the program is gone or the server stops",
                        (int)process->pid, (unsigned long long)result->fault.kernel_start,
                        result->instructions);
        return;
    }
    device_process_count_fault(process);
    log_fault(s, &result->fault);
}

/* Once for a kernel; no fault: the hardware goes on. */
static void warn_divergence(struct device_process *process, uint64_t kernel,
                            const struct emu_divergence *divergence)
{
    /* Code before the kernel's start is another body of the same kernel, in which
     * the threads run that are not instrumented: they meet at a barrier all the same. */
    bool is_between_bodies =
        divergence->active == divergence->channels &&
        (divergence->instruction_offset >> 31) != (divergence->other_offset >> 31);
    if (divergence->barriers == 0 || process->diverged == kernel || is_between_bodies)
        return;
    process->diverged = kernel;
    const uint32_t *group = divergence->group;
    char what[96];
    if (divergence->active != divergence->channels)
        snprintf(what, sizeof what, "with channels 0x%x of 0x%x", divergence->active,
                 divergence->channels);
    else
        snprintf(what, sizeof what, "while other threads of the group are at 0x%x",
                 divergence->other_offset);
    device_log_line(process->machine->log_fd,
                    "process %d: warning: work-items of the kernel at 0x%llx diverge at a barrier: "
                    "instruction 0x%x, group %u,%u,%u thread %u %s (%llu such signals): its "
                    "results are undefined",
                    (int)process->pid, (unsigned long long)kernel, divergence->instruction_offset,
                    group[0], group[1], group[2], divergence->thread, what,
                    (unsigned long long)divergence->barriers);
}

static void write_truth(struct device_streamer *s, struct device_truth_record *record)
{
    struct device_process *process = s->connection->process;
    struct sonde_error error = {0};
    record->process = (uint64_t)process->pid;
    record->space = process->space;
    if (device_truth_write(process->machine->truth, record, &error) != SONDE_OK)
        device_streamer_fault(s, "ground truth of dispatch %" PRIu64 " is lost: %s", record->index,
                              error.message);
}

/* A dispatch that is none: neither counted nor in the ground truth, no time
 * passes, and memory is as before, but for its profile buffer. */
static void run_dry(struct device_streamer *s, const struct emu_dispatch *dispatch,
                    const struct device_dry *keep)
{
    struct device_process *process = s->connection->process;
    struct emu_memory memory = {.context = process->space, .page = translate};
    struct emu_result result = {0};
    struct sonde_error error = {0};
    const struct device_saved_page *pages;
    device_space_snapshot_begin(process->space);
    /* What goes wrong in it does so again in the dispatch itself. */
    (void)emu_run(process->emu, &memory, dispatch, &result, &error);
    size_t count = device_space_snapshot_end(process->space, &pages);
    device_dry_restore(process->space, pages, count, keep);
    emu_result_clear(&result);
}

/* Share the buffer of a dispatch that asks for it; one that cannot be shared is
 * filled and left to the program as any other. */
static bool share_buffer(struct device_streamer *s, const struct device_profile *profile,
                         struct device_share *share)
{
    struct device_process *process = s->connection->process;
    struct sonde_error error;
    if (profile->mode != PROFILE_TRACE_DRAIN && profile->mode != PROFILE_TRACE_WINDOW)
        return false;
    if (device_share_begin(process, profile, share, &error))
        return true;
    device_log_line(process->machine->log_fd,
                    "process %d: its profile buffer is not emptied while the kernel runs: %s",
                    (int)process->pid, error.message);
    return false;
}

/* Run the dispatch; `record` gets what it changed when there is a ground truth,
 * `collected` what that needs. */
static enum sonde_status run_kept(struct device_streamer *s, const struct device_profile *profile,
                                  struct emu_result *result, struct device_window_pages *collected,
                                  struct device_truth_record *record, struct sonde_error *error)
{
    struct device_process *process = s->connection->process;
    struct emu_memory memory = {.context = process->space, .page = translate};
    struct emu_dispatch dispatch = *record->dispatch;
    bool has_truth = process->machine->truth != NULL;
    struct device_share share;
    bool is_shared = share_buffer(s, profile, &share);
    enum sonde_status status;
    if (is_shared && profile->mode == PROFILE_TRACE_WINDOW) {
        status = device_window_run(&share, &memory, &dispatch, result, has_truth ? collected : NULL,
                                   error);
        record->pages = collected->items;
        record->page_count = collected->count;
    } else {
        if (is_shared) {
            dispatch.may_start = device_share_admits;
            dispatch.may_start_context = &share;
            dispatch.hurries = device_share_hurries;
            dispatch.hurries_context = &share;
        }
        if (has_truth)
            device_space_snapshot_begin(process->space);
        status = emu_run(process->emu, &memory, &dispatch, result, error);
        if (has_truth)
            record->page_count = device_space_snapshot_end(process->space, &record->pages);
    }
    if (is_shared)
        device_share_end(&share);
    return status;
}

void device_dispatch_run(struct device_streamer *s, const struct emu_dispatch *dispatch,
                         uint32_t binding_table_entries)
{
    struct device_process *process = s->connection->process;
    struct device_machine *machine = process->machine;
    struct emu_result result = {0};
    struct sonde_error error = {0};
    struct device_profile profile = {.mode = PROFILE_TRACE_RECORD};
    struct device_window_pages collected = {.items = NULL};
    if (device_profile_find(process->space, dispatch, &profile) &&
        profile.mode == PROFILE_TRACE_DRY) {
        run_dry(s, dispatch, &profile.buffer);
        return;
    }
    uint64_t begin = now_ns();
    struct device_truth_record record = {
        .index = atomic_fetch_add(&machine->dispatches, 1),
        .dispatch = dispatch,
        .result = &result,
        .binding_table_entries = binding_table_entries,
    };
    enum sonde_status status = run_kept(s, &profile, &result, &collected, &record, &error);
    atomic_fetch_add(&machine->nanoseconds, now_ns() - begin);
    atomic_fetch_add(&machine->instructions, result.instructions);
    atomic_fetch_add(&machine->cycles, result.cycles);
    advance_clock(process, &result);
    if (status != SONDE_OK)
        device_streamer_fault(s, "dispatch %" PRIu64 " was not run: %s", record.index,
                              error.message);
    else if (result.fault.occurred)
        report_fault(s, &result);
    warn_divergence(process, dispatch->kernel_start, &result.divergence);
    record.failed = status != SONDE_OK;
    if (machine->truth != NULL)
        write_truth(s, &record);
    device_window_pages_clear(&collected);
    emu_result_clear(&result);
}

enum device_command_outcome device_gfx_gpgpu_walker(struct device_streamer *s,
                                                    const uint32_t *words, uint32_t count)
{
    (void)count;
    struct emu_dispatch dispatch = {0};
    uint32_t idd[DESCRIPTOR_SIZE / 4];
    uint32_t offset = (words[1] & 0x3f) * DESCRIPTOR_SIZE;
    if (offset + DESCRIPTOR_SIZE > s->state->descriptor_size) {
        device_streamer_fault(s, "GPGPU_WALKER uses interface descriptor %u, %u bytes are loaded",
                              words[1] & 0x3f, s->state->descriptor_size);
        return DEVICE_COMMAND_FAULT;
    }
    uint64_t address = s->state->dynamic_base + s->state->descriptor_offset + offset;
    device_dispatch_apply_state(s, &dispatch);
    if (!device_streamer_load(s, false, address, idd, sizeof idd) ||
        !apply_descriptor(s, idd, &dispatch) || !apply_walker(s, words, &dispatch))
        return DEVICE_COMMAND_FAULT;
    device_dispatch_run(s, &dispatch, idd[4] & 0x1f);
    return DEVICE_COMMAND_DONE;
}
