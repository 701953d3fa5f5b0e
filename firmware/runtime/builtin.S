; Entries of the functions that take two 64-bit values in registers: the first
; in R8 to R11, the second in R12 to R15 (SLAA534). A C function has the first
; in R12 to R15 and the second on the stack.
        .macro entry name
        .section .text.__mspabi_\name,"ax",@progbits
        .global __mspabi_\name
        .type __mspabi_\name,@function
__mspabi_\name:
        push    r15
        push    r14
        push    r13
        push    r12
        mov     r8, r12
        mov     r9, r13
        mov     r10, r14
        mov     r11, r15
        call    #runtime_\name
        add     #8, r1
        ret
        .size __mspabi_\name, .-__mspabi_\name
        .endm

        entry addd
        entry subd
        entry mpyd
        entry divd
        entry cmpd
        entry mpyll
        entry divull
        entry remull
        entry divlli
        entry remlli
