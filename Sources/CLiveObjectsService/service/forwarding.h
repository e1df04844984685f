// forwarding.h - what the preload library publishes for a program that is linked with LiveObjects.

#pragma once

#include "CLiveObjectsService.h"

#pragma GCC visibility push(hidden)

/// The functions of the thread, for another copy of this library in the same process.
struct liveobj_service_table {
    struct liveobj_service_start (*start)(const struct liveobj_service_settings *settings);
    int (*stop)(void);
};
extern const struct liveobj_service_table liveobj_own_service_table;

/// Begins with the recorder's table, whose version is the version of all (recorder/forwarding.c).
struct liveobj_table;
struct liveobj_preloaded {
    const struct liveobj_table *recorder;
    const struct liveobj_service_table *service;
};

#pragma GCC visibility pop
