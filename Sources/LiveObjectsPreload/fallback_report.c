// fallback_report.c - owns the memory in which it sorts the types.
//
// What C can say by itself where no `liveobjects` tool can be run: how much of each type is live.
// Findings need the analysis; so that nobody takes their absence for "no leaks", the report calls
// itself incomplete and says why.

#define _GNU_SOURCE
#include "os/os.h"
#include "preload.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct type {
    const char *name;
    size_t name_length;
    uint64_t live;
    uint64_t bytes;
};

#define MAX_TYPES ((size_t)1 << 17)
#define NAMES_BYTES ((size_t)1 << 25)

/// One mapping, of which only what is used takes memory.
struct types {
    size_t count;
    size_t names_used;
    uint64_t left_out; ///< types that did not fit
    struct type list[MAX_TYPES];
    char names[NAMES_BYTES];
};

/// What the whole report is made from.
struct subject {
    struct types *types;
    struct liveobj_status status;
    const char *why;
};

// MARK: - Types

/// The length of the "(unknown context at $5602cd7729b8)." at the start of the text; 0 if there is
/// none. The runtime writes it for a private type's file, and it differs from run to run.
static size_t context_length(const char *text, size_t length) {
    static const char start[] = "(unknown context at ";
    if (length < sizeof start - 1 || memcmp(text, start, sizeof start - 1) != 0)
        return 0;
    const char *end = memmem(text, length, ").", 2);
    return end ? (size_t)(end - text) + 2 : 0;
}

/// Copies a name without such contexts. \returns what is behind the copy.
static char *copy_name(char *copy, const char *name, size_t length) {
    for (size_t i = 0; i < length;) {
        size_t skipped = context_length(name + i, length - i);
        if (skipped)
            i += skipped;
        else
            *copy++ = name[i++];
    }
    return copy;
}

static void add_type(void *context, const char *name, size_t name_length, uint64_t live,
                     uint64_t bytes) {
    struct types *types = context;
    if (types->count == MAX_TYPES || name_length > NAMES_BYTES - types->names_used) {
        types->left_out++;
        return;
    }
    char *copy = types->names + types->names_used;
    size_t length = (size_t)(copy_name(copy, name, name_length) - copy);
    types->names_used += length;
    types->list[types->count++] = (struct type){copy, length, live, bytes};
}

static bool comes_before(const struct type *a, const struct type *b) {
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes;
    size_t common = a->name_length < b->name_length ? a->name_length : b->name_length;
    int order = memcmp(a->name, b->name, common);
    return order ? order < 0 : a->name_length < b->name_length;
}

/// Shell sort: qsort may call malloc, whose lock the interrupted code may hold.
static void sort(struct types *types) {
    for (size_t gap = types->count / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < types->count; i++) {
            struct type moved = types->list[i];
            size_t at = i;
            for (; at >= gap && comes_before(&moved, &types->list[at - gap]); at -= gap)
                types->list[at] = types->list[at - gap];
            types->list[at] = moved;
        }
}

static struct types *collect(void) {
    struct types *types = mmap(NULL, sizeof *types, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (types == MAP_FAILED)
        return NULL;
    liveobj_visit_types(0, add_type, types);
    sort(types);
    return types;
}

// MARK: - Text

static void append_heading(struct liveobj_text *text, const struct subject *subject) {
    const char *program = liveobj_activation_program();
    liveobj_text_append(text, "LiveObjects: ");
    liveobj_text_append(text, subject->status.state == LIVEOBJ_STATE_TRACKING
                                  ? "what is live at exit of "
                                  : "nothing was watched in ");
    liveobj_text_append_plain(text, program, strlen(program));
    liveobj_text_append(text, " (process ");
    liveobj_text_append_number(text, (uint64_t)getpid(), 0);
    liveobj_text_append(text, ")\n  ");
    liveobj_text_append_plain(text, subject->why, strlen(subject->why));
    liveobj_text_append(text, "\n");
}

static void append_table(struct liveobj_text *text, const struct types *types) {
    liveobj_text_append(text, "        live           bytes  type\n");
    for (size_t i = 0; i < types->count; i++) {
        const struct type *type = &types->list[i];
        liveobj_text_append_number(text, type->live, 12);
        liveobj_text_append_number(text, type->bytes, 16);
        liveobj_text_append(text, "  ");
        liveobj_text_append_plain(text, type->name, type->name_length);
        liveobj_text_append(text, "\n");
    }
}

static void append_losses(struct liveobj_text *text, const struct subject *subject) {
    uint64_t dropped = subject->status.dropped_records;
    if (dropped) {
        liveobj_text_append(text, "  not recorded for want of room: ");
        liveobj_text_append_number(text, dropped, 0);
        liveobj_text_append(text, liveobj_os_was_short_of_memory() ? " objects (memory limit)\n"
                                                                   : " objects (maxobjects)\n");
    }
    if (subject->types->left_out) {
        liveobj_text_append(text, "  not listed for want of room: ");
        liveobj_text_append_number(text, subject->types->left_out, 0);
        liveobj_text_append(text, " types\n");
    }
}

static void append_text(struct liveobj_text *text, const struct subject *subject) {
    append_heading(text, subject);
    if (subject->status.state != LIVEOBJ_STATE_TRACKING)
        return;
    append_table(text, subject->types);
    append_losses(text, subject);
}

// MARK: - JSON

static void append_json_type(struct liveobj_text *text, const struct type *type) {
    liveobj_text_append(text, "{\"type\":");
    liveobj_text_append_json(text, type->name, type->name_length);
    liveobj_text_append(text, ",\"live\":");
    liveobj_text_append_number(text, type->live, 0);
    liveobj_text_append(text, ",\"growth\":");
    liveobj_text_append_number(text, type->live, 0); // tracking began with the process
    liveobj_text_append(text, ",\"bytes\":");
    liveobj_text_append_number(text, type->bytes, 0);
    liveobj_text_append(text, "}");
}

static void append_json(struct liveobj_text *text, const struct subject *subject) {
    liveobj_text_append(text, "{\"schemaVersion\":1,\"tracking\":{\"complete\":false,\"notes\":[");
    liveobj_text_append_json(text, subject->why, strlen(subject->why));
    liveobj_text_append(text, "],\"droppedRecords\":");
    liveobj_text_append_number(text, subject->status.dropped_records, 0);
    liveobj_text_append(text, "},\"tests\":[],\"findings\":[],\"types\":[");
    for (size_t i = 0; i < subject->types->count; i++) {
        liveobj_text_append(text, i ? ",\n" : "\n");
        append_json_type(text, &subject->types->list[i]);
    }
    liveobj_text_append(text, "]}\n");
}

// MARK: - Report

int liveobj_fallback_report_write(const struct liveobj_options *options, const char *why,
                                  int descriptor) {
    struct subject subject = {collect(), liveobj_status(), why};
    struct liveobj_destination destination = {descriptor, 0};
    static struct liveobj_text text;
    if (!subject.types)
        return 0;
    liveobj_text_start(&text, liveobj_destination_write, &destination);
    if (options->format == LIVEOBJ_FORMAT_JSON)
        append_json(&text, &subject);
    else
        append_text(&text, &subject);
    liveobj_text_flush(&text);
    munmap(subject.types, sizeof *subject.types);
    return destination.error;
}
