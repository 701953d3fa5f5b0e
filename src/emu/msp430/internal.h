/* What the files of the MSP430 simulator share. */
#ifndef SONDE_EMU_MSP430_INTERNAL_H
#define SONDE_EMU_MSP430_INTERNAL_H

#include "sonde/msp430_sim.h"

enum {
    MSP430_PAGE_BITS = 8,
    MSP430_PAGE_COUNT = 1 << (20 - MSP430_PAGE_BITS),
    MSP430_MEMORY_SIZE = 1 << 20,
    MSP430_ZERO_REGISTER = 16, /* reads as 0: base of absolute operands */
    MSP430_MAX_PERIPHERALS = 16,
    MSP430_MAX_VECTORS = 64,
};

#define MSP430_NEVER UINT64_MAX

/* Page attributes. */
enum {
    MSP430_PAGE_READ = 1,    /* plain memory */
    MSP430_PAGE_WRITE = 2,   /* plain memory that holds no decoded instruction */
    MSP430_PAGE_EXECUTE = 4, /* instructions may be here */
    MSP430_PAGE_RAM = 8,     /* writable (WRITE may be off while it holds instructions) */
};

enum {
    MSP430_SR_C = 1 << 0,
    MSP430_SR_Z = 1 << 1,
    MSP430_SR_N = 1 << 2,
    MSP430_SR_GIE = 1 << 3,
    MSP430_SR_CPUOFF = 1 << 4,
    MSP430_SR_OSCOFF = 1 << 5,
    MSP430_SR_SCG0 = 1 << 6,
    MSP430_SR_SCG1 = 1 << 7,
    MSP430_SR_V = 1 << 8,
};

/* An instruction as the interpreter runs it. */
struct msp430_op {
    uint8_t handler; /* 0 = not decoded yet */
    uint8_t cycles;
    uint8_t size;
    uint8_t src, dst; /* registers, MSP430_ZERO_REGISTER for absolute operands */
    uint8_t under;    /* handler beneath a hook */
    uint8_t spare[2];
    int32_t src_value, dst_value;
};

enum msp430_clock { MSP430_CLOCK_NONE, MSP430_CLOCK_ACLK, MSP430_CLOCK_SMCLK };

struct msp430_peripheral;
struct msp430_peripheral_ops {
    size_t state_size;
    void (*reset)(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral);
    /* Whether an address is a register of it. */
    bool (*owns)(const struct msp430_peripheral *peripheral, uint32_t address);
    /* Accesses at the current cycle; bytes in the low 8 bits. */
    uint16_t (*read)(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                     uint32_t address, bool byte);
    void (*write)(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                  uint32_t address, uint16_t value, bool byte);
    /* Bring the state up to the current cycle. NULL = nothing passes with time. */
    void (*advance)(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral);
    /* First cycle behind the current one at which an interrupt or a reset may
     * arise by itself, MSP430_NEVER when none will. NULL = never. */
    uint64_t (*next)(struct sonde_msp430_sim *sim, const struct msp430_peripheral *peripheral);
    /* The interrupts that are flagged and enabled now, as bits by vector index. */
    uint64_t (*requests)(struct sonde_msp430_sim *sim, const struct msp430_peripheral *peripheral);
    /* An interrupt was accepted: clear flags that clear themselves. */
    void (*accept)(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                   unsigned vector);
};

/* One row of a device: a peripheral with its registers and vectors. */
struct msp430_unit {
    const struct msp430_peripheral_ops *ops;
    unsigned number; /* port or UART number */
    uint32_t base;
    uint32_t extra; /* second register block: interrupt vector register, flag registers */
    uint8_t vector, vector2;
    uint8_t channels; /* capture/compare registers of a timer */
    bool is_timer_b;
};

struct msp430_peripheral {
    const struct msp430_unit *unit;
    void *state;
    uint64_t updated; /* cycle of the last advance */
};

