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
// Without that variable, the same is passed on in how the library's path is spelled in LD_PRELOAD.
// The list of the environment must stay where it is: the Swift runtime finds the arguments before
// it, also when it is loaded later, and other programs the auxiliary vector behind it. So no entry
// can be added.
//
// Programs that are not tracked (a shell) pass it on as well. Runs in the constructor. Without
// getenv, setenv and malloc, because some programs (bash) define functions with these names.

#include "options.h"
#include "os/os.h"
#include "program/program.h"
#include "text.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char variable[] = LIVEOBJ_OPTIONS_VARIABLE "=", preloads[] = "LD_PRELOAD=";
static const char key[] = "first=";

enum { PROCESS, START, DEVICE, INODE, FIELDS };

static struct {
    bool is_first;
    uint64_t fields[FIELDS];
} origin;

// MARK: - Reading the pair

/// \param name With `=`.
static char **find_entry(const char *name) {
    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, name, strlen(name)) == 0)
            return entry;
    return NULL;
}

const char *liveobj_origin_options(void) {
    char **entry = find_entry(variable);
    return entry ? *entry + sizeof variable - 1 : "";
}

static bool read_fields(const char *text, uint64_t fields[FIELDS]) {
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = liveobj_os_take_decimal(&text);
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

static char *append_pair(char *end) {
    char digits[LIVEOBJ_DIGITS];
    end = stpcpy(end, key);
    for (int i = 0; i < FIELDS; i++)
        end = stpcpy(stpcpy(end, i ? "." : ""), liveobj_text_digits(digits, origin.fields[i]));
    return end;
}

// MARK: - The path in LD_PRELOAD

// Between folder and file name, for each bit of the fields: `./` if it is 1, `/` if it is 0. The
// last written is the lowest of the first field.
enum { FIELD_BITS = 64, BITS = FIELDS * FIELD_BITS };

/// The library's file name in LD_PRELOAD; NULL if it has no folder there.
static const char *find_file_name(char *const *entry) {
    Dl_info self;
    const char *name = entry && dladdr(&origin, &self) ? strrchr(self.dli_fname, '/') : NULL;
    const char *found = name ? strstr(*entry, name) : NULL;
    return found ? found + 1 : NULL;
}

/// \returns where the bits begin; `name` if there are none.
static const char *read_bits(const char *name, uint64_t fields[FIELDS]) {
    const char *start = name; // `LD_PRELOAD=` is before the path
    memset(fields, 0, FIELDS * sizeof *fields);
    for (int i = 0; i < BITS; i++) {
        bool is_set = strncmp(start - 3, "/./", 3) == 0;
        if (!is_set && strncmp(start - 2, "//", 2) != 0)
            return name;
        start -= is_set ? 2 : 1;
        fields[i / FIELD_BITS] |= (uint64_t)is_set << i % FIELD_BITS;
    }
    return start;
}

static char *append_bits(char *end) {
    for (int i = BITS; i-- > 0;)
        end = stpcpy(end, origin.fields[i / FIELD_BITS] >> i % FIELD_BITS & 1 ? "./" : "/");
    return end;
}

static bool read_path(uint64_t fields[FIELDS]) {
    const char *name = find_file_name(find_entry(preloads));
    return name && read_bits(name, fields) != name;
}

// MARK: - Passing it on

static void *map_pages(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static char *options_with_pair(void) {
    uint64_t fields[FIELDS];
    const char *options = liveobj_origin_options();
    size_t length = (size_t)(find_pair(options, fields) - options);
    char *text = map_pages(sizeof variable + length + sizeof key + FIELDS * LIVEOBJ_DIGITS);
    if (!text)
        return NULL;
    char *end = mempcpy(stpcpy(text, variable), options, length);
    if (length && end[-1] != ':')
        *end++ = ':';
    append_pair(end);
    return text;
}

static char *path_with_bits(char *const *entry) {
    enum { LONGEST = PATH_MAX / 2 }; // the dynamic linker skips what exceeds PATH_MAX
    uint64_t fields[FIELDS];
    const char *name = find_file_name(entry);
    if (!name || strlen(*entry) > LONGEST)
        return NULL;
    size_t length = (size_t)(read_bits(name, fields) - *entry);
    char *text = map_pages(length + strlen("./") * BITS + strlen(name) + 1);
    if (text)
        stpcpy(append_bits(mempcpy(text, *entry, length)), name);
    return text;
}

/// The old entry, with which the program was started, is not changed.
static void hand_down(void) {
    char **options = find_entry(variable), **entry = options ? options : find_entry(preloads);
    char *text = options ? options_with_pair() : path_with_bits(entry);
    if (text)
        *entry = text;
}

// MARK: - The first process

/// The start time of this process in the kernel's ticks; 0 if unknown.
static uint64_t start_time(void) {
    enum { FIELD_BEHIND_NAME = 20 };
    char text[1024];
    text[liveobj_os_file_read("/proc/self/stat", text, sizeof text - 1)] = '\0';
    const char *next = strrchr(text, ')'); // after the program's name
    for (int field = 0; next && field < FIELD_BEHIND_NAME; field++)
        next = strchr(next + 1, ' ');
    if (!next)
        return 0;
    next++;
    return liveobj_os_take_decimal(&next);
}

static void become_first(uint64_t start) {
    struct stat errors;
    bool has_errors = fstat(STDERR_FILENO, &errors) == 0;
    origin.fields[PROCESS] = (uint64_t)getpid();
    origin.fields[START] = start;
    origin.fields[DEVICE] = has_errors ? errors.st_dev : 0;
    origin.fields[INODE] = has_errors ? errors.st_ino : 0;
}

void liveobj_origin_start(void) {
    bool is_handed_down = find_entry(variable)
                              ? *find_pair(liveobj_origin_options(), origin.fields) != '\0'
                              : read_path(origin.fields);
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
