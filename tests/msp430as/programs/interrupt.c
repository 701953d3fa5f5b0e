/* Interrupt handlers, inline assembly and a naked function. */
volatile int ticks;
extern void notify(int);

__attribute__((interrupt(8))) void timer(void)
{
    ticks++;
}

__attribute__((interrupt(9))) void receive(void)
{
    notify(ticks);
}

int swap(int x)
{
    __asm__ volatile("swpb %0\n\tbit #1, %0\n\tjz 1f\n\tinv %0\n1:\tnop" : "+r"(x));
    return x;
}

int early(int x)
{
    if (x == 3)
        __asm__ volatile("mov #5, r12\n\tret");
    return x;
}

__attribute__((naked)) void raw(void)
{
    __asm__ volatile("inc &ticks\n\tret");
}
