// service.c - starts and stops the recorder's thread for programs that run on, by the options.
//
// The thread exists only if an option asks for it: a program may count its threads.

#include "CLiveObjectsService.h"
#include "options.h"
#include "output/output.h"
#include "report/report.h"

#include <string.h>

static char base[LIVEOBJ_FILE_PREFIX_BYTES];
static const char no_thread[] = "the recorder's thread does not run (snapshots, every, budget): ";

static struct liveobj_service_settings settings_of(const struct liveobj_options *options) {
    return (struct liveobj_service_settings){
        .answers = options->snapshots == LIVEOBJ_SNAPSHOTS_ON,
        .collects = options->budget > 0,
        .references = options->graph == LIVEOBJ_ON,
        .every = options->every,
        .keep = options->keep,
        .trigger_factor = options->trigger.factor,
        .trigger_intervals = options->trigger.intervals,
        .base = base,
    };
}

void liveobj_service_start_with(const struct liveobj_options *options) {
    if (!options->every && (options->trigger.factor || options->trigger.intervals))
        liveobj_message("'trigger' has no effect without 'every', the interval of the counts",
                        NULL);
    if (options->snapshots != LIVEOBJ_SNAPSHOTS_ON && !options->every && !options->budget)
        return;
    liveobj_output_file_prefix(base);
    struct liveobj_service_settings settings = settings_of(options);
    struct liveobj_service_start start = liveobj_service_start(&settings);
    if (start.failure && start.error)
        liveobj_message(no_thread, start.failure, " (", base, ".timeline): ", strerror(start.error),
                        NULL);
    else if (start.failure)
        liveobj_message(no_thread, start.failure, NULL);
    else if (options->every && options->verbosity >= 1)
        liveobj_message("live objects are counted in ", base, ".timeline", NULL);
}

void liveobj_service_end(void) {
    int error = liveobj_service_stop();
    if (error)
        liveobj_message("the timeline ", base, ".timeline ends early: ", strerror(error), NULL);
}
