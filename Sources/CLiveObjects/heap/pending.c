// pending.c - stands in for labels, layouts and references until they are there: every object is
// scanned. The real functions take the place of these, which are weak.

#if defined(__linux__)

#include "layout.h"
#include "references.h"

#define PENDING __attribute__((weak))

PENDING void liveobj_references_prepare(const struct liveobj_type *type) {
    (void)type;
}

PENDING bool liveobj_references_visit(const struct liveobj_object *object,
                                      const struct liveobj_type *type,
                                      liveobj_visit_reference_fn visit, void *context) {
    static const uintptr_t mask = UINT64_C(0x0ffffffffffffff8);
    (void)type;
    for (uintptr_t at = object->address; at + 8 <= object->address + object->bytes; at += 8)
        visit(context, &(struct liveobj_reference){*(const uintptr_t *)at & mask, 1,
                                                   LIVEOBJ_NO_ELEMENT, 0});
    return false;
}

PENDING void liveobj_layouts_close(void) {}

PENDING uint32_t liveobj_labels_end(void) {
    return 2;
}

PENDING struct liveobj_label liveobj_label_get(uint32_t id) {
    (void)id;
    return (struct liveobj_label){LIVEOBJ_LABEL_MEMORY, LIVEOBJ_OWNERSHIP_CONSERVATIVE, ""};
}

#endif