struct msp430_region {
    uint32_t first, last;
    uint8_t attributes;
};

struct msp430_device {
    const char *name;
    enum sonde_msp430_core core;
    uint32_t vectors; /* address of the first interrupt vector */
    uint8_t vector_count;
    uint8_t nonmaskable; /* how many below the reset vector GIE does not hold off */
    struct msp430_region regions[6];
    struct msp430_unit units[MSP430_MAX_PERIPHERALS];
};

struct msp430_symbol {
    char *name;
    uint32_t address, size;
    bool is_function;
};

/* What a call or an interrupt pushed at a word of memory. */
struct msp430_call {
    uint32_t return_address; /* 0 = nothing, or it returned */
    uint32_t target;         /* with MSP430_CALL_INTERRUPT */
};
#define MSP430_CALL_INTERRUPT 0x80000000u

struct msp430_scheduled {
    uint64_t cycle;
    unsigned vector; /* index */
};

struct sonde_msp430_sim {
    uint32_t r[17];
    uint64_t cycle, instructions, idle_cycles, interrupts;
    uint64_t deadline; /* the interpreter comes to the boundary at this cycle */
    const struct msp430_device *device;
    struct sonde_msp430_options options;
    bool hold_interrupts; /* GIE was just set: one more instruction first */
    bool sleeping;
    bool reset_requested; /* by the watchdog */
    bool has_fault, halted, stop_requested;
    bool has_stop_address;
    uint32_t stop_address;
    unsigned stopped_clocks; /* SR's clock bits while asleep */
    uint32_t stack_limit;    /* lowest address that the main stack may use, 0 = unknown;
                                a stack that lies below it as a whole is a task's */
    uint64_t forced;         /* interrupts requested from outside, by vector index */
    struct sonde_msp430_result result;
    uint8_t sfr_enable[2], sfr_flags[2]; /* IE1/IE2, IFG1/IFG2 or SFRIE1, SFRIFG1 */
    struct msp430_peripheral peripherals[MSP430_MAX_PERIPHERALS];
    size_t peripheral_count;
    struct msp430_symbol *symbols;
    size_t symbol_count;
    uint8_t *memory;
    uint8_t pages[MSP430_PAGE_COUNT + 1];
    struct msp430_op *ops;
    struct msp430_call *calls;          /* by address / 2 */
    struct msp430_scheduled *scheduled; /* by cycle; the first `scheduled_done` are past */
    size_t scheduled_count, scheduled_done;
    uint8_t *hooks; /* kinds by address / 2, NULL = none anywhere */
    bool loop_taken;
    uint32_t loop_sp;
    bool is_marked, markers_from_note;
    struct sonde_msp430_markers note_markers;
};

/* --- device.c ------------------------------------------------------------ */
const struct msp430_device *msp430_device_find(const char *name);

/* --- memory.c: accesses that are not to plain memory --------------------- */
uint32_t msp430_load(struct sonde_msp430_sim *sim, uint32_t address, bool byte);
void msp430_store(struct sonde_msp430_sim *sim, uint32_t address, uint32_t value, bool byte);
void msp430_fault(struct sonde_msp430_sim *sim, enum sonde_msp430_stop reason, uint32_t data);
void msp430_forget_instructions(struct sonde_msp430_sim *sim, uint32_t address);

/* --- symbols.c ------------------------------------------------------------ */
void msp430_symbols_clear(struct sonde_msp430_sim *sim);
/* False when out of memory. The name is copied. */
bool msp430_symbols_add(struct sonde_msp430_sim *sim, const char *name, uint32_t address,
                        uint32_t size, bool is_function);

/* --- note.c ---------------------------------------------------------------- */
/* Read the note of a marked ELF. SONDE_ERROR_UNSUPPORTED: its markers are
 * instructions on this core. */
enum sonde_status msp430_note_read(struct sonde_msp430_sim *sim, const uint8_t *data, size_t size,
                                   struct sonde_error *error);

