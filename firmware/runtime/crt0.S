; Start-up: stack, watchdog off, data and bss, main, result, end.
        .text
        .global _start
        .type _start,@function
_start:
        mov     #__stack, r1
        mov     #0x5a80, &0x0120
        mov     #__data_start, r12
        mov     #__data_load, r13
        mov     #__data_end, r14
.Lcopy:
        cmp     r14, r12
        jeq     .Lclear
        mov.b   @r13, 0(r12)
        inc     r13
        inc     r12
        jmp     .Lcopy
.Lclear:
        mov     #__bss_start, r12
        mov     #__bss_end, r14
.Lzero:
        cmp     r14, r12
        jeq     .Lrun
        mov.b   #0, 0(r12)
        inc     r12
        jmp     .Lzero
.Lrun:
        call    #main
        mov     r12, &exit_status
        dint
        nop
        .global _exit
        .type _exit,@function
_exit:
        jmp     _exit
        .size _start, .-_start

        .section .bss,"aw",@nobits
        .global exit_status
        .type exit_status,@object
        .p2align 1
exit_status:
        .skip 2
        .size exit_status, 2
