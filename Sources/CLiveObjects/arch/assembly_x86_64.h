// assembly_x86_64.h - functions in assembly on x86_64. Included by assembly.h
// only.

#pragma once

#define LIVEOBJ_STACK_CALL_ASSEMBLY                                                                \
    ".pushsection .text\n"                                                                         \
    ".hidden liveobj_stack_call\n"                                                                 \
    ".globl liveobj_stack_call\n"                                                                  \
    ".type liveobj_stack_call, @function\n"                                                        \
    "liveobj_stack_call:\n" /* top, function, context, target */                                   \
    ".cfi_startproc\n"                                                                             \
    "pushq %rbp\n"                                                                                 \
    ".cfi_def_cfa_offset 16\n"                                                                     \
    ".cfi_offset %rbp, -16\n"                                                                      \
    "movq %rsp, %rbp\n"                                                                            \
    ".cfi_def_cfa_register %rbp\n"                                                                 \
    "pushq %rbx\n"                                                                                 \
    "pushq %r12\n"                                                                                 \
    "pushq %r13\n"                                                                                 \
    "pushq %r14\n"                                                                                 \
    "pushq %r15\n"                                                                                 \
    ".cfi_offset %rbx, -24\n"                                                                      \
    ".cfi_offset %r12, -32\n"                                                                      \
    ".cfi_offset %r13, -40\n"                                                                      \
    ".cfi_offset %r14, -48\n"                                                                      \
    ".cfi_offset %r15, -56\n"                                                                      \
    "movq %rbp, (%rcx)\n"                                                                          \
    "testq %rdi, %rdi\n"                                                                           \
    "cmovnzq %rdi, %rsp\n"                                                                         \
    "andq $-16, %rsp\n"                                                                            \
    "movq %rdx, %rdi\n"                                                                            \
    "callq *%rsi\n"                                                                                \
    "movl $1, %eax\n"                                                                              \
    "1: leaq -40(%rbp), %rsp\n"                                                                    \
    "popq %r15\n"                                                                                  \
    "popq %r14\n"                                                                                  \
    "popq %r13\n"                                                                                  \
    "popq %r12\n"                                                                                  \
    "popq %rbx\n"                                                                                  \
    "popq %rbp\n"                                                                                  \
    ".cfi_def_cfa %rsp, 8\n"                                                                       \
    "retq\n"                                                                                       \
    ".cfi_endproc\n"                                                                               \
    ".size liveobj_stack_call, . - liveobj_stack_call\n"                                           \
    ".hidden liveobj_stack_leave\n"                                                                \
    ".globl liveobj_stack_leave\n"                                                                 \
    ".type liveobj_stack_leave, @function\n"                                                       \
    "liveobj_stack_leave:\n" /* target */                                                          \
    "movq %rdi, %rbp\n"                                                                            \
    "xorl %eax, %eax\n"                                                                            \
    "jmp 1b\n"                                                                                     \
    ".size liveobj_stack_leave, . - liveobj_stack_leave\n"                                         \
    ".popsection\n"

#define LIVEOBJ_SYSCALL_ASSEMBLY                                                                   \
    ".pushsection .text\n"                                                                         \
    ".globl prctl\n"                                                                               \
    ".type prctl, @function\n"                                                                     \
    "prctl:\n"                                                                                     \
    ".cfi_startproc\n"                                                                             \
    "endbr64\n"                                                                                    \
    "movq %r8, %r9\n"                                                                              \
    "movq %rcx, %r8\n"                                                                             \
    "movq %rdx, %rcx\n"                                                                            \
    "movq %rsi, %rdx\n"                                                                            \
    "movl %edi, %esi\n"                                                                            \
    "movl $.Lprctl, %edi\n"                                                                        \
    "jmp 1f\n"                                                                                     \
    ".cfi_endproc\n"                                                                               \
    ".size prctl, . - prctl\n"                                                                     \
    ".globl syscall\n"                                                                             \
    ".type syscall, @function\n"                                                                   \
    "syscall:\n"                                                                                   \
    ".cfi_startproc\n"                                                                             \
    "endbr64\n"                                                                                    \
    "1: cmpq $.Lprctl, %rdi\n"                                                                     \
    "jne 2f\n"                                                                                     \
    "cmpl $.Lset_seccomp, %esi\n"                                                                  \
    "je liveobj_sandbox_call\n"                                                                    \
    "2: cmpq $.Lseccomp, %rdi\n"                                                                   \
    "je liveobj_sandbox_call\n"                                                                    \
    "movq %rdi, %rax\n"                                                                            \
    "movq %rsi, %rdi\n"                                                                            \
    "movq %rdx, %rsi\n"                                                                            \
    "movq %rcx, %rdx\n"                                                                            \
    "movq %r8, %r10\n"                                                                             \
    "movq %r9, %r8\n"                                                                              \
    "movq 8(%rsp), %r9\n"                                                                          \
    "syscall\n"                                                                                    \
    "cmpq $-4095, %rax\n"                                                                          \
    "jae 3f\n"                                                                                     \
    "retq\n"                                                                                       \
    "3: movq %rax, %rdi\n"                                                                         \
    "jmp liveobj_sandbox_fail\n"                                                                   \
    ".cfi_endproc\n"                                                                               \
    ".size syscall, . - syscall\n"                                                                 \
    ".popsection\n"

/// SA_RESTORER: the kernel needs the address to which a handler returns.
#define LIVEOBJ_SIGNAL_RETURN_FLAG 0x04000000ul
void liveobj_guard_return(void);
#define LIVEOBJ_SIGNAL_RETURN_ASSEMBLY                                                             \
    ".pushsection .text\n"                                                                         \
    ".hidden liveobj_guard_return\n"                                                               \
    ".globl liveobj_guard_return\n"                                                                \
    ".type liveobj_guard_return, @function\n"                                                      \
    "nop\n" /* unwinders read the instruction before */                                            \
    "liveobj_guard_return:\n"                                                                      \
    "movq $15, %rax\n" /* rt_sigreturn */                                                          \
    "syscall\n"                                                                                    \
    ".size liveobj_guard_return, . - liveobj_guard_return\n"                                       \
    ".popsection\n"
