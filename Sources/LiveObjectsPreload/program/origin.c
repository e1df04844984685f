// origin.c - owns what this process knows of the first process of its run, and passes it on.
//
// A program and all programs that it starts share options, an output file and, often, standard
// error. Only the first may empty the file or print messages about the options. None may write to a
// standard error that is not the first's file: a test may read it. Whether a process is the first
// cannot be found out later (its parent may have ended, or be unreadable). So it is passed on in
// the one variable that is ours: as the pair `first=PROCESS.START.DEVICE.FILE` at the end of
// LIVEOBJECTS_OPTIONS. A program that is started with other options begins a new run: then the pair
// is missing, or not at the end.
//
//   PROCESS, START  the first process, until a process of the run is tracked; then 0, and the test
//                   process that started this one, or 0
//   DEVICE, FILE    its standard error; 0 if it had none
//
// Programs that are not tracked (a shell) pass it on as well. Runs in the constructor. Without
// getenv, setenv and malloc, because some programs (bash) define functions with these names.

#define _GNU_SOURCE
#include "options.h"
#include "program/program.h"
#include "text.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char variable[] = LIVEOBJ_OPTIONS_VARIABLE "=";
static const char key[] = "first=";

enum { PROCESS, START, DEVICE, INODE, FIELDS };

static struct {
    bool is_first;
    uint64_t fields[FIELDS];
} origin;

// MARK: - Reading the pair

static char **find_entry(void) {
    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, variable, sizeof variable - 1) == 0)
            return entry;
    return NULL;
}

const char *liveobj_origin_options(void) {
    char **entry = find_entry();
    return entry ? *entry + sizeof variable - 1 : "";
}

/// \returns the position after the number.
static const char *read_number(const char *text, uint64_t *number) {
    for (*number = 0; *text >= '0' && *text <= '9'; text++)
        *number = *number * 10 + (uint64_t)(*text - '0');
    return text;
}

static bool read_fields(const char *text, uint64_t fields[FIELDS]) {
    for (int i = 0; i < FIELDS; i++) {
        text = read_number(text, &fields[i]);
        if (*text++ != (i + 1 < FIELDS ? '.' : '\0'))
            return false;
    }
    return true;
}

/// The pair at the end of the options, or the end of the options if there is no pair.
static const char *find_pair(const char *options, uint64_t fields[FIELDS]) {
    const char *colon = strrchr(options, ':');
    const char *last = colon ? colon + 1 : options;
    if (strncmp(last, key, sizeof key - 1) == 0 && read_fields(last + sizeof key - 1, fields))
        return last;
    return options + strlen(options);
}

// MARK: - Passing the pair on

/// The start time of this process in the kernel's ticks; 0 if unknown.
static uint64_t start_time(void) {
    enum { FIELD_BEHIND_NAME = 20 };
    char text[1024];
    uint64_t time = 0;
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[count > 0 ? count : 0] = '\0';
    const char *next = strrchr(text, ')'); // after the program's name
    for (int field = 0; next && field < FIELD_BEHIND_NAME; field++)
        next = strchr(next + 1, ' ');
    if (next)
        read_number(next + 1, &time);
    return time;
}

static char *append_pair(char *end) {
    char digits[LIVEOBJ_DIGITS];
    end = stpcpy(end, key);
    for (int i = 0; i < FIELDS; i++)
        end = stpcpy(stpcpy(end, i ? "." : ""), liveobj_text_digits(digits, origin.fields[i]));
    return end;
}

/// Puts the pair at the end of the options. The old entry, with which the program was started, is
/// not changed.
static void hand_down(void) {
    char **entry = find_entry();
    uint64_t fields[FIELDS];
    const char *options = liveobj_origin_options();
    size_t length = (size_t)(find_pair(options, fields) - options), count = 0;
    while (!entry && environ && environ[count])
        count++;
    size_t bytes = (count + 2) * sizeof(char *) + sizeof variable + length + sizeof key +
                   FIELDS * LIVEOBJ_DIGITS;
    char **list = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (list == MAP_FAILED)
        return;
    char *text = (char *)(list + count + 2), *end = stpcpy(text, variable);
    end = mempcpy(end, options, length);
    if (length && end[-1] != ':')
        *end++ = ':';
    append_pair(end);
    if (entry) {
        *entry = text;
        return;
    }
    for (size_t i = 0; i < count; i++)
        list[i] = environ[i];
    list[count] = text;
    environ = list;
}

// MARK: - The first process

static void become_first(uint64_t start) {
    struct stat errors;
    bool has_errors = fstat(STDERR_FILENO, &errors) == 0;
    origin.fields[PROCESS] = (uint64_t)getpid();
    origin.fields[START] = start;
    origin.fields[DEVICE] = has_errors ? errors.st_dev : 0;
    origin.fields[INODE] = has_errors ? errors.st_ino : 0;
}

void liveobj_origin_start(void) {
    const char *options = liveobj_origin_options();
    bool is_handed_down = *find_pair(options, origin.fields) != '\0';
    bool has_id = origin.fields[PROCESS] == (uint64_t)getpid();
    uint64_t start = !is_handed_down || has_id ? start_time() : 0;
    // The first process may have executed this program; or its id was used again.
    origin.is_first = !is_handed_down || (has_id && origin.fields[START] == start);
    if (!origin.is_first)
        return;
    become_first(start);
    hand_down();
}

void liveobj_origin_begin(bool runs_tests) {
    uint64_t test_process = liveobj_origin_has_begun() ? origin.fields[START] : 0;
    origin.fields[PROCESS] = 0;
    origin.fields[START] = runs_tests ? (uint64_t)getpid() : test_process;
    hand_down();
}

bool liveobj_origin_is_first(void) {
    return origin.is_first;
}

bool liveobj_origin_has_begun(void) {
    return origin.fields[PROCESS] == 0;
}

bool liveobj_origin_is_started_by_test(void) {
    // A test process that executes itself again has its id.
    return liveobj_origin_has_begun() && origin.fields[START] != 0 &&
           origin.fields[START] != (uint64_t)getpid();
}

bool liveobj_origin_has_standard_error(const struct stat *file) {
    return origin.fields[DEVICE] == file->st_dev && origin.fields[INODE] == file->st_ino;
}
