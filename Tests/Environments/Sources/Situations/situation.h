#pragma once

#define _GNU_SOURCE
#include "Situations.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// Ends the process if the situation could not be made.
#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            perror(#condition);                                                                    \
            _exit(99);                                                                             \
        }                                                                                          \
    } while (0)
