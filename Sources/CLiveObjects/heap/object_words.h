// object_words.h - the words of an object that may be references, found without its layout.

#pragma once

#include "metadata/types.h"
#include "records/records.h"
#include "runtime/memory_reader.h"

#pragma GCC visibility push(hidden)

/// Keys or values of a hash table.
struct liveobj_buckets {
    uintptr_t first;
    uintptr_t end;
    size_t stride; // 0 for none
};

struct liveobj_words {
    uintptr_t next;
    uintptr_t end;
    uintptr_t seed; // of a hash table: a word that is no reference; 0 for none
    struct liveobj_buckets keys;
    struct liveobj_buckets values;
    uintptr_t bitmap;      // of the table's buckets that are taken
    uintptr_t bitmap_word; // the place of the one that was read last
    uint64_t bits;         // what it was
};

/// Leaves out what keeps nothing alive: the header, text, the room behind an array's elements.
/// \param type The object's type, from `liveobj_type_of`.
struct liveobj_words liveobj_words_of(const struct liveobj_object *object,
                                      const struct liveobj_type *type,
                                      struct liveobj_reader *reader);

/// The same, with the memory behind what was requested if the object has elements behind its
/// properties: a ManagedBuffer uses all that the allocator returned. For a search that may follow
/// more words than are references: the next object's may be among them.
struct liveobj_words liveobj_words_with_slack(const struct liveobj_object *object,
                                              const struct liveobj_type *type,
                                              struct liveobj_reader *reader);

/// Whether a place behind what was requested is in such memory. That of an array has elements.
bool liveobj_words_are_slack(const struct liveobj_object *object, const struct liveobj_type *type,
                             uintptr_t place);

/// \param word receives the next one. Leaves out what a hash table left in free buckets.
/// \returns false behind the last one, and where memory is not there any more.
bool liveobj_words_next(struct liveobj_words *words, struct liveobj_reader *reader,
                        uintptr_t *word);

#pragma GCC visibility pop
