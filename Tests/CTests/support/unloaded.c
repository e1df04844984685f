// A library with one function, `call`, which calls the function that it is given. It is built
// twice, the second time with a larger frame: the same return addresses, and another unwind rule.
// The third one registers with the Swift runtime, as images of Swift code do.

#ifdef IS_SWIFT
__attribute__((weak)) void swift_addNewDSOImage(const void *sections);

__attribute__((constructor)) static void add_image(void) {
    if (swift_addNewDSOImage)
        swift_addNewDSOImage((const void *)add_image);
}
#endif

#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)

__asm__(".set .Lbytes, " TEXT(FRAME_BYTES) "\n");

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl call\n"
        ".type call, @function\n"
        "call:\n"
        "  .cfi_startproc\n"
        "  subq $.Lbytes, %rsp\n"
        "  .cfi_def_cfa_offset .Lbytes + 8\n"
        "  call *%rdi\n"
        "  addq $.Lbytes, %rsp\n"
        "  .cfi_def_cfa_offset 8\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size call, . - call\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl call\n"
        ".type call, %function\n"
        "call:\n"
        "  .cfi_startproc\n"
        "  sub sp, sp, #.Lbytes + 8\n"
        "  .cfi_def_cfa_offset .Lbytes + 8\n"
        "  stp x29, x30, [sp]\n"
        "  .cfi_offset x29, -.Lbytes - 8\n"
        "  .cfi_offset x30, -.Lbytes\n"
        "  blr x0\n"
        "  ldp x29, x30, [sp]\n"
        "  add sp, sp, #.Lbytes + 8\n"
        "  .cfi_def_cfa_offset 0\n"
        "  .cfi_restore x29\n"
        "  .cfi_restore x30\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size call, . - call\n");
#endif
