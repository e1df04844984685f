// atomic.h - relaxed atomic access, for words that order no other memory.

#ifndef LIVEOBJ_ATOMIC_H
#define LIVEOBJ_ATOMIC_H

#define LIVEOBJ_LOAD_RELAXED(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define LIVEOBJ_STORE_RELAXED(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELAXED)

/// Adds one to a counter that only the calling thread writes, so no read-modify-write is needed.
#define LIVEOBJ_INCREMENT_OWNED(counter) LIVEOBJ_STORE_RELAXED(counter, (counter) + 1)

#endif
