// os_room.c - the memory that is left for this process. Owns nothing. See os.h.
//
// There are two effects of limits. Beyond RLIMIT_AS or RLIMIT_DATA, and where the system does not
// overcommit memory, an allocation fails. Beyond the limit of a memory cgroup, the process's own or
// an ancestor's, the system kills processes. Runs outside of hooks: reads files of /proc.

#if defined(__linux__)

#include "os/os.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct liveobj_room no_limit = {UINT64_MAX, UINT64_MAX};

/// The smaller limit and the smaller rest of two.
static struct liveobj_room tighter_room(struct liveobj_room a, struct liveobj_room b) {
    return (struct liveobj_room){a.limit < b.limit ? a.limit : b.limit,
                                 a.left < b.left ? a.left : b.left};
}

static struct liveobj_room room_of(uint64_t limit, uint64_t used) {
    return (struct liveobj_room){limit, used < limit ? limit - used : 0};
}

// MARK: - Address space

/// A field of /proc/self/statm, in bytes. The first is the address space in use, the second the
/// part of it in memory, the sixth the part that is private and can be written.
static uint64_t bytes_in_statm(unsigned field) {
    char text[128];
    const char *next = text;
    text[liveobj_os_file_read("/proc/thread-self/statm", text, sizeof text - 1)] = 0;
    while (--field > 0 && (next = strchr(next, ' ')))
        next++;
    return next ? liveobj_os_take_decimal(&next) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

uint64_t liveobj_os_resident_bytes(void) {
    return bytes_in_statm(2);
}

static struct liveobj_room room_under(int resource, unsigned field_in_statm) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return no_limit;
    return room_of(limit.rlim_cur, bytes_in_statm(field_in_statm));
}

struct commit {
    uint64_t limit;
    uint64_t used;
};

/// Reads `CommitLimit:   8172052 kB`.
static bool take_commit(void *context, const char *line) {
    struct commit *commit = context;
    const char *number = line + strcspn(line, "0123456789");
    if (liveobj_os_begins_with(line, "CommitLimit:"))
        commit->limit = liveobj_os_take_decimal(&number) * 1024;
    if (liveobj_os_begins_with(line, "Committed_AS:"))
        commit->used = liveobj_os_take_decimal(&number) * 1024;
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
    struct liveobj_room room = tighter_room(room_under(RLIMIT_AS, 1), room_under(RLIMIT_DATA, 6));
    return tighter_room(room, promised_room());
}

// MARK: - Memory cgroups
//
// A hierarchy is expected where systemd and containers mount it. A container may see only its own
// part of it there, and the path of its group from the outside: then the mount has the limits.

enum { PATH_BYTES = 512 };

/// The process's memory cgroup.
struct group {
    bool is_first_version;
    char path[PATH_BYTES];
};

/// Reads `number:controllers:path`; the second version has no controllers.
static bool take_path(void *context, const char *line) {
    static const char first[] = ":memory:", second[] = "0::";
    struct group *group = context;
    const char *match = strstr(line, first);
    bool is_second = liveobj_os_begins_with(line, second);
    const char *path = match ? match + strlen(first) : is_second ? line + strlen(second) : NULL;
    if (path && !group->is_first_version && strlen(path) < PATH_BYTES) {
        group->is_first_version = match;
        strcpy(group->path, path);
    }
    return true;
}

/// Reads a file of a cgroup.
/// \returns The number in it; `otherwise` if it has none (`max`) or does not exist.
static uint64_t number_in(const char *folder, const char *name, uint64_t otherwise) {
    char path[2 * PATH_BYTES], text[32];
    strcpy(path, folder);
    strcat(path, name);
    text[liveobj_os_file_read(path, text, sizeof text - 1)] = 0;
    const char *next = text;
    uint64_t number = liveobj_os_take_decimal(&next);
    return next > text ? number : otherwise;
}

static bool take_inactive_files(void *context, const char *line) {
    static const char *const names[] = {"total_inactive_file ", "inactive_file "};
    for (size_t i = 0; i < 2; i++)
        if (liveobj_os_begins_with(line, names[i])) {
            line += strlen(names[i]);
            *(uint64_t *)context = liveobj_os_take_decimal(&line);
            return i > 0; // in the first version the total comes last, and includes descendants
        }
    return true;
}

/// The memory in use, without inactive files, which the system can drop.
static uint64_t used_in(const char *folder, const char *name) {
    char path[2 * PATH_BYTES];
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
        room->room = tighter_room(room->room, room_of(limit, used));
}

/// Adds the limits of a group and of its ancestors. \param folder A path below the mount.
static void add_levels(struct liveobj_memory_room *room, char *folder, size_t mount_length,
                       bool is_first_version) {
    for (char *end = folder + strlen(folder); end;) {
        *end = 0;
        add_level(room, folder, is_first_version);
        end = strrchr(folder + mount_length, '/');
    }
}

struct liveobj_memory_room liveobj_os_memory_room_from(const char *cgroups, const char *mount) {
    enum { MOUNT_BYTES = 64 };
    struct liveobj_memory_room room = {no_limit, false};
    struct group group = {0};
    char folder[MOUNT_BYTES + PATH_BYTES] = {0};
    if (!liveobj_os_visit_lines(cgroups, take_path, &group) || !group.path[0])
        return room;
    strncat(folder, mount, MOUNT_BYTES / 2);
    strcat(folder, group.is_first_version ? "/memory" : "");
    size_t mount_length = strlen(folder);
    add_levels(&room, strcat(folder, group.path), mount_length, group.is_first_version);
    return room;
}

struct liveobj_memory_room liveobj_os_memory_room(void) {
    return liveobj_os_memory_room_from("/proc/self/cgroup", "/sys/fs/cgroup");
}

bool liveobj_os_has_room(uint64_t own_bytes, uint64_t helper_bytes) {
    struct liveobj_memory_room memory = liveobj_os_memory_room();
    return own_bytes + (memory.ends_all ? helper_bytes : 0) <= memory.room.left;
}

#endif
