// labels.h - labels of references: the property, element or capture that contains the reference.
//
// A label is made once for each place in a type and identified by its id. Ids count from 1 and
// never change; the table only grows. Owns its memory, from the system. Used outside of hooks, with
// the lock of the layouts held or in a step of the snapshot process.

#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The kind of place that contains the reference, as the capture format numbers it.
enum liveobj_label_kind {
    LIVEOBJ_LABEL_PROPERTY = 1, // text: the property's path, `outer.inner.ref`
    LIVEOBJ_LABEL_ELEMENT = 2,  // of an array; text: the path inside the element, often empty
    LIVEOBJ_LABEL_KEY = 3,      // of a dictionary
    LIVEOBJ_LABEL_VALUE = 4,    // of a dictionary
    LIVEOBJ_LABEL_MEMBER = 5,   // of a set
    LIVEOBJ_LABEL_CAPTURE =
        6, // of a closure; text: the captured type's name, a tab and the path in it
    LIVEOBJ_LABEL_CONTENT = 7, // the contents of a box, an error or an indirect enum case
    LIVEOBJ_LABEL_MEMORY = 8,  // words of unknown type: tails, raw buffers
    LIVEOBJ_LABEL_TASK_CLOSURE = 9,
    LIVEOBJ_LABEL_TASK_FRAME = 10, // a variable of a suspended asynchronous function
    LIVEOBJ_LABEL_TASK_RESULT = 11,
    LIVEOBJ_LABEL_TASK_LOCAL = 12,
    LIVEOBJ_LABEL_WAITING_TASK = 13, // the task that continues when this one has ended
    LIVEOBJ_LABEL_TASK_CHILD = 14,
    LIVEOBJ_LABEL_OBJECT_PROPERTY = 15, // a property that is an object, or an optional one
    LIVEOBJ_LABEL_HANDLER = 16,         // of a root: the name of what will call the program
    LIVEOBJ_LABEL_RUNTIME_FRAME = 17,   // like a task frame, of a function of the runtime
};

/// Whether and how a reference keeps its target alive.
enum liveobj_ownership {
    LIVEOBJ_OWNERSHIP_STRONG = 1,
    LIVEOBJ_OWNERSHIP_WEAK = 2,
    LIVEOBJ_OWNERSHIP_UNOWNED = 3,
    LIVEOBJ_OWNERSHIP_UNMANAGED = 4,
    /// A pointer candidate: a word that may be a reference.
    LIVEOBJ_OWNERSHIP_CONSERVATIVE = 5,
};

/// The declaration of a stored property that holds one object: what says whether it can be weak.
struct liveobj_declaration {
    uintptr_t type;     // the descriptor of the type that declares it; 0 for other places
    uintptr_t protocol; // the descriptor of its protocol, if that is not limited to classes; else 0
    bool is_constant;   // by `let`
};

struct liveobj_label {
    enum liveobj_label_kind kind;
    enum liveobj_ownership ownership;
    const char *text; // NUL-terminated
    struct liveobj_declaration declaration;
};

/// Finds or makes a label. \returns Its id, the same for equal labels; 0 if there is no memory.
uint32_t liveobj_label_make(enum liveobj_label_kind kind, enum liveobj_ownership ownership,
                            const char *text);
/// The label of a stored property that holds one object.
uint32_t liveobj_label_make_property(const struct liveobj_declaration *declaration,
                                     const char *name);
/// A label of strong references, without text.
static inline uint32_t liveobj_label_strong(enum liveobj_label_kind kind) {
    return liveobj_label_make(kind, LIVEOBJ_OWNERSHIP_STRONG, "");
}
/// The label with another ownership.
uint32_t liveobj_label_with(uint32_t id, enum liveobj_ownership ownership);
/// The label of a place inside of a value whose own place has the label `outer`. It has `outer`'s
/// kind, both paths joined by a dot, and `inner`'s ownership. Either path may be empty. An object
/// in a property's value is an object property. The last property's declaration counts.
uint32_t liveobj_label_join(uint32_t outer, uint32_t inner);
/// \param id In [1, liveobj_labels_end()).
struct liveobj_label liveobj_label_get(uint32_t id);
uint32_t liveobj_labels_end(void);

#pragma GCC visibility pop
