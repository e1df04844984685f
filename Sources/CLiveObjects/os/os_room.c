// os_room.c - the memory that is left for this process. Owns nothing. See os.h.
//
// There are two effects of limits. Beyond RLIMIT_AS or RLIMIT_DATA, and where the system does not
// overcommit memory, an allocation fails. Beyond the limit of a memory cgroup, the process's own or
// an ancestor's, the system kills processes. Runs outside of hooks: reads files of /proc.

#if defined(__linux__)

#define _GNU_SOURCE
#include "os/os.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct liveobj_room no_limit = {UINT64_MAX, UINT64_MAX};

/// The smaller limit and the smaller rest of two.
static struct liveobj_room tighter(struct liveobj_room a, struct liveobj_room b) {
    return (struct liveobj_room){a.limit < b.limit ? a.limit : b.limit,
                                 a.left < b.left ? a.left : b.left};
}

static struct liveobj_room room_of(uint64_t limit, uint64_t used) {
    return (struct liveobj_room){limit, used < limit ? limit - used : 0};
}

/// The decimal number at the start of a text, after blanks.
static uint64_t number_at(const char *text) {
    uint64_t number = 0;
    while (*text == ' ' || *text == '\t')
        text++;
    for (; *text >= '0' && *text <= '9'; text++)
        number = number * 10 + (uint64_t)(*text - '0');
    return number;
}

// MARK: - Address space

/// A field of /proc/self/statm, in bytes. The first is the address space in use, the second the
/// part of it in memory, the sixth the part that is private and can be written.
static uint64_t bytes_in_statm(unsigned place) {
    char text[128];
    const char *next = text;
    text[liveobj_os_file_read("/proc/thread-self/statm", text, sizeof text - 1)] = 0;
    while (--place > 0 && (next = strchr(next, ' ')))
        next++;
    return next ? number_at(next) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

uint64_t liveobj_os_resident_bytes(void) {
    return bytes_in_statm(2);
}

static struct liveobj_room room_under(int resource, unsigned place_in_statm) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return no_limit;
    return room_of(limit.rlim_cur, bytes_in_statm(place_in_statm));
}

struct commit {
    uint64_t limit;
    uint64_t used;
};

static bool take_commit(void *context, const char *line) {
    struct commit *commit = context;
    if (strncmp(line, "CommitLimit:", strlen("CommitLimit:")) == 0)
        commit->limit = number_at(strchr(line, ':') + 1) * 1024;
    if (strncmp(line, "Committed_AS:", strlen("Committed_AS:")) == 0)
        commit->used = number_at(strchr(line, ':') + 1) * 1024;
    return true;
}

/// The rest of the system's commit limit, if it does not overcommit memory. All processes share it.
static struct liveobj_room promised_room(void) {
    char mode = 0;
    struct commit commit = {0};
    liveobj_os_file_read("/proc/sys/vm/overcommit_memory", &mode, 1);
    bool is_known = mode == '2' && liveobj_os_visit_lines("/proc/meminfo", take_commit, &commit) &&
                    commit.limit > 0;
    return is_known ? room_of(commit.limit, commit.used) : no_limit;
}

struct liveobj_room liveobj_os_address_room(void) {
    struct liveobj_room room = tighter(room_under(RLIMIT_AS, 1), room_under(RLIMIT_DATA, 6));
    return tighter(room, promised_room());
}

// MARK: - Memory cgroups

enum { PATH_BYTES = 512 };

/// The process's memory cgroup, and the place where the hierarchy, or a part of it, is mounted.
struct group {
    bool is_first_version;
    bool is_mounted;
    char path[PATH_BYTES];
    char root[PATH_BYTES];  // the part of the hierarchy that is mounted
    char mount[PATH_BYTES]; // the mount point
};

/// Copies text up to a separator or the end.
/// \returns The text after the separator; NULL at the end.
static const char *take_word(const char *text, char separator, char *word) {
    size_t length = strcspn(text, (const char[]){separator, 0});
    size_t kept = length < PATH_BYTES ? length : 0; // a cut word would be another path
    memcpy(word, text, kept);
    word[kept] = 0;
    return text[length] ? text + length + 1 : NULL;
}

/// Whether `word` is in a list separated by commas.
static bool has_word(const char *list, const char *word) {
    char item[PATH_BYTES];
    while (list) {
        list = take_word(list, ',', item);
        if (strcmp(item, word) == 0)
            return true;
    }
    return false;
}

/// Reads `number:controllers:path`; the second version has no controllers here.
static bool take_path(void *context, const char *line) {
    struct group *group = context;
    char controllers[PATH_BYTES];
    const char *next = strchr(line, ':');
    next = next ? take_word(next + 1, ':', controllers) : NULL;
    if (!next || group->is_first_version)
        return true;
    group->is_first_version = has_word(controllers, "memory");
    if (group->is_first_version || controllers[0] == 0)
        take_word(next, 0, group->path);
    return true;
}

