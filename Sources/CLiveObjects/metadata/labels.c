// labels.c - owns the table of labels; see labels.h.

#if defined(__linux__)

#include "metadata/labels.h"
#include "metadata/address_table.h"
#include "os/compiler.h"
#include "os/os.h"

#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

// Limits of address space; only what is used takes memory.
enum {
    LABELS_LIMIT = 1 << 20,
    TEXT_BYTES = 1 << 27,
    TEXT_LIMIT = 1024, // longer paths are not readable
};

struct stored_label {
    uint32_t text; // offset in `texts`
    uint8_t kind;
    uint8_t ownership;
    struct liveobj_declaration declaration;
};

/// A cache of the latest joins: values of one type are walked one after the other.
enum { JOINS = 4096 };
struct join {
    uint32_t outer;
    uint32_t inner;
    uint32_t label;
};

static struct {
    struct stored_label *labels;      // by id
    struct liveobj_address_table ids; // by hash
    char *texts;
    struct join *joins;
    uint32_t end; // 0: not started
    uint32_t text_end;
} table;

static bool start_labels(void) {
    if (table.end)
        return true;
    table.labels = liveobj_os_map(LABELS_LIMIT * sizeof *table.labels);
    table.texts = liveobj_os_map(TEXT_BYTES);
    table.joins = liveobj_os_map(JOINS * sizeof *table.joins);
    bool started = table.labels && table.texts && table.joins;
    table.end = started;
    return started;
}

// MARK: - Making

/// Two labels with the same hash would be one. Among a million labels the probability is 3 in 10^8.
static uintptr_t hash_of(uint64_t seed, const char *text, size_t length) {
    const uint64_t prime = UINT64_C(0x100000001b3); // of FNV-1a
    uint64_t hash = (UINT64_C(0xcbf29ce484222325) ^ seed) * prime;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * prime;
    return hash ? hash : 1;
}

static uint32_t make_label(enum liveobj_label_kind kind, enum liveobj_ownership ownership,
                           struct liveobj_declaration declaration, const char *text,
                           size_t length) {
    if (!start_labels())
        return 0;
    length = length < TEXT_LIMIT ? length : TEXT_LIMIT;
    uint64_t seed = (uint64_t)declaration.type << 16 ^ kind << 8 ^ ownership;
    uintptr_t hash = hash_of(seed, text, length);
    uint32_t id = liveobj_address_find(&table.ids, hash);
    if (id || table.end == LABELS_LIMIT || length + 1 > TEXT_BYTES - table.text_end)
        return id;
    id = liveobj_address_number(&table.ids, hash);
    if (!id)
        return 0;
    table.labels[id] =
        (struct stored_label){table.text_end, (uint8_t)kind, (uint8_t)ownership, declaration};
    memcpy(table.texts + table.text_end, text, length); // the NUL is there: the memory was zeroed
    table.text_end += (uint32_t)length + 1;
    table.end = id + 1;
    return id;
}

uint32_t liveobj_label_make(enum liveobj_label_kind kind, enum liveobj_ownership ownership,
                            const char *text) {
    return make_label(kind, ownership, (struct liveobj_declaration){0}, text, strlen(text));
}

uint32_t liveobj_label_make_property(const struct liveobj_declaration *declaration,
                                     const char *name) {
    enum liveobj_label_kind kind =
        declaration->protocol ? LIVEOBJ_LABEL_PROPERTY : LIVEOBJ_LABEL_OBJECT_PROPERTY;
    return make_label(kind, LIVEOBJ_OWNERSHIP_STRONG, *declaration, name, strlen(name));
}

uint32_t liveobj_label_with(uint32_t id, enum liveobj_ownership ownership) {
    struct liveobj_label label = liveobj_label_get(id);
    return label.ownership == ownership ? id
                                        : make_label(label.kind, ownership, label.declaration,
                                                     label.text, strlen(label.text));
}

// MARK: - Joining

static uint32_t join_labels(uint32_t outer_id, uint32_t inner_id) {
    struct liveobj_label outer = liveobj_label_get(outer_id), inner = liveobj_label_get(inner_id);
    char text[2 * TEXT_LIMIT + 2];
    size_t length = strlen(outer.text), inner_length = strlen(inner.text);
    memcpy(text, outer.text, length);
    // A tab, because a captured type's name contains dots; nothing before an index.
    bool follows_type = outer.kind == LIVEOBJ_LABEL_CAPTURE && !strchr(outer.text, '\t');
    if (length && inner_length && (follows_type || inner.text[0] != '['))
        text[length++] = follows_type ? '\t' : '.';
    memcpy(text + length, inner.text, inner_length);
    bool is_object =
        outer.kind == LIVEOBJ_LABEL_PROPERTY && inner.kind == LIVEOBJ_LABEL_OBJECT_PROPERTY;
    return make_label(is_object ? inner.kind : outer.kind, inner.ownership,
                      inner_length ? inner.declaration : outer.declaration, text,
                      length + inner_length);
}

uint32_t liveobj_label_join(uint32_t outer, uint32_t inner) {
    if (!outer || !inner)
        return 0;
    struct join *known = &table.joins[(outer * 31 + inner) % JOINS];
    if (known->outer != outer || known->inner != inner)
        *known = (struct join){outer, inner, join_labels(outer, inner)};
    return known->label;
}

// MARK: - Reading

struct liveobj_label liveobj_label_get(uint32_t id) {
    if (id == 0 || id >= table.end)
        return (struct liveobj_label){
            LIVEOBJ_LABEL_MEMORY, LIVEOBJ_OWNERSHIP_CONSERVATIVE, "", {0}};
    const struct stored_label *label = &table.labels[id];
    return (struct liveobj_label){label->kind, label->ownership, table.texts + label->text,
                                  label->declaration};
}

uint32_t liveobj_labels_end(void) {
    return table.end ? table.end : 1;
}

LIVEOBJ_ANY_MEMORY_END

#endif
