// object_words.h - the words of an object that may be references, found without its layout.

#ifndef LIVEOBJ_OBJECT_WORDS_H
#define LIVEOBJ_OBJECT_WORDS_H

#include "../internal.h"

#pragma GCC visibility push(hidden)

struct liveobj_words {
    uintptr_t start;
    uintptr_t end;
    uintptr_t seed; // a word among them that is none; 0 for none
};

/// Leaves out what keeps nothing alive: the header, text, the room behind an array's elements.
struct liveobj_words liveobj_words_of(const struct liveobj_object *object,
                                      struct liveobj_reader *reader);

#pragma GCC visibility pop

#endif
