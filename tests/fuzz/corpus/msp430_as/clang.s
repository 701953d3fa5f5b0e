	.text
	.file	"t.c"
	.globl	sw                              ; -- Begin function sw
	.p2align	1
	.type	sw,@function
sw:                                     ; @sw
; %bb.0:
	mov	r12, r13
	cmp	#6, r13
	jhs	.LBB0_3
; %bb.1:
	mov	#3, r12
	add	r13, r13
	br	.LJTI0_0(r13)
.LBB0_2:
	mov	#1, r12
	add	&g, r12
	bis	#1, r12
	ret
.LBB0_3:
	clr	r12
.LBB0_4:
	ret
.LBB0_5:
	mov	#7, r12
	ret
.LBB0_6:
	mov	#9, r12
	mov	#4, &g
	ret
.LBB0_7:
	mov	#22, r12
	ret
.LBB0_8:
	mov	#11, r12
	ret
.Lfunc_end0:
	.size	sw, .Lfunc_end0-sw
	.section	.rodata,"a",@progbits
	.p2align	1
.LJTI0_0:
	.short	.LBB0_4
	.short	.LBB0_2
	.short	.LBB0_5
	.short	.LBB0_6
	.short	.LBB0_7
	.short	.LBB0_8
                                        ; -- End function
	.text
	.globl	loop                            ; -- Begin function loop
	.p2align	1
	.type	loop,@function
loop:                                   ; @loop
; %bb.0:
	push	r10
	push	r9
	push	r8
	push	r7
	mov	r12, r9
	clr	r10
	cmp	#1, r9
	jl	.LBB1_3
; %bb.1:
	mov	#arr, r8
	mov	r9, r7
.LBB1_2:                                ; =>This Inner Loop Header: Depth=1
	mov	@r8+, r12
	mov	r9, r13
	call	#__mspabi_mpyi
	add	r12, r10
	add	#-1, r7
	tst	r7
	jne	.LBB1_2
.LBB1_3:
	mov	r10, r12
	pop	r7
	pop	r8
	pop	r9
	pop	r10
	ret
.Lfunc_end1:
	.size	loop, .Lfunc_end1-loop
                                        ; -- End function
	.globl	nr                              ; -- Begin function nr
	.p2align	1
	.type	nr,@function
nr:                                     ; @nr
; %bb.0:
	call	#die
.Lfunc_end2:
	.size	nr, .Lfunc_end2-nr
                                        ; -- End function
	.globl	nk                              ; -- Begin function nk
	.p2align	1
	.type	nk,@function
nk:                                     ; @nk
; %bb.0:
	;APP
	ret

	;NO_APP
.Lfunc_end3:
	.size	nk, .Lfunc_end3-nk
                                        ; -- End function
	.section	__interrupt_vector_8,"ax",@progbits
	.short	isr
	.text
	.globl	isr                             ; -- Begin function isr
	.p2align	1
	.type	isr,@function
isr:                                    ; @isr
; %bb.0:
	inc	&g
	reti
.Lfunc_end4:
	.size	isr, .Lfunc_end4-isr
                                        ; -- End function
	.globl	as                              ; -- Begin function as
	.p2align	1
	.type	as,@function
as:                                     ; @as
; %bb.0:
	mov	r12, r13
	;APP
	mov	#5, r12
	cmp	#5, r12	; jne 1f
.Ltmp0:
	nop

	;NO_APP
	mov	r13, r12
	ret
.Lfunc_end5:
	.size	as, .Lfunc_end5-as
                                        ; -- End function
	.globl	ret                             ; -- Begin function ret
	.p2align	1
	.type	ret,@function
ret:                                    ; @ret
; %bb.0:
	push	r10
	mov	r12, r10
	mov	#120, r14
	call	#memcpy
	mov	r10, r12
	pop	r10
	ret
.Lfunc_end6:
	.size	ret, .Lfunc_end6-ret
                                        ; -- End function
	.type	g,@object                       ; @g
	.section	.bss,"aw",@nobits
	.globl	g
	.p2align	1
g:
	.short	0                               ; 0x0
	.size	g, 2

	.type	arr,@object                     ; @arr
	.globl	arr
	.p2align	1
arr:
	.zero	20
	.size	arr, 20

	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym isr
