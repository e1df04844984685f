// os_pages.c - which pages of memory are there; see os.h. Owns nothing.

#if defined(__linux__)

#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 1024 };

struct run {
    struct liveobj_extent pages; // empty at first
    liveobj_extent_visit_fn visit;
    void *context;
};

static void visit_run(const struct run *run) {
    if (run->pages.start < run->pages.end)
        run->visit(run->context, run->pages);
}

/// Extends the run by the pages that are there, and visits it where it ends.
static void add_pages(struct run *run, struct liveobj_extent extent,
                      const unsigned char *is_there) {
    uintptr_t page = liveobj_os_page_bytes();
    for (uintptr_t start = extent.start, end; start < extent.end; start = end) {
        end = (start | (page - 1)) + 1;
        end = end < extent.end ? end : extent.end;
        if (!(*is_there++ & 1))
            continue;
        if (run->pages.end != start) {
            visit_run(run);
            run->pages.start = start;
        }
        run->pages.end = end;
    }
}

static enum liveobj_pages find_resident(uintptr_t first, size_t count, unsigned char *is_there) {
    uintptr_t page = liveobj_os_page_bytes();
    if (mincore((void *)first, count * page, is_there) == 0)
        return LIVEOBJ_PAGES_VISITED;
    for (size_t i = 0; i < count; i++) {
        is_there[i] = 0;
        if (mincore((void *)(first + i * page), page, &is_there[i]) != 0 && errno != ENOMEM)
            return LIVEOBJ_PAGES_UNKNOWN;
    }
    return LIVEOBJ_PAGES_UNMAPPED;
}

/// Finds which pages belong to the process and not to a file.
static enum liveobj_pages find_own(int file, uintptr_t first, size_t count, unsigned char *is_own) {
    uint64_t entries[PAGES];
    size_t bytes = count * sizeof *entries;
    off_t offset = (off_t)(first / liveobj_os_page_bytes() * sizeof *entries);
    if (pread(file, entries, bytes, offset) != (ssize_t)bytes)
        return LIVEOBJ_PAGES_UNKNOWN;
    for (size_t i = 0; i < count; i++) {
        bool is_present = entries[i] >> 63, is_of_file = entries[i] >> 61 & 1;
        is_own[i] = is_present && !is_of_file;
    }
    return LIVEOBJ_PAGES_VISITED;
}

/// \param file The list of the process's pages; -1 for all pages that are in memory.
static enum liveobj_pages visit_pages(struct liveobj_extent extent, int file,
                                      liveobj_extent_visit_fn visit, void *context) {
    unsigned char is_there[PAGES];
    struct run run = {.visit = visit, .context = context};
    enum liveobj_pages worst = LIVEOBJ_PAGES_VISITED;
    uintptr_t page = liveobj_os_page_bytes();
    for (uintptr_t start = extent.start, end; start < extent.end; start = end) {
        uintptr_t first = start & ~(page - 1);
        end = first + PAGES * page;
        end = end < extent.end ? end : extent.end;
        size_t count = (end - first + page - 1) / page;
        enum liveobj_pages found = file < 0 ? find_resident(first, count, is_there)
                                            : find_own(file, first, count, is_there);
        if (found != LIVEOBJ_PAGES_UNKNOWN)
            add_pages(&run, (struct liveobj_extent){start, end}, is_there);
        worst = found > worst ? found : worst;
    }
    visit_run(&run);
    return worst;
}

enum liveobj_pages liveobj_os_visit_pages(struct liveobj_extent extent, bool is_file,
                                          liveobj_extent_visit_fn visit, void *context) {
    int saved = errno;
    int file = is_file ? open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
    enum liveobj_pages found =
        is_file && file < 0 ? LIVEOBJ_PAGES_UNKNOWN : visit_pages(extent, file, visit, context);
    if (file >= 0)
        close(file);
    errno = saved;
    return found;
}

#endif
