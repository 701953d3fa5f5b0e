; int setjmp(jmp_buf) and void longjmp(jmp_buf, int): R4 to R10, SP, PC.
        .text
        .global setjmp
        .type setjmp,@function
setjmp:
        pop     r13
        mov     r1, 0(r12)
        mov     r13, 2(r12)
        mov     r4, 4(r12)
        mov     r5, 6(r12)
        mov     r6, 8(r12)
        mov     r7, 10(r12)
        mov     r8, 12(r12)
        mov     r9, 14(r12)
        mov     r10, 16(r12)
        clr     r12
        br      r13
        .size setjmp, .-setjmp

        .global longjmp
        .type longjmp,@function
longjmp:
        mov     r12, r14
        mov     r13, r12
        mov     0(r14), r1
        mov     2(r14), r13
        mov     4(r14), r4
        mov     6(r14), r5
        mov     8(r14), r6
        mov     10(r14), r7
        mov     12(r14), r8
        mov     14(r14), r9
        mov     16(r14), r10
        tst     r12
        jne     .Lgo
        inc     r12
.Lgo:
        br      r13
        .size longjmp, .-longjmp

; void switch_stack(uint16_t **from, uint16_t *to): the scheduler's switch.
        .global switch_stack
        .type switch_stack,@function
switch_stack:
        push    r4
        push    r5
        push    r6
        push    r7
        push    r8
        push    r9
        push    r10
        mov     r1, 0(r12)
        mov     r13, r1
        pop     r10
        pop     r9
        pop     r8
        pop     r7
        pop     r6
        pop     r5
        pop     r4
        ret
        .size switch_stack, .-switch_stack
