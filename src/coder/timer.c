/* Timestamps and the performance monitor. */
#include "coder/build.h"

#define TIMESTAMP_EVENT 8u /* byte: bit 0 of dword 2 tells of events since the last read */

static struct sonde_operand timestamp(uint32_t byte)
{
    return sonde_operand_arf(SONDE_GEN_ARF_TIMESTAMP, byte);
}

static enum sonde_status start(struct sonde_coder *coder, struct sonde_procedure *procedure,
                               sonde_vreg timer, uint32_t byte,
                               const struct sonde_predicate *predicate, struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    coder_builder_need(&builder, timer, 4, "a timer");
    coder_builder_move(&builder, coder_vreg_typed(timer, 0, SONDE_GEN_TYPE_UD),
                       coder_typed(timestamp(byte), SONDE_GEN_TYPE_UD));
    return coder_builder_close(&builder);
}

static void subtract(struct coder_builder *builder, sonde_vreg timer, struct coder_operand now)
{
    struct coder_operand before = coder_vreg_typed(timer, 0, SONDE_GEN_TYPE_D);
    struct coder_operand negated = before;
    negated.negate = true;
    now.type = SONDE_GEN_TYPE_D;
    coder_builder_binary(builder, SONDE_GEN_ADD, before, now, negated);
}

static enum sonde_status stop(struct sonde_coder *coder, struct sonde_procedure *procedure,
                              sonde_vreg timer, uint32_t byte,
                              const struct sonde_predicate *predicate, struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    coder_builder_need(&builder, timer, 4, "a timer");
    struct coder_operand now = coder_vreg_typed(
        coder_builder_temporary(&builder, CODER_TEMPORARY_METHOD), 0, SONDE_GEN_TYPE_UD);
    coder_builder_move(&builder, now, coder_typed(timestamp(byte), SONDE_GEN_TYPE_UD));
    subtract(&builder, timer, now);
    return coder_builder_close(&builder);
}

/* One read of all four dwords, since reading clears the event bit. Where the
 * caller's predicate does not hold the timer stays and the flag becomes 0. */
static void stop_ext(struct coder_builder *builder, sonde_vreg timer, uint32_t byte,
                     const struct sonde_predicate *predicate)
{
    static const struct sonde_predicate f0 = {.flag_number = 0};
    sonde_vreg read = coder_builder_temporary(builder, CODER_TEMPORARY_METHOD);
    struct coder_operand all = coder_vreg_typed(read, 0, SONDE_GEN_TYPE_UD);
    struct coder_operand source = coder_typed(timestamp(0), SONDE_GEN_TYPE_UD);
    struct coder_operand now = coder_vreg_typed(read, byte % 16, SONDE_GEN_TYPE_UD);
    struct coder_operand event = coder_vreg_typed(read, TIMESTAMP_EVENT, SONDE_GEN_TYPE_D);
    struct coder_operand flag =
        coder_typed(sonde_operand_arf(SONDE_GEN_ARF_FLAG, 0), SONDE_GEN_TYPE_UW);
    source.elements = 4;
    coder_builder_append(builder, SONDE_GEN_MOV, 4, &all, &source, 1);
    if (byte >= 16) /* the time's place in the copy is free */
        coder_builder_move(builder, now, coder_typed(timestamp(byte), SONDE_GEN_TYPE_UD));
    coder_builder_compare(builder, &f0, SONDE_GEN_CONDITION_L, SONDE_GEN_TYPE_UD, now.at,
                          sonde_operand_vreg(timer));
    coder_builder_binary(builder, SONDE_GEN_AND, event, event,
                         coder_typed(sonde_operand_immediate(1), SONDE_GEN_TYPE_D));
    struct coder_operand negated = event;
    negated.negate = true;
    coder_builder_move(builder, event, negated); /* 0 or all ones */
    coder_builder_binary(builder, SONDE_GEN_OR, flag, flag,
                         coder_vreg_typed(read, TIMESTAMP_EVENT, SONDE_GEN_TYPE_UW));
    if (predicate != NULL) {
        struct sonde_predicate otherwise = *predicate;
        otherwise.inverse = !otherwise.inverse;
        builder->predicate = &otherwise;
        coder_builder_move(builder, flag,
                           coder_typed(sonde_operand_immediate(0), SONDE_GEN_TYPE_UW));
    }
    builder->predicate = predicate;
    subtract(builder, timer, now);
    builder->predicate = &f0;
    coder_builder_move(builder, coder_vreg_typed(timer, 0, SONDE_GEN_TYPE_UD),
                       coder_typed(sonde_operand_immediate(0), SONDE_GEN_TYPE_UD));
    builder->predicate = NULL;
}

static enum sonde_status stop_checked(struct sonde_coder *coder, struct sonde_procedure *procedure,
                                      sonde_vreg timer, uint32_t byte,
                                      const struct sonde_predicate *predicate,
                                      struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, NULL, error);
    if (predicate != NULL && (predicate->flag_number > 1 || predicate->flag_subreg > 1 ||
                              (predicate->flag_number == 0 && predicate->flag_subreg == 0)))
        coder_builder_fail(&builder, SONDE_ERROR_ARGUMENT,
                           "f%u.%u cannot be the predicate: f0.0 is the result, and there are "
                           "f0.1, f1.0 and f1.1 beside it",
                           predicate->flag_number, predicate->flag_subreg);
    coder_builder_need(&builder, timer, 4, "a timer");
    stop_ext(&builder, timer, byte, predicate);
    return coder_builder_close(&builder);
}

static uint32_t perfmon_byte(const struct sonde_coder *coder)
{
    return 4u * coder->isa->perfmon_dword;
}

enum sonde_status sonde_coder_start_timer(struct sonde_coder *coder,
                                          struct sonde_procedure *procedure, sonde_vreg timer,
                                          const struct sonde_predicate *predicate,
                                          struct sonde_error *error)
{
    return start(coder, procedure, timer, 0, predicate, error);
}

enum sonde_status sonde_coder_stop_timer(struct sonde_coder *coder,
                                         struct sonde_procedure *procedure, sonde_vreg timer,
                                         const struct sonde_predicate *predicate,
                                         struct sonde_error *error)
{
    return stop(coder, procedure, timer, 0, predicate, error);
}

enum sonde_status sonde_coder_stop_timer_ext(struct sonde_coder *coder,
                                             struct sonde_procedure *procedure, sonde_vreg timer,
                                             const struct sonde_predicate *predicate,
                                             struct sonde_error *error)
{
    return stop_checked(coder, procedure, timer, 0, predicate, error);
}

enum sonde_status sonde_coder_start_perfmon(struct sonde_coder *coder,
                                            struct sonde_procedure *procedure, sonde_vreg counter,
                                            const struct sonde_predicate *predicate,
                                            struct sonde_error *error)
{
    return start(coder, procedure, counter, perfmon_byte(coder), predicate, error);
}

enum sonde_status sonde_coder_stop_perfmon(struct sonde_coder *coder,
                                           struct sonde_procedure *procedure, sonde_vreg counter,
                                           const struct sonde_predicate *predicate,
                                           struct sonde_error *error)
{
    return stop(coder, procedure, counter, perfmon_byte(coder), predicate, error);
}

enum sonde_status sonde_coder_stop_perfmon_ext(struct sonde_coder *coder,
                                               struct sonde_procedure *procedure,
                                               sonde_vreg counter,
                                               const struct sonde_predicate *predicate,
                                               struct sonde_error *error)
{
    return stop_checked(coder, procedure, counter, perfmon_byte(coder), predicate, error);
}
