// Mangled type names, in memory that ends with them, and labels of them.

#include "metadata/mangling.h"
#include "metadata/labels.h"

#include <stdlib.h>
#include <string.h>

void test_input(const uint8_t *bytes, size_t count);

void test_input(const uint8_t *bytes, size_t count) {
    // A name ends with the first zero that is no part of a reference: nine bytes of zeros end any.
    enum { LONGEST_REFERENCE = 9 };
    char *text = calloc(count + LONGEST_REFERENCE, 1);
    memcpy(text, bytes, count);
    struct liveobj_mangled mangled = liveobj_mangled_read(text);
    if (mangled.length > count + LONGEST_REFERENCE || mangled.plain_length > mangled.length)
        abort();
    liveobj_mangled_is(&mangled, "Si");
    liveobj_mangled_is_accessor(&mangled);
    text[count] = 0;
    uint32_t label = liveobj_label_make(LIVEOBJ_LABEL_CAPTURE, LIVEOBJ_OWNERSHIP_STRONG, text);
    label = liveobj_label_join(label, liveobj_label_with(label, LIVEOBJ_OWNERSHIP_WEAK));
    if (strlen(liveobj_label_get(label).text) > 1024)
        abort();
    free(text);
}
