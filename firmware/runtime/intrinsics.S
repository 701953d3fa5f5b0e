; What the device headers declare and GCC has built in: status register and
; interrupts, as functions.
        .macro function name
        .section .text.\name,"ax",@progbits
        .global \name
        .type \name,@function
\name:
        .endm
        .macro end name
        ret
        .size \name, .-\name
        .endm

        function __bis_status_register
        bis     r12, r2
        nop
        end __bis_status_register

        function __bic_status_register
        bic     r12, r2
        nop
        end __bic_status_register

        function __get_interrupt_state
        mov     r2, r12
        end __get_interrupt_state

        function __set_interrupt_state
        mov     r12, r2
        nop
        end __set_interrupt_state

        function __eint
        eint
        nop
        end __eint

        function __dint
        dint
        nop
        end __dint

        function __nop
        nop
        end __nop
