#include "cli/summary.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"

typedef unsigned long long ull;

struct tally {
    size_t kernels, refused;
    size_t dispatches, instrumented, unfinished;
    uint64_t lost;
};

static struct tally count(const struct sonde_trace *trace)
{
    struct tally tally = {.kernels = sonde_trace_kernel_count(trace),
                          .dispatches = sonde_trace_dispatch_count(trace)};
    for (size_t i = 0; i < tally.kernels; i++)
        tally.refused += sonde_trace_kernel(trace, i)->refusal != NULL;
    for (size_t i = 0; i < tally.dispatches; i++) {
        const struct sonde_trace_dispatch *dispatch = sonde_trace_dispatch(trace, i);
        tally.instrumented += dispatch->instrumented;
        tally.unfinished += dispatch->instrumented && !dispatch->complete;
    }
    for (size_t i = 0; i < sonde_trace_loss_count(trace); i++)
        tally.lost += sonde_trace_loss(trace, i)->records;
    return tally;
}

static const char *plural(size_t number)
{
    return number == 1 ? "" : "s";
}

static void print_program(const struct summary *summary)
{
    if (summary->end->server_died)
        cli_error("the emulated GPU ended unexpectedly; %s was stopped", summary->program);
    else if (summary->end->signal != 0)
        cli_warning("%s was killed by signal %d (%s)", summary->program, summary->end->signal,
                    strsignal(summary->end->signal));
    else if (summary->end->exit_status != 0)
        cli_note("program    %s exited with status %d", summary->program,
                 summary->end->exit_status);
}

static void print_device(const struct summary *summary)
{
    const char *why = summary->target->why;
    cli_note("device     %s%s%s%s", summary->target->name, *why != '\0' ? " (" : "", why,
             *why != '\0' ? ")" : "");
    if (summary->server->has_totals && summary->server->totals.cycles > 0)
        cli_note("cycles     %llu by the time model over all dispatches",
                 (ull)summary->server->totals.cycles);
    if (summary->server->has_totals && summary->server->totals.faults > 0)
        cli_error("%llu dispatch%s faulted on the emulated GPU: see the messages above",
                  (ull)summary->server->totals.faults,
                  summary->server->totals.faults == 1 ? "" : "es");
}

/* Why nothing was counted, from the outside in. */
static void print_nothing(const struct sonde_trace *trace, const struct tally *tally)
{
    if (sonde_trace_process_count(trace) == 0) {
        cli_warning("no kernel was seen: the program made no OpenCL context on the Intel driver");
        cli_note("Sonde sees OpenCL; it does not see Vulkan, Level Zero, CUDA or OpenGL kernels");
    } else if (tally->kernels == 0) {
        cli_warning("no kernel was seen: the program made an OpenCL context, but created no kernel "
                    "(did its build fail?)");
    } else if (tally->dispatches == 0) {
        cli_warning("no kernel was executed: %zu kernel%s, but never dispatched", tally->kernels,
                    plural(tally->kernels));
    } else if (sonde_trace_header(trace)->tools[0] == '\0') {
        cli_note("kernels    %zu, %zu dispatch%s; none instrumented: no tool was asked for",
                 tally->kernels, tally->dispatches, tally->dispatches == 1 ? "" : "es");
    } else {
        cli_warning(
            "no kernel was instrumented: %zu kernel%s (%zu left as they were), %zu dispatch%s",
            tally->kernels, plural(tally->kernels), tally->refused, tally->dispatches,
            tally->dispatches == 1 ? "" : "es");
        if (tally->refused < tally->kernels)
            cli_note("           -k, -x, --skip and --count choose what is instrumented");
    }
}

static void print_refusals(const struct sonde_trace *trace)
{
    for (size_t i = 0; i < sonde_trace_kernel_count(trace); i++) {
        const struct sonde_trace_kernel *kernel = sonde_trace_kernel(trace, i);
        bool said = false;
        for (size_t j = 0; j < i && !said && kernel->refusal != NULL; j++) {
            const struct sonde_trace_kernel *other = sonde_trace_kernel(trace, j);
            said = other->refusal != NULL && strcmp(other->name, kernel->name) == 0 &&
                   strcmp(other->refusal, kernel->refusal) == 0;
        }
        if (kernel->refusal != NULL && !said)
            cli_note("           %s ran as it was: %s", kernel->name, kernel->refusal);
    }
}

static void print_kernels(const struct sonde_trace *trace, const struct tally *tally)
{
    size_t processes = sonde_trace_process_count(trace);
    char many[48] = "";
    if (processes > 1)
        snprintf(many, sizeof many, ", in %zu processes", processes);
    cli_note("kernels    %zu instrumented, %zu left as they were; %zu dispatch%s, %zu of them "
             "instrumented%s",
             tally->kernels - tally->refused, tally->refused, tally->dispatches,
             tally->dispatches == 1 ? "" : "es", tally->instrumented, many);
    print_refusals(trace);
}

