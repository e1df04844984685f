// Outputs of reports: files that are truncated once and then shared, and writes that never hang or
// kill the process.

#include "options.h"
#include "output/descriptor.h"
#include "output/output.h"
#include "program/program.h"
#include "safety/safety.h"
#include "support/expect.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/liveobjects-output-XXXXXX";
static char path[128];

static const char *in_folder(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void start(const char *output) {
    static struct liveobj_options options;
    liveobj_options_reset(&options);
    strcpy(options.output, output);
    liveobj_output_start(&options);
}

static int write_report(const char *text) {
    int output = liveobj_output_open();
    int error = output < 0 ? errno : liveobj_descriptor_write(output, text, strlen(text));
    if (output >= 0)
        liveobj_output_close(output, error);
    return error;
}

static const char *contents(const char *name) {
    static char text[256];
    int file = open(in_folder(name), O_RDONLY);
    ssize_t count = file < 0 ? 0 : read(file, text, sizeof text - 1);
    close(file);
    text[count > 0 ? count : 0] = '\0';
    return text;
}

TEST(a_new_file_is_readable_only_by_its_user) {
    struct stat status;
    mode_t mask = umask(0);
    start(in_folder("private"));
    umask(mask);
    EXPECT(stat(in_folder("private"), &status) == 0 && (status.st_mode & 07777) == 0600);
}

TEST(a_relative_path_is_resolved_at_the_start) {
    EXPECT(chdir(folder) == 0);
    start("relative");
    EXPECT(chdir("/") == 0);
    write_report("x");
    EXPECT_STRING(contents("relative"), "x");
}

/// A limit on the size of files is like a full disk.
TEST(a_file_has_whole_reports_only) {
    struct rlimit limit, former;
    getrlimit(RLIMIT_FSIZE, &former);
    limit = (struct rlimit){8, former.rlim_max};
    start(in_folder("full"));
    write_report("one ");
    struct liveobj_signals saved = liveobj_signals_block(); // SIGXFSZ
    setrlimit(RLIMIT_FSIZE, &limit);
    int error = write_report("a long one");
    setrlimit(RLIMIT_FSIZE, &former);
    liveobj_signals_restore(&saved);
    EXPECT(error == EFBIG);
    EXPECT_STRING(contents("full"), "one ");
}

TEST(a_pipe_without_a_reader_is_only_an_error) {
    mkfifo(in_folder("pipe"), 0600);
    start(in_folder("pipe"));
    EXPECT(write_report("x") == ENXIO);
}

TEST(a_slow_reader_receives_all_output) {
    static char text[1 << 18];
    memset(text, 'x', sizeof text);
    int ends[2];
    EXPECT(pipe2(ends, O_NONBLOCK) == 0);
    pid_t writer = fork();
    if (writer == 0)
        exit(liveobj_descriptor_write(ends[1], text, sizeof text));
    close(ends[1]);
    size_t total = 0;
    for (ssize_t count; (count = read(ends[0], text, 1000)) != 0;)
        total += count > 0 ? (size_t)count : 0;
    EXPECT(total == sizeof text);
    close(ends[0]);
}

/// \returns how many seconds it took to write in vain.
static int seconds_for_writes_to(int pipe) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < 3; i++)
        EXPECT(liveobj_descriptor_write(pipe, "x", 1) == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return EXPECT_STATUS() ? INT_MAX : (int)(end.tv_sec - start.tv_sec);
}

/// In a process of its own, which waits for no other later.
TEST(a_blocked_reader_is_waited_for_once) {
    int ends[2], status;
    EXPECT(pipe2(ends, O_NONBLOCK) == 0);
    while (write(ends[1], "x", 1) == 1)
        continue;
    pid_t writer = fork();
    if (writer == 0)
        exit(seconds_for_writes_to(ends[1]) < 8 ? 0 : 1);
    EXPECT(waitpid(writer, &status, 0) == writer && status == 0);
    close(ends[0]);
    close(ends[1]);
}

TEST(standard_error_is_used_only_if_it_is_unchanged) {
    int original = dup(STDERR_FILENO);
    liveobj_message_start();
    EXPECT(liveobj_message_descriptor() == STDERR_FILENO);
    close(STDERR_FILENO);
    EXPECT(liveobj_message_descriptor() == -1);
    int data = open(in_folder("data"), O_RDWR | O_CREAT, 0600);
    int taken = liveobj_message_descriptor();
    liveobj_message("must not be here", NULL);
    dup2(original, STDERR_FILENO);
    EXPECT(data == STDERR_FILENO && taken == -1);
    EXPECT_STRING(contents("data"), "");
    EXPECT(liveobj_message_descriptor() == STDERR_FILENO);
    close(original);
}

TEST(own_descriptors_are_above_the_low_ones) {
    int file = liveobj_descriptor_make_nameless("test");
    EXPECT(file > 99 && (fcntl(file, F_GETFD) & FD_CLOEXEC));
    close(file);
}

int main(void) {
    EXPECT(mkdtemp(folder) != NULL);
    liveobj_origin_start();
    run_tests();
    if (EXPECT_STATUS() == 0 && fork() == 0)
        execlp("rm", "rm", "-r", folder, NULL);
    return EXPECT_STATUS();
}
