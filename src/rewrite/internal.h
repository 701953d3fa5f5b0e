/* Private to the rewriter. */
#ifndef SONDE_REWRITE_INTERNAL_H
#define SONDE_REWRITE_INTERNAL_H

#include "coder/expand.h"
#include "sonde/instrument.h"

/* Where code stands relative to instruction `index`, in the order in which it
 * stands in the output. Branches to the instruction land behind FALL_THROUGH
 * and before BEFORE. */
enum rewrite_slot {
    REWRITE_ENTRY,        /* at the entry that every thread passes: once */
    REWRITE_FALL_THROUGH, /* only reached from the instruction before */
    REWRITE_BEFORE,
    REWRITE_AFTER,
    REWRITE_TAKEN, /* jmpi: on the way to its target */
};

struct rewrite_insertion {
    uint32_t index;
    enum rewrite_slot slot;
    uint32_t order; /* of the call */
    uint32_t pass, rank;
    const struct sonde_procedure *procedure;
    /* Filled when the procedures are expanded: a span of the inserted code. */
    size_t first, count;
};

struct rewrite_pass {
    char *name;
    uint32_t rank; /* among all; while emitting */
};

struct rewrite_rule {
    uint32_t before, after; /* passes */
};

struct sonde_instrument {
    struct rewrite_pass *passes; /* passes[0] is that without a name */
    size_t pass_count, pass_capacity;
    struct rewrite_rule *rules; /* without contradiction */
    size_t rule_count, rule_capacity;
    uint32_t pass; /* of the insertions to come */
    struct sonde_kernel *kernel;
    struct sonde_coder *coder;
    struct rewrite_insertion *insertions;
    size_t insertion_count, insertion_capacity;
    bool *removed;                        /* an instruction */
    const struct rewrite_insertion *fill; /* at the entry: registers that last; while emitting */
    struct rewrite_insertion leave;       /* decides who leaves; no procedure: nobody */
    struct sonde_predicate leaves;
    uint32_t entry;     /* that every thread passes; before it the per-thread prolog */
    size_t bodies;      /* first instruction of called bodies in the code; while emitting */
    size_t code_count;  /* of all inserted code */
    const char **split; /* why nothing may stand before it, NULL when it may */
    bool *meets_behind; /* code "before" it stands behind it (reconverge.c) */
};

/* pass.c */
void rewrite_rank_passes(struct sonde_instrument *instrument);
void rewrite_clear_passes(struct sonde_instrument *instrument);

/* sequence.c: fills `split`. */
void rewrite_find_sequences(const struct sonde_kernel *kernel, const char **split);

/* reconverge.c: fills meets_behind. */
void rewrite_find_meeting_points(const struct sonde_kernel *kernel, bool *meets_behind);
/* Whether channels wait at the address of `target` itself when instruction
 * `index` names it as UIP, so that the reference must not move to inserted
 * code. */
bool rewrite_waits_exactly(const struct sonde_kernel *kernel, size_t index, uint32_t target);

/* layout.c: one piece of the instrumented body. */
enum rewrite_piece_kind {
    REWRITE_ORIGINAL,     /* instruction `index` of the kernel */
    REWRITE_INSERTED,     /* instruction `index` of the inserted code */
    REWRITE_JOIN,         /* takes over the jump of endif or join `index` */
    REWRITE_RETURN,       /* jmpi back from the code on the edge of jmpi `index` */
    REWRITE_LEAVE,        /* jmpi from the end of the prolog to its code */
    REWRITE_WAIT_ORDER,   /* sync in place of removed instruction `index`: for all in order */
    REWRITE_WAIT_TOKEN,   /* the same, for the token that it waited for */
    REWRITE_WAIT_WRITTEN, /* of a message, with which earlier ones were done: for all results */
    REWRITE_WAIT_READ,    /* and for all payloads */
    REWRITE_GO_ORIGINAL,  /* jmpi to the original entry, for threads that leave */
    REWRITE_COME_BACK     /* and from there to the entry, behind the code that fills registers */
};

struct rewrite_piece {
    enum rewrite_piece_kind kind;
    uint32_t index;
    uint32_t position; /* bytes from the entry of the instrumented body */
    uint32_t size;
};

#define REWRITE_NO_PIECE UINT32_MAX

struct rewrite_layout {
    struct rewrite_piece *pieces;
    size_t piece_count, piece_capacity;
    /* Pieces, an original instruction each; the end of the body is piece_count. */
    uint32_t *label;        /* where branches to it land */
    uint32_t *fall_through; /* where the instruction before it continues */
    uint32_t *place;        /* the instruction itself, NO_PIECE when removed */
    uint32_t *taken;        /* code on the edge of a jmpi, or NO_PIECE */
    bool *behind;           /* code "before" the instruction stands behind it */
    uint32_t prolog_code;   /* code for threads that ran the prolog, or NO_PIECE */
    uint32_t filled;        /* where the entry goes on once registers are filled */
    uint32_t size;          /* bytes */
    uint32_t body;          /* bytes from the start of the heap to the instrumented body */
};

/* `insertions` are sorted by index and slot. */
enum sonde_status rewrite_layout_build(const struct sonde_instrument *instrument,
                                       struct rewrite_layout *layout, struct sonde_error *error);
void rewrite_layout_clear(struct rewrite_layout *layout);
uint32_t rewrite_layout_position(const struct rewrite_layout *layout, uint32_t piece);

/* encode.c: the bytes of the laid-out body into out[layout->size]. */
enum sonde_status rewrite_encode(const struct sonde_instrument *instrument,
                                 const struct rewrite_layout *layout, const struct coder_code *code,
                                 uint8_t *out, struct sonde_error *error);

#endif
