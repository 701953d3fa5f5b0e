/* A cycle-exact simulator of MSP430 and MSP430X microcontrollers.
 *
 * Time is counted in cycles of MCLK; SMCLK has the same rate and ACLK one
 * cycle for every `aclk_divider` of it. Cycle counts are TI's (see msp430.h).
 * A marker word (see sonde_msp430_markers) is reported and costs no cycle and
 * no instruction; between it and the next instruction no interrupt is
 * accepted, so that marked and unmarked code run alike. */
#ifndef SONDE_MSP430_SIM_H
#define SONDE_MSP430_SIM_H

#include "sonde/msp430.h"

struct sonde_msp430_sim;

enum sonde_msp430_event_kind {
    SONDE_MSP430_EVENT_ENTER,            /* an enter marker was reached */
    SONDE_MSP430_EVENT_EXIT,             /* an exit marker was reached */
    SONDE_MSP430_EVENT_INTERRUPT_ENTER,  /* before the 6 cycles of acceptance */
    SONDE_MSP430_EVENT_INTERRUPT_RETURN, /* after RETI */
    SONDE_MSP430_EVENT_SLEEP,            /* CPUOFF was set */
    SONDE_MSP430_EVENT_WAKE,             /* an interrupt ends the sleep */
    SONDE_MSP430_EVENT_RESET,
    SONDE_MSP430_EVENT_STACK, /* MOV or MOVA wrote SP; on_stack only */
};

struct sonde_msp430_event {
    enum sonde_msp430_event_kind kind;
    uint64_t cycle;
    uint32_t address; /* the marker's own; else the program counter */
    uint32_t sp;
    uint32_t vector; /* address of the interrupt vector; INTERRUPT_ENTER and RESET only */
};

struct sonde_msp430_callbacks {
    void (*on_event)(void *context, const struct sonde_msp430_event *event);
    /* The stack pointer was set, not moved: a longjmp, a switch of tasks, a
     * frame of variable size. NULL = not asked for. */
    void (*on_stack)(void *context, const struct sonde_msp430_event *event);
    void (*on_uart)(void *context, unsigned unit, uint8_t byte);  /* transmitted completely */
    void (*on_port)(void *context, unsigned port, uint8_t value); /* PxOUT changed */
    void *context;
};

enum sonde_msp430_stop {
    SONDE_MSP430_STOP_CYCLES,       /* the cycle limit */
    SONDE_MSP430_STOP_INSTRUCTIONS, /* the instruction limit */
    SONDE_MSP430_STOP_ADDRESS,      /* the program counter is at the stop address */
    SONDE_MSP430_STOP_HALTED,       /* a jump to itself with interrupts off, or a sleep that nothing
                                       can end */
    SONDE_MSP430_STOP_UNDEFINED,    /* an undefined opcode that is no marker */
    SONDE_MSP430_STOP_UNALIGNED,    /* a word at an odd address */
    SONDE_MSP430_STOP_EXECUTION,    /* the program counter is in peripherals or where nothing is */
    SONDE_MSP430_STOP_STACK,        /* the stack grew into the program's data */
    SONDE_MSP430_STOP_REQUESTED,    /* sonde_msp430_sim_stop */
    SONDE_MSP430_STOP_COUNT
};

struct sonde_msp430_limits {
    uint64_t cycles;       /* stop at this cycle count or just behind, 0 = none */
    uint64_t instructions; /* stop after so many more, 0 = none */
    bool has_stop_address;
    uint32_t stop_address; /* stop before executing it */
};

struct sonde_msp430_result {
    enum sonde_msp430_stop reason;
    bool is_fault;
    uint32_t address; /* of the instruction concerned */
    uint32_t data;    /* faults: the address or opcode word concerned */
};

struct sonde_msp430_counts {
    uint64_t cycles;       /* all: active + idle */
    uint64_t idle_cycles;  /* CPUOFF */
    uint64_t instructions; /* accepted interrupts are none */
    uint64_t interrupts;
};

struct sonde_msp430_options {
    struct sonde_msp430_callbacks callbacks;
    bool markers_enabled;
    /* Both 0 = those that a marked ELF names, else the core's defaults. */
    struct sonde_msp430_markers markers;
    unsigned aclk_divider; /* MCLK cycles an ACLK cycle; 0 = 32 */
};

/* Names of devices by index, NULL behind the last. */
SONDE_API const char *sonde_msp430_device_name(size_t index);
/* A stopped device with erased memory. `options` may be NULL and is copied. */
SONDE_API enum sonde_status sonde_msp430_sim_create(const char *device,
                                                    const struct sonde_msp430_options *options,
                                                    struct sonde_msp430_sim **sim,
                                                    struct sonde_error *error);
SONDE_API void sonde_msp430_sim_destroy(struct sonde_msp430_sim *sim);

/* Put a program into memory: ELF for EM_MSP430 or Intel HEX, told apart by
 * content. The symbol `_end` or `end` of an ELF is the limit of the stack. */
SONDE_API enum sonde_status sonde_msp430_sim_load(struct sonde_msp430_sim *sim, const void *data,
                                                  size_t size, struct sonde_error *error);
