// Which programs are left alone by their names. (Real processes: Tests/PreloadTests.)

#include "program/program.h"
#include "support/expect.h"

#include <stddef.h>

static void toolchain_programs_are_recognised(void) {
    static const char *const names[] = {"swift",           "swiftc", "swift-frontend", "swift-test",
                                        "sourcekit-lsp",   "docc",   "lldb-server",    "clang-21",
                                        "llvm-symbolizer", "plutil"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        EXPECT(liveobj_activation_is_toolchain_name(names[i]));
}

static void other_programs_are_not(void) {
    static const char *const names[] = {
        "swiftlint", "swiftformat", "swiftly", "MyPackageTests.xctest", "doccy", ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        EXPECT(!liveobj_activation_is_toolchain_name(names[i]));
}

int main(void) {
    toolchain_programs_are_recognised();
    other_programs_are_not();
    return EXPECT_STATUS();
}
