// switch_stack.h - runs code on another stack, as coroutine libraries do. In one source of a test.

#pragma once

/// Continues on another stack, at the address in its first word. The second word is the return
/// address.
void liveobj_switch_to(void *stack_pointer);
/// Continues where `liveobj_switch_to` was called.
void liveobj_switch_back(void);

__asm__(".local saved_stack_pointer\n"
        ".comm saved_stack_pointer, 8, 8\n");
#if defined(__x86_64__)
__asm__("liveobj_switch_to:\n"
        "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rsp, saved_stack_pointer(%rip)\n"
        "  mov %rdi, %rsp\n"
        "  ret\n"
        "liveobj_switch_back:\n"
        "  mov saved_stack_pointer(%rip), %rsp\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
        "  ret\n");
#elif defined(__aarch64__)
__asm__("liveobj_switch_to:\n"
        "  stp x29, x30, [sp, #-96]!\n  stp x19, x20, [sp, #16]\n  stp x21, x22, [sp, #32]\n"
        "  stp x23, x24, [sp, #48]\n  stp x25, x26, [sp, #64]\n  stp x27, x28, [sp, #80]\n"
        "  adrp x1, saved_stack_pointer\n  mov x2, sp\n"
        "  str x2, [x1, :lo12:saved_stack_pointer]\n"
        "  ldp x3, x30, [x0]\n" // the return address is in a register, and the stack empty
        "  add sp, x0, #16\n"
        "  br x3\n"
        "liveobj_switch_back:\n"
        "  adrp x1, saved_stack_pointer\n  ldr x2, [x1, :lo12:saved_stack_pointer]\n"
        "  mov sp, x2\n"
        "  ldp x19, x20, [sp, #16]\n  ldp x21, x22, [sp, #32]\n  ldp x23, x24, [sp, #48]\n"
        "  ldp x25, x26, [sp, #64]\n  ldp x27, x28, [sp, #80]\n  ldp x29, x30, [sp], #96\n"
        "  ret\n");
#endif