/* Power-up: registers, peripherals, PC from the reset vector (4 cycles). */
SONDE_API void sonde_msp430_sim_reset(struct sonde_msp430_sim *sim);
SONDE_API struct sonde_msp430_result sonde_msp430_sim_run(struct sonde_msp430_sim *sim,
                                                          const struct sonde_msp430_limits *limits);

SONDE_API enum sonde_msp430_core sonde_msp430_sim_core(const struct sonde_msp430_sim *sim);
SONDE_API struct sonde_msp430_markers sonde_msp430_sim_markers(const struct sonde_msp430_sim *sim);
SONDE_API struct sonde_msp430_counts sonde_msp430_sim_counts(const struct sonde_msp430_sim *sim);
SONDE_API uint32_t sonde_msp430_sim_register(const struct sonde_msp430_sim *sim, unsigned reg);
SONDE_API void sonde_msp430_sim_set_register(struct sonde_msp430_sim *sim, unsigned reg,
                                             uint32_t value);
/* Memory without the effects of an access by the program; bytes of
 * peripherals read as 0 and are not written. */
SONDE_API void sonde_msp430_sim_read(const struct sonde_msp430_sim *sim, uint32_t address,
                                     void *data, size_t size);
SONDE_API void sonde_msp430_sim_write(struct sonde_msp430_sim *sim, uint32_t address,
                                      const void *data, size_t size);

/* Request the interrupt whose vector is at `vector` (an even address of the
 * device's table) once, as if its flag were set and enabled. */
SONDE_API enum sonde_status sonde_msp430_sim_interrupt(struct sonde_msp430_sim *sim,
                                                       uint32_t vector, struct sonde_error *error);
/* The same as soon as `cycle` is reached; it stays requested over a reset. */
SONDE_API enum sonde_status sonde_msp430_sim_schedule_interrupt(struct sonde_msp430_sim *sim,
                                                                uint64_t cycle, uint32_t vector,
                                                                struct sonde_error *error);
/* End the run behind the current instruction: for callbacks. */
SONDE_API void sonde_msp430_sim_stop(struct sonde_msp430_sim *sim);
/* Queue a byte to be received by a UART. */
SONDE_API enum sonde_status sonde_msp430_sim_uart_send(struct sonde_msp430_sim *sim, unsigned unit,
                                                       uint8_t byte, struct sonde_error *error);
/* Levels of a port's input pins. */
SONDE_API enum sonde_status sonde_msp430_sim_port_input(struct sonde_msp430_sim *sim, unsigned port,
                                                        uint8_t levels, struct sonde_error *error);
/* The value of a symbol of the loaded ELF. */
SONDE_API enum sonde_status sonde_msp430_sim_symbol(const struct sonde_msp430_sim *sim,
                                                    const char *name, uint32_t *address,
                                                    struct sonde_error *error);
/* The name of the function that an address is in, owned by the simulator, and
 * how far it is from its start; NULL when none is known. */
SONDE_API const char *sonde_msp430_sim_function_at(const struct sonde_msp430_sim *sim,
                                                   uint32_t address, uint32_t *offset);
/* The symbols of the loaded ELF by index, in no order; the name is the
 * simulator's. False behind the last. */
struct sonde_msp430_symbol {
    const char *name;
    uint32_t address, size; /* size 0 = unknown */
    bool is_function;
};
SONDE_API bool sonde_msp430_sim_symbol_at(const struct sonde_msp430_sim *sim, size_t index,
                                          struct sonde_msp430_symbol *symbol);

/* Recording by address, for programs without marker words. */
enum sonde_msp430_hook {
    SONDE_MSP430_HOOK_ENTER = 1, /* a function's first instruction */
    SONDE_MSP430_HOOK_EXIT = 2,  /* an instruction that leaves it; a conditional jump when taken */
    SONDE_MSP430_HOOK_LOOP = 4,  /* a jump, when taken, to its function's first instruction that
                                    enters nothing */
};
/* Report an event before each execution of the instruction at `address`, which
 * may have several kinds. SONDE_ERROR_RANGE: no even address of memory. */
SONDE_API enum sonde_status sonde_msp430_sim_add_hook(struct sonde_msp430_sim *sim,
                                                      uint32_t address, enum sonde_msp430_hook hook,
                                                      struct sonde_error *error);

/* A call that has not returned. */
struct sonde_msp430_frame {
    uint32_t sp;             /* where the return address is */
    uint32_t return_address; /* of an interrupt: what it interrupted */
    uint32_t target;         /* what was called: the function's or handler's first instruction */
    bool is_interrupt;
};
/* The calls that the stack at SP holds, innermost first, from what calls and
 * interrupts put there; up to `capacity`. Ends early where a stack of another
 * task or data begins: a frame whose callee is not the function that the
 * frame inside it returns to, when the symbols tell. */
SONDE_API size_t sonde_msp430_sim_call_stack(const struct sonde_msp430_sim *sim,
                                             struct sonde_msp430_frame *frames, size_t capacity);
/* Whether the loaded ELF says that it is marked, and with which words. */
SONDE_API bool sonde_msp430_sim_is_marked(const struct sonde_msp430_sim *sim,
                                          struct sonde_msp430_markers *markers);

SONDE_API const char *sonde_msp430_stop_name(enum sonde_msp430_stop reason);

#endif
