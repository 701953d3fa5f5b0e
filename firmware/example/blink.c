/* A timer wakes the CPU from sleep. Its interrupt moves a light, says so on
 * the UART and ends everything when the light has been at all eight places. */
#include <msp430.h>

static unsigned char light = 1;

static void send(const char *text)
{
    for (; *text != '\0'; text++) {
        while (!(IFG2 & UCA0TXIFG))
            ;
        UCA0TXBUF = (unsigned char)*text;
    }
}

static __attribute__((noinline)) unsigned char next(unsigned char place)
{
    return (unsigned char)(place & 0x80 ? 1 : place << 1);
}

/* The header's vector is an offset of bytes, the attribute's a number. */
__attribute__((interrupt(TIMER0_A0_VECTOR / 2))) void on_tick(void)
{
    light = next(light);
    P1OUT = light;
    send(light == 1 ? "round\n" : "step\n");
    if (light == 1)
        TA0CTL = 0;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    P1DIR = 0xff;
    P1OUT = light;
    UCA0BR0 = 104; /* 9600 bits a second from 1 MHz */
    UCA0CTL1 = UCSSEL_2;
    TA0CCR0 = 9999;
    TA0CCTL0 = CCIE;
    TA0CTL = TASSEL_2 | MC_1;
    __bis_SR_register(GIE | CPUOFF);
    return 0;
}