/* Space of records that were not all counted before. */
static void print_space(const struct sonde_trace *trace, uint64_t used)
{
    const struct sonde_trace_header *header = sonde_trace_header(trace);
    size_t count = sonde_trace_record_totals_count(trace), uncounted = 0;
    for (size_t i = 0; i < count; i++)
        uncounted += sonde_trace_record_totals(trace, i)->predicted == UINT64_MAX;
    if (strcmp(header->records, "sized") == 0)
        cli_note("space      %llu bytes used; %zu of %zu dispatches could not be counted before",
                 (ull)used, uncounted, count);
    else
        cli_note("space      %s: %llu bytes used, %llu at a time", header->records, (ull)used,
                 (ull)header->record_space);
}

static void print_records(const struct sonde_trace *trace, const struct tally *tally)
{
    uint64_t kept = sonde_trace_block_counts_count(trace), used = 0, predicted = 0;
    bool stored = false, counted = sonde_trace_record_totals_count(trace) > 0;
    for (size_t i = 0; i < sonde_trace_record_totals_count(trace); i++) {
        const struct sonde_trace_record_totals *totals = sonde_trace_record_totals(trace, i);
        kept += totals->stored;
        used += totals->used;
        predicted += totals->predicted;
        counted = counted && totals->predicted != UINT64_MAX;
        stored = stored || strcmp(totals->mode, "stored") == 0;
    }
    if (stored)
        cli_note("space      as in the run of --counts-from, %llu bytes used", (ull)used);
    else if (sonde_trace_record_totals_count(trace) > 0 && !counted)
        print_space(trace, used);
    else if (counted)
        cli_note("space      %llu bytes of records predicted, %llu used", (ull)predicted,
                 (ull)used);
    if (tally->lost == 0 && tally->unfinished == 0) {
        cli_note("records    %llu kept, 0 lost", (ull)kept);
        return;
    }
    cli_warning("records    %llu kept, %llu lost; %zu dispatch%s not finished", (ull)kept,
                (ull)tally->lost, tally->unfinished, tally->unfinished == 1 ? "" : "es");
    for (size_t i = 0; i < sonde_trace_loss_count(trace); i++)
        cli_note("           %s", sonde_trace_loss(trace, i)->reason);
}

/* The device's own total where all that it executed was instrumented, else an
 * estimate from the block counts of the first tool. */
static void print_overhead(const struct summary *summary, const struct tally *tally)
{
    const char *tool;
    struct analyze_profile *profile;
    if (analyze_tools_list(summary->trace, &tool, 1) == 0 ||
        analyze_profile_create(summary->trace, tool, NULL, &profile, NULL) != SONDE_OK)
        return;
    const struct device_server_totals *totals = &summary->server->totals;
    uint64_t own = profile->total.dynamic_count, inserted;
    bool exact = summary->server->has_totals && totals->dispatches == tally->instrumented &&
                 tally->unfinished == 0 && totals->instructions >= own;
    if (exact)
        inserted = totals->instructions - own;
    if (own > 0 && (exact || analyze_inserted_executions(profile, &inserted)))
        cli_note("overhead   %s%.2fx: %llu instructions executed for %llu of the program",
                 exact ? "" : "about ", (double)(own + inserted) / (double)own,
                 (ull)(own + inserted), (ull)own);
    analyze_profile_destroy(profile);
}

void summary_print(const struct summary *summary)
{
    const struct sonde_trace *trace = summary->trace;
    struct tally tally = count(trace);
    print_program(summary);
    print_device(summary);
    for (size_t i = 0; i < sonde_trace_message_count(trace); i++)
        cli_warning("%s", sonde_trace_message(trace, i)->text);
    if (tally.instrumented == 0) {
        print_nothing(trace, &tally);
        if (sonde_trace_header(trace)->tools[0] != '\0')
            print_refusals(trace);
    } else {
        print_kernels(trace, &tally);
        print_records(trace, &tally);
        print_overhead(summary, &tally);
    }
    if (sonde_trace_warning(trace) != NULL && summary->end->signal == 0)
        cli_warning("%s", sonde_trace_warning(trace));
    if (sonde_trace_process_count(trace) == 0)
        return;
    bool standard = strcmp(summary->directory, "sonde.data") == 0;
    cli_note("written    %s; next: sonde %s%s%s", summary->directory,
             tally.instrumented > 0 ? "annotate" : "info", standard ? "" : " -i ",
             standard ? "" : summary->directory);
}