/* --- calls.c --------------------------------------------------------------- */
static inline void msp430_note_call(struct sonde_msp430_sim *sim, uint32_t sp,
                                    uint32_t return_address, uint32_t target)
{
    sim->calls[sp >> 1] = (struct msp430_call){.return_address = return_address, .target = target};
}
static inline void msp430_note_return(struct sonde_msp430_sim *sim, uint32_t sp)
{
    sim->calls[sp >> 1].return_address = 0;
}

/* --- schedule.c ------------------------------------------------------------ */
uint64_t msp430_next_scheduled(const struct sonde_msp430_sim *sim);
/* Request what is due. */
void msp430_take_scheduled(struct sonde_msp430_sim *sim);

/* --- hook.c ---------------------------------------------------------------- */
/* Report what stands at PC. */
void msp430_hook_reached(struct sonde_msp430_sim *sim);

/* --- predecode.c ---------------------------------------------------------- */
/* Fill the op of the instruction at `pc`; false (and a fault) when there can
 * be none. */
bool msp430_predecode(struct sonde_msp430_sim *sim, uint32_t pc);
/* Read and decode the instruction at `pc`. */
/* Whether it puts a new value into SP. */
bool msp430_sets_stack(const struct sonde_msp430_instruction *instruction);
bool msp430_fetch(struct sonde_msp430_sim *sim, uint32_t pc,
                  struct sonde_msp430_instruction *instruction);

/* --- general.c: any instruction, the slow way ----------------------------- */
void msp430_execute_general(struct sonde_msp430_sim *sim);
bool msp430_jump_taken(enum sonde_msp430_opcode opcode, uint32_t sr);

/* --- interpreter.c --------------------------------------------------------- */
/* Run until the boundary function says stop. */
void msp430_interpret(struct sonde_msp430_sim *sim, const struct sonde_msp430_limits *limits,
                      uint64_t last_instruction);

/* --- boundary.c: between two instructions ---------------------------------- */
/* False when the run ends here (sim->result is set). */
bool msp430_boundary(struct sonde_msp430_sim *sim, const struct sonde_msp430_limits *limits,
                     uint64_t last_instruction);
void msp430_event(struct sonde_msp430_sim *sim, enum sonde_msp430_event_kind kind, uint32_t address,
                  uint32_t vector);
void msp430_push_word(struct sonde_msp430_sim *sim, uint32_t value);

/* Cycles since the peripheral's last advance in which its clock ran, and the
 * clock's period in MCLK cycles. */
uint64_t msp430_elapsed(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                        enum msp430_clock clock);
bool msp430_clock_runs(const struct sonde_msp430_sim *sim, enum msp430_clock clock);
static inline unsigned msp430_clock_period(const struct sonde_msp430_sim *sim,
                                           enum msp430_clock clock)
{
    return clock == MSP430_CLOCK_ACLK ? sim->options.aclk_divider : 1;
}
struct msp430_peripheral *msp430_find_unit(struct sonde_msp430_sim *sim,
                                           const struct msp430_peripheral_ops *ops,
                                           unsigned number);

/* --- peripherals ------------------------------------------------------------ */
extern const struct msp430_peripheral_ops msp430_special_ops;
extern const struct msp430_peripheral_ops msp430_timer_ops;
extern const struct msp430_peripheral_ops msp430_watchdog_ops;
extern const struct msp430_peripheral_ops msp430_multiplier_ops;
extern const struct msp430_peripheral_ops msp430_port_ops;
extern const struct msp430_peripheral_ops msp430_uart_ops;
extern const struct msp430_peripheral_ops msp430_power_ops;
void msp430_port_set_input(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                           uint8_t levels);
bool msp430_uart_queue(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                       uint8_t byte);
/* The program ended: send what is on its way. */
void msp430_uart_finish(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral);
void msp430_uart_clear(struct msp430_peripheral *peripheral);

#endif
