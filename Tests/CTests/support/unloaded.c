// A library with one function, `call`, which calls the function that it is given. It is built
// twice, the second time with a larger frame: the same return addresses, and another unwind rule.

#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)

__asm__(".text\n"
        ".globl call\n"
        ".type call, @function\n"
        "call:\n"
        "  .cfi_startproc\n"
        "  subq $" TEXT(FRAME_BYTES) ", %rsp\n"
                                     "  .cfi_def_cfa_offset " TEXT(
                                         FRAME_BYTES) " + 8\n"
                                                      "  call *%rdi\n"
                                                      "  addq $" TEXT(
                                                          FRAME_BYTES) ", %rsp\n"
                                                                       "  .cfi_def_cfa_offset 8\n"
                                                                       "  ret\n"
                                                                       "  .cfi_endproc\n"
                                                                       ".size call, . - call\n");
