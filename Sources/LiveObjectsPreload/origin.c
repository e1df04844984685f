// origin.c - owns what this process knows of the first one of its run, and hands it down.
//
// A program and all that it starts share options, an output file and, often, standard error. Only
// the first may empty the file or speak of the options, and none may write to a standard error that
// is another file than the first's: a test may read it. Whether a process is the first cannot be
// asked afterwards (its parent may be gone, or read-protected), so it is handed down, in the one
// variable that is ours: the pair `first=PROCESS.START.DEVICE.FILE` at the end of
// LIVEOBJECTS_OPTIONS. Who gives a program other options begins a new run: then the pair is not at
// the end, or not there.
//
//   PROCESS, START  who the first is, while none that is watched has begun; then 0
//   DEVICE, FILE    its standard error; 0 if it had none
//
// Programs that are not watched (a shell) hand it down as well. Runs in the constructor. Without
// getenv, setenv and malloc: bash for one has functions of its own with these names.

#define _GNU_SOURCE
#include "preload.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char variable[] = LIVEOBJ_OPTIONS_VARIABLE "=";
static const char key[] = "first=";

enum { PROCESS, START, DEVICE, INODE, FIELDS };

static struct {
    bool is_first;
    uint64_t fields[FIELDS];
} origin;

// MARK: - What was handed down

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

/// \returns where the number ends.
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

/// The pair at the end of the options, or the options' end.
static const char *find_pair(const char *options, uint64_t fields[FIELDS]) {
    const char *colon = strrchr(options, ':');
    const char *last = colon ? colon + 1 : options;
    if (strncmp(last, key, sizeof key - 1) == 0 && read_fields(last + sizeof key - 1, fields))
        return last;
    return options + strlen(options);
}

// MARK: - Handing down

/// When this process was made, in the kernel's ticks; 0 if unknown.
static uint64_t start_time(void) {
    enum { FIELD_BEHIND_NAME = 20 };
    char text[1024];
    uint64_t time = 0;
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[count > 0 ? count : 0] = '\0';
    const char *next = strrchr(text, ')'); // behind the program's name
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

/// Puts the pair behind the options. The old entry, which the program was started with, stays.
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

// MARK: - Questions

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
    // The first may have executed this program; its id may also have come again.
    origin.is_first = !is_handed_down || (has_id && origin.fields[START] == start);
    if (!origin.is_first)
        return;
    become_first(start);
    hand_down();
}

void liveobj_origin_begin(void) {
    origin.fields[PROCESS] = origin.fields[START] = 0;
    hand_down();
}

bool liveobj_origin_is_first(void) {
    return origin.is_first;
}

bool liveobj_origin_has_begun(void) {
    return origin.fields[PROCESS] == 0;
}

bool liveobj_origin_has_standard_error(const struct stat *file) {
    return origin.fields[DEVICE] == file->st_dev && origin.fields[INODE] == file->st_ino;
}
