// How much memory is left for the process according to limits and cgroups. The cgroups are fake:
// folders with the files that the kernel would provide.

#include "os/os.h"
#include "support/expect.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// A sanitizer takes more address space than these limits leave.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER
#endif
#endif

#define MEGABYTE (UINT64_C(1) << 20)

static char folder[] = "/tmp/liveobjects-room-XXXXXX";

static void write_file(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    EXPECT(file && fputs(text, file) >= 0);
    if (file)
        fclose(file);
}

static void make_folder(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    mkdir(path, 0700);
}

/// \returns the memory left for a process with this line in its list of cgroups.
static struct liveobj_memory_room room_in(const char *line) {
    char cgroups[256];
    write_file("cgroup", line);
    snprintf(cgroups, sizeof cgroups, "%s/cgroup", folder);
    return liveobj_os_memory_room_from(cgroups, folder);
}

TEST(in_cgroup_v2_the_tightest_level_counts) {
    make_folder("pod");
    make_folder("pod/box");
    write_file("pod/memory.max", "104857600\n");
    write_file("pod/memory.current", "94371840\n");
    write_file("pod/memory.stat", "anon 1\ninactive_file 20971520\n");
    write_file("pod/box/memory.max", "max\n");
    write_file("pod/box/memory.high", "max\n");
    struct liveobj_memory_room room = room_in("0::/pod/box\n");
    EXPECT(room.room.limit == 100 * MEGABYTE && room.room.left == 30 * MEGABYTE);
    EXPECT(!room.ends_all);
    write_file("pod/box/memory.high", "52428800\n");
    write_file("pod/box/memory.current", "41943040\n");
    write_file("pod/memory.oom.group", "1\n");
    room = room_in("0::/pod/box\n");
    EXPECT(room.room.limit == 50 * MEGABYTE && room.room.left == 10 * MEGABYTE);
    EXPECT(room.ends_all);
}

TEST(a_container_may_see_a_part_of_the_hierarchy) {
    make_folder("memory");
    write_file("memory/memory.limit_in_bytes", "209715200\n");
    write_file("memory/memory.usage_in_bytes", "104857600\n");
    write_file("memory/memory.stat", "inactive_file 1\ntotal_inactive_file 0\n");
    struct liveobj_memory_room room = room_in("7:memory:/docker/1\n0::/docker/1\n");
    EXPECT(room.room.limit == 200 * MEGABYTE && room.room.left == 100 * MEGABYTE);
}

TEST(without_a_limit_room_is_unlimited) {
    write_file("memory/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT(room_in("4:memory:/\n").room.left == UINT64_MAX);
    EXPECT(room_in("4:memory:/gone\n").room.left == UINT64_MAX);
    EXPECT(room_in("4:cpu:/\n").room.left == UINT64_MAX);
    EXPECT(room_in("nonsense\n").room.left == UINT64_MAX);
    EXPECT(liveobj_os_memory_room_from("/", "/").room.limit == UINT64_MAX);
}

#if !defined(UNDER_SANITIZER)
static void resource_limits_of_the_process_count(int resource) {
    struct rlimit unlimited, limit = {4096 * MEGABYTE, RLIM_INFINITY};
    uint64_t before = liveobj_os_address_room().limit;
    getrlimit(resource, &unlimited);
    EXPECT(setrlimit(resource, &limit) == 0);
    struct liveobj_room room = liveobj_os_address_room();
    void *taken = mmap(NULL, 64 * MEGABYTE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT(room.limit == 4096 * MEGABYTE && room.left < room.limit);
    EXPECT(liveobj_os_address_room().left == room.left - 64 * MEGABYTE);
    munmap(taken, 64 * MEGABYTE);
    setrlimit(resource, &unlimited);
    EXPECT(liveobj_os_address_room().limit == before);
}
#endif

int main(void) {
    EXPECT(mkdtemp(folder) != NULL);
    run_tests();
#if !defined(UNDER_SANITIZER)
    resource_limits_of_the_process_count(RLIMIT_AS);
    resource_limits_of_the_process_count(RLIMIT_DATA);
#endif
    EXPECT(liveobj_os_resident_bytes() > 0);
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    EXPECT(system(command) == 0);
    return EXPECT_STATUS();
}
