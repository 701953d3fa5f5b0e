# 1 "forms.c"
	.type f, %function
	.global f
f: ; @f
; attributes: naked interrupt
	/* comment */ MOV.W #';', 2(R4) ; x
	.pushsection .rodata,"a"
	.ascii "a\"b\012;{", "c"
	.popsection
1:	jn 1b { jne g
	.rept 3
	nop
	.endr
	.macro m x
	ret
	.endm
	m 3
	.profile_enter
	.profile_exit
	.p2align 4
	.align 3
	.space 1200
	br .LJTI0_0(r12)
	br r12
	BRA #g
	mova @r1+, r0
	pop pc
	jmp $+4
	jeq 1b
	calla #g
	rpt #4 { rrax.a r5
	RETA
	.size f, .-f
	.type g, "function"
"g":
h = 3
	.profiler "scdP", f, 3
	mov #g+4, &h
	jmp f
	.word g, f-g, .+2