/// Reads `id parent device root mount options ... - type source options`.
static bool take_mount(void *context, const char *line) {
    struct group *group = context;
    char skipped[PATH_BYTES], root[PATH_BYTES], mount[PATH_BYTES], type[PATH_BYTES];
    const char *next = line, *last = strstr(line, " - ");
    for (int i = 0; next && i < 3; i++)
        next = take_word(next, ' ', skipped);
    next = next ? take_word(next, ' ', root) : NULL;
    if (!next || !last || !take_word(next, ' ', mount))
        return true;
    last = take_word(last + strlen(" - "), ' ', type);
    last = last ? take_word(last, ' ', skipped) : NULL;
    bool is_it = group->is_first_version ? strcmp(type, "cgroup") == 0 && has_word(last, "memory")
                                         : strcmp(type, "cgroup2") == 0;
    if (is_it && !group->is_mounted) {
        group->is_mounted = true;
        strcpy(group->root, root);
        strcpy(group->mount, mount);
    }
    return !group->is_mounted;
}

/// Reads a file of a cgroup.
/// \returns The number in it; `otherwise` if it has none (`max`) or does not exist.
static uint64_t number_in(const char *folder, const char *name, uint64_t otherwise) {
    enum { NAME_BYTES = 32 };
    char path[2 * PATH_BYTES + NAME_BYTES], text[32];
    strcpy(path, folder);
    strcat(path, name);
    text[liveobj_os_file_read(path, text, sizeof text - 1)] = 0;
    return text[0] >= '0' && text[0] <= '9' ? number_at(text) : otherwise;
}

static bool take_inactive_files(void *context, const char *line) {
    static const char *const names[] = {"total_inactive_file ", "inactive_file "};
    for (size_t i = 0; i < 2; i++)
        if (strncmp(line, names[i], strlen(names[i])) == 0) {
            *(uint64_t *)context = number_at(line + strlen(names[i]));
            return i > 0; // in the first version the total comes last, and includes descendants
        }
    return true;
}

/// The memory in use, without inactive files, which the system can drop.
static uint64_t used_in(const char *folder, const char *name) {
    enum { NAME_BYTES = 32 };
    char path[2 * PATH_BYTES + NAME_BYTES];
    uint64_t used = number_in(folder, name, 0), inactive = 0;
    strcpy(path, folder);
    strcat(path, "/memory.stat");
    liveobj_os_visit_lines(path, take_inactive_files, &inactive);
    return inactive < used ? used - inactive : 0;
}

static void add_level(struct liveobj_memory_room *room, const char *folder, bool is_first_version) {
    // Without a limit, the first version reports the largest possible number of pages.
    static const uint64_t none = UINT64_C(1) << 62;
    uint64_t limit, used;
    if (is_first_version) {
        limit = number_in(folder, "/memory.limit_in_bytes", UINT64_MAX);
        used = limit < none ? used_in(folder, "/memory.usage_in_bytes") : 0;
    } else {
        uint64_t high = number_in(folder, "/memory.high", UINT64_MAX);
        limit = number_in(folder, "/memory.max", UINT64_MAX);
        limit =
            high < limit ? high : limit; // beyond it the process is slowed down almost to a halt
        used = limit < none ? used_in(folder, "/memory.current") : 0;
        room->ends_all |= number_in(folder, "/memory.oom.group", 0) > 0;
    }
    if (limit < none)
        room->room = tighter(room->room, room_of(limit, used));
}

/// Adds the limits of the process's group and of its visible ancestors.
static void add_levels(struct liveobj_memory_room *room, struct group *group) {
    char folder[2 * PATH_BYTES];
    size_t root_length = strcmp(group->root, "/") == 0 ? 0 : strlen(group->root);
    bool is_below = strncmp(group->path, group->root, root_length) == 0;
    strcpy(folder, group->mount);
    strcat(folder, is_below ? group->path + root_length : "");
    size_t mount_length = strlen(group->mount);
    for (;;) {
        size_t length = strlen(folder);
        if (length > mount_length && folder[length - 1] == '/')
            folder[--length] = 0;
        add_level(room, folder, group->is_first_version);
        if (length <= mount_length)
            return;
        *strrchr(folder, '/') = 0;
    }
}

struct liveobj_memory_room liveobj_os_memory_room_from(const char *cgroups, const char *mounts) {
    struct liveobj_memory_room room = {no_limit, false};
    struct group group = {0};
    if (liveobj_os_visit_lines(cgroups, take_path, &group) && group.path[0] &&
        liveobj_os_visit_lines(mounts, take_mount, &group) && group.is_mounted)
        add_levels(&room, &group);
    return room;
}

struct liveobj_memory_room liveobj_os_memory_room(void) {
    return liveobj_os_memory_room_from("/proc/self/cgroup", "/proc/self/mountinfo");
}

bool liveobj_os_has_room(uint64_t own_bytes, uint64_t helper_bytes) {
    struct liveobj_memory_room memory = liveobj_os_memory_room();
    return own_bytes + (memory.ends_all ? helper_bytes : 0) <= memory.room.left;
}

#endif
