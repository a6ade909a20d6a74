/* See context.h. Only what the calling conventions make the callee preserve is saved. */

#if defined(__x86_64__)

    .text
    .globl context_switch
    .hidden context_switch
    .type context_switch, @function
context_switch:
    .cfi_startproc
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
    .size context_switch, . - context_switch

/* First code on a new stack: r12 holds the function, r13 its argument (see context_new). */
    .globl context_begin
    .hidden context_begin
    .type context_begin, @function
context_begin:
    .cfi_startproc
    .cfi_undefined rip
    xorl %ebp, %ebp
    movq %r13, %rdi
    call *%r12
    ud2
    .cfi_endproc
    .size context_begin, . - context_begin

#elif defined(__aarch64__)

    .text
    .globl context_switch
    .hidden context_switch
    .type context_switch, %function
context_switch:
    .cfi_startproc
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .cfi_endproc
    .size context_switch, . - context_switch

/* First code on a new stack: x19 holds the function, x20 its argument (see context_new). */
    .globl context_begin
    .hidden context_begin
    .type context_begin, %function
context_begin:
    .cfi_startproc
    .cfi_undefined x30
    mov x29, xzr
    mov x30, xzr
    mov x0, x20
    blr x19
    brk #1
    .cfi_endproc
    .size context_begin, . - context_begin

#endif

    .section .note.GNU-stack, "", %progbits
