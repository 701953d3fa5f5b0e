/* Timer interrupts: the CPU sleeps between the ticks of Timer_A. */
#include "program.h"

static volatile uint16_t ticks, sum;

static NOINLINE void work(uint16_t n)
{
    sum = (uint16_t)(sum * 3 + n);
}

#ifdef __MSP430__
__attribute__((used)) static void tick(void)
{
    ticks++;
    work(ticks);
}

/* CCR0 of Timer0_A: the vector at 0xffe0 + 2 * 9. On return the CPU stays
 * awake: CPUOFF is cleared in the SR on the stack. */
__asm__(".text\n"
        ".type on_tick,@function\n"
        "on_tick:\n\tpush r11\n\tpush r12\n\tpush r13\n\tpush r14\n\tpush r15\n"
        "\tcall #tick\n"
        "\tpop r15\n\tpop r14\n\tpop r13\n\tpop r12\n\tpop r11\n"
        "\tbic #0x10, 0(r1)\n\treti\n"
        ".size on_tick, .-on_tick\n"
        ".section __interrupt_vector_9,\"ax\",@progbits\n\t.short on_tick\n\t.text\n");

static void wait_for_ticks(uint16_t count)
{
    REGISTER16(0x0172) = 499;    /* TA0CCR0: 500 cycles */
    REGISTER16(0x0162) = 0x0010; /* TA0CCTL0: CCIE */
    REGISTER16(0x0160) = 0x0214; /* TA0CTL: SMCLK, up, clear */
    while (ticks < count)
        __asm__ volatile("bis #0x18, r2\n\tnop"); /* GIE and CPUOFF */
    __asm__ volatile("bic #8, r2\n\tnop");
    REGISTER16(0x0160) = 0;
}
#else
static void wait_for_ticks(uint16_t count)
{
    while (ticks < count)
        work(++ticks);
}
#endif

uint16_t run(void)
{
    wait_for_ticks(10);
    return sum;
}
