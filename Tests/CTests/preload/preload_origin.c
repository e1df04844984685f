// Which process is the first of a run, and what its child processes learn about it.

#include "options.h"
#include "program/program.h"
#include "support/expect.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void give_options(const char *options) {
    if (options)
        setenv(LIVEOBJ_OPTIONS_VARIABLE, options, 1);
    else
        unsetenv(LIVEOBJ_OPTIONS_VARIABLE);
}

static bool starts_with(const char *string, const char *prefix) {
    return strncmp(string, prefix, strlen(prefix)) == 0;
}

static bool has_standard_error(void) {
    struct stat file;
    return fstat(STDERR_FILENO, &file) == 0 && liveobj_origin_has_standard_error(&file);
}

/// The origin that a child process of this one reads.
struct child {
    bool is_first, has_begun, has_standard_error, is_started_by_test;
};

static struct child start_child(bool has_other_errors) {
    int status;
    pid_t process = fork();
    if (process == 0) {
        if (has_other_errors)
            dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        liveobj_origin_start();
        _exit(liveobj_origin_is_first() | liveobj_origin_has_begun() << 1 |
              has_standard_error() << 2 | liveobj_origin_is_started_by_test() << 3);
    }
    waitpid(process, &status, 0);
    status = WEXITSTATUS(status);
    return (struct child){status & 1, status & 2, status & 4, status & 8};
}

/// The path of the library, which is the test itself here.
static const char *own_path(void) {
    static char path[PATH_MAX];
    return realpath("/proc/self/exe", path);
}

TEST(a_process_without_an_origin_is_the_first) {
    give_options(NULL);
    liveobj_origin_start();
    EXPECT(liveobj_origin_is_first() && !liveobj_origin_has_begun() && has_standard_error());
    EXPECT_STRING(liveobj_origin_options(), "");
}

TEST(the_first_process_stays_first_after_exec) {
    give_options("depth=5");
    liveobj_origin_start();
    liveobj_origin_start();
    EXPECT(liveobj_origin_is_first());
    EXPECT(starts_with(liveobj_origin_options(), "depth=5:first="));
}

TEST(a_child_process_is_not_the_first) {
    give_options("depth=5");
    liveobj_origin_start();
    struct child child = start_child(false);
    EXPECT(!child.is_first && !child.has_begun && child.has_standard_error);
    EXPECT(!start_child(true).has_standard_error);
}

TEST(a_watched_process_is_recorded_as_watched) {
    give_options("");
    liveobj_origin_start();
    liveobj_origin_begin(false);
    EXPECT(liveobj_origin_is_first());
    struct child child = start_child(false);
    EXPECT(!child.is_first && child.has_begun && child.has_standard_error);
    EXPECT(!child.is_started_by_test);
}

TEST(children_of_a_test_process_are_recognised) {
    give_options("");
    liveobj_origin_start();
    EXPECT(!start_child(false).is_started_by_test);
    liveobj_origin_begin(true);
    EXPECT(start_child(false).is_started_by_test);
    liveobj_origin_start(); // as if it had executed itself again
    EXPECT(!liveobj_origin_is_started_by_test());
    pid_t process = fork();
    if (process == 0) { // a helper program that is tracked, and that starts a test binary
        liveobj_origin_start();
        liveobj_origin_begin(false);
        _exit(start_child(false).is_started_by_test);
    }
    int status;
    waitpid(process, &status, 0);
    EXPECT(WEXITSTATUS(status) == 1);
}

TEST(a_reused_process_id_is_another_process) {
    char options[64];
    snprintf(options, sizeof options, "first=%d.1.2.3", getpid());
    give_options(options);
    liveobj_origin_start();
    EXPECT(!liveobj_origin_is_first());
}

TEST(other_options_start_a_new_run) {
    static const char *const options[] = {"first=1.2.3.4:depth=5", "first=1.2.3", "first=1.2.3.4x",
                                          "first=", "depth=5"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        give_options(options[i]);
        liveobj_origin_start();
        EXPECT(liveobj_origin_is_first());
        EXPECT(starts_with(liveobj_origin_options(), options[i]));
    }
}

/// The arguments are before the list, and the auxiliary vector is behind it.
TEST(nothing_is_added_to_the_environment) {
    give_options(NULL);
    char **before = environ;
    size_t count = 0;
    while (environ[count])
        count++;
    liveobj_origin_start();
    liveobj_origin_begin(false);
    EXPECT(environ == before && !environ[count]);
}

TEST(without_options_the_library_path_is_another_name_of_the_same_file) {
    char preloads[2 * PATH_MAX];
    give_options(NULL);
    snprintf(preloads, sizeof preloads, "libm.so.6:%s:libdl.so.2", own_path());
    setenv("LD_PRELOAD", preloads, 1);
    liveobj_origin_start();
    struct child child = start_child(false);
    EXPECT(!child.is_first && !child.has_begun && child.has_standard_error);
    EXPECT(!start_child(true).has_standard_error);
    liveobj_origin_begin(false);
    EXPECT(start_child(false).has_begun && start_child(false).has_standard_error);
    const char *found = getenv("LD_PRELOAD");
    EXPECT(starts_with(found, "libm.so.6:/") && strcmp(found, preloads) != 0);
    char path[PATH_MAX], real[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int)(strrchr(found, ':') - found - 10), found + 10);
    EXPECT(realpath(path, real) != NULL);
    EXPECT_STRING(real, own_path());
    unsetenv("LD_PRELOAD");
}

TEST(a_path_without_a_folder_is_kept) {
    char preloads[PATH_MAX];
    give_options(NULL);
    snprintf(preloads, sizeof preloads, "%s", strrchr(own_path(), '/') + 1);
    setenv("LD_PRELOAD", preloads, 1);
    liveobj_origin_start();
    EXPECT_STRING(getenv("LD_PRELOAD"), preloads);
    unsetenv("LD_PRELOAD");
}
