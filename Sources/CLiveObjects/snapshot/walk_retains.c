// walk_retains.c - writes the retains and releases of the objects of watched types, by call site.
//
// An object is allocated with a strong count of one, without a retain. It is written as one retain
// by the call that allocated the object.

#if defined(__linux__)

#include "os/compiler.h"
#include "records/retain_ledger.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

struct retain_writer {
    struct liveobj_walk *walk;
    struct liveobj_section section;
};

static void put_site(void *context, uint32_t stack, uint32_t retains, uint32_t releases) {
    enum { SITE_BYTES = 16 };
    struct retain_writer *writer = context;
    liveobj_section_reserve(&writer->section, SITE_BYTES);
    liveobj_put_u32(&writer->section, liveobj_walk_ordinal(writer->walk));
    liveobj_put_u32(&writer->section, liveobj_captured_stack(writer->walk->capture, stack));
    liveobj_put_u32(&writer->section, retains);
    liveobj_put_u32(&writer->section, releases);
}

static void put_sites(struct retain_writer *writer) {
    struct liveobj_walk *walk = writer->walk;
    while (liveobj_walk_next(walk)) {
        uint32_t index = walk->records[walk->number];
        if (liveobj_ledger_has(index)) {
            put_site(writer, walk->object.stack, 1, 0);
            liveobj_ledger_visit(index, put_site, writer);
        }
    }
}

void liveobj_walk_write_retains(struct liveobj_walk *walk) {
    struct retain_writer writer = {.walk = walk};
    if (!walk->capture->status.retains)
        return;
    if (liveobj_section_start(&writer.section, &walk->stream, "LEDG"))
        put_sites(&writer);
    liveobj_section_finish(&writer.section);
}

LIVEOBJ_ANY_MEMORY_END

#endif
