// capture.c - writes what is live as one stream (Documentation/capture-format.md).
//
// Owns the memory of one capture's work, taken from the system and given back at its end. Outside
// of hooks, with the calling thread's guard set, so that nothing that happens here is recorded. No
// lock is held while the runtime is asked for names, for it allocates and locks there itself.

#if defined(__linux__)

#define _GNU_SOURCE
#include "internal.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

// MARK: - Images

enum { IMAGE_LIMIT = 65535, NO_IMAGE = 65535 };
static const uint32_t no_image_id = UINT32_MAX;

/// What is said of an image, copied while the dynamic linker holds its lock: afterwards another
/// thread may unload it.
struct image {
    uintptr_t bias;
    uintptr_t start;
    uintptr_t end;
    bool is_main;
    unsigned char build_id_count;
    unsigned char build_id[64];
    uint32_t path; // in `paths`
};

struct images {
    struct image *items; // by id
    uint32_t count;
    uint32_t last; // where the last address was found: the next one is often there too
    char *paths;   // NUL-terminated; the first is empty
    size_t paths_used;
};

enum { PATHS_BYTES = 1 << 22 };

static uint32_t copy_path(struct images *images, const char *path) {
    size_t bytes = strlen(path) + 1, start = images->paths_used;
    if (bytes > PATHS_BYTES - start)
        return 0;
    memcpy(images->paths + start, path, bytes);
    images->paths_used += bytes;
    return (uint32_t)start;
}

static bool add_image(void *context, const struct liveobj_image *image) {
    struct images *images = context;
    if (image->start >= image->end)
        return false;
    struct image *item = &images->items[images->count++];
    *item = (struct image){image->bias, image->start, image->end, image->is_main,
                           .path = copy_path(images, image->path)};
    struct liveobj_build_id id = liveobj_image_build_id(image);
    size_t most = sizeof item->build_id;
    item->build_id_count = (unsigned char)(id.count < most ? id.count : most);
    memcpy(item->build_id, id.bytes ? id.bytes : item->build_id, item->build_id_count);
    return images->count == IMAGE_LIMIT;
}

static bool images_start(struct images *images) {
    // Address space for all that the format can name; memory only for those there are.
    images->items = liveobj_os_map(IMAGE_LIMIT * sizeof *images->items);
    images->paths = liveobj_os_map(PATHS_BYTES);
    images->count = images->last = 0;
    images->paths_used = 1;
    bool started = images->items && images->paths;
    if (started)
        liveobj_images_visit(add_image, images);
    return started;
}

static void images_end(struct images *images) {
    liveobj_os_unmap(images->items, IMAGE_LIMIT * sizeof *images->items);
    liveobj_os_unmap(images->paths, PATHS_BYTES);
}

static uint32_t image_id(struct images *images, uintptr_t address) {
    for (uint32_t i = 0; i < images->count; i++) {
        uint32_t id = (images->last + i) % images->count;
        if (address >= images->items[id].start && address < images->items[id].end)
            return images->last = id;
    }
    return no_image_id;
}

static uint64_t frame_word(struct images *images, uintptr_t pc) {
    uint32_t id = image_id(images, pc);
    uint64_t image = id == no_image_id ? NO_IMAGE : id;
    uintptr_t offset = id == no_image_id ? pc : pc - images->items[id].bias;
    return image << 48 | (offset & ((UINT64_C(1) << 48) - 1));
}

// MARK: - The work

struct work {
    uint64_t since;
    struct liveobj_status status;
    struct liveobj_stream stream;
    struct liveobj_section types;
    struct liveobj_section objects;
    struct liveobj_section retains;
    struct liveobj_reader reader;
    struct liveobj_type_table type_table;
    struct {
        uintptr_t metadata;
        uint32_t id;
    } last_type; // the next object often has it too
    struct images images;
    uint8_t *stacks_used; // by stack id
    uint32_t stacks_end;
};

// MARK: - Process and status

static void put_text(struct liveobj_section *section, const char *text) {
    liveobj_put_string(section, text, strlen(text));
}

static void put_arguments(struct liveobj_section *section) {
    // The kernel separates arguments with NUL bytes. What does not fit is left out.
    char text[16 * 1024];
    size_t length = liveobj_os_file_read("/proc/self/cmdline", text, sizeof text);
    uint32_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] == 0;
    liveobj_put_u32(section, count);
    for (size_t start = 0; count > 0; count--) {
        size_t argument = strnlen(text + start, length - start);
        liveobj_put_string(section, text + start, argument);
        start += argument + 1;
    }
}

static void put_executable(struct liveobj_section *section) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    liveobj_put_string(section, path, length > 0 ? (size_t)length : 0);
}

static void write_process(struct work *work, uint64_t next) {
#if defined(__aarch64__)
    enum { MACHINE = EM_AARCH64 };
#else
    enum { MACHINE = EM_X86_64 };
#endif
    struct liveobj_section section;
    if (!liveobj_section_start(&section, &work->stream, "PROC"))
        return;
    liveobj_put_u32(&section, (uint32_t)getpid());
    liveobj_put_u32(&section, MACHINE);
    liveobj_put_u64(&section, liveobj_os_wall_clock());
    liveobj_put_u64(&section, work->since);
    liveobj_put_u64(&section, next);
    put_executable(&section);
    put_arguments(&section);
    liveobj_section_finish(&section);
}

static void write_status(struct work *work) {
    struct liveobj_section section;
    const struct liveobj_status *status = &work->status;
    if (!liveobj_section_start(&section, &work->stream, "STAT"))
        return;
    liveobj_put_u32(&section, status->state);
    liveobj_put_u32(&section, status->way);
    liveobj_put_u32(&section, status->stacks);
    liveobj_put_u32(&section, status->retains);
    liveobj_put_u32(&section, status->depth);
    liveobj_put_u32(&section, 0);
    liveobj_put_u64(&section, status->dropped_records);
    liveobj_put_u64(&section, status->dropped_stacks);
    liveobj_put_u64(&section, status->missed_deaths);
    liveobj_put_u64(&section, status->allocations);
    liveobj_put_u64(&section, status->deaths);
    liveobj_put_u32(&section, status->reason[0] != 0);
    if (status->reason[0])
        put_text(&section, status->reason);
    liveobj_section_finish(&section);
}

static bool begins_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/// Part of the toolchain or of the system: beside the Swift runtime, or in the system's library
/// folders.
static bool is_system(const struct image *image, const char *path) {
    const struct liveobj_image *runtime = &liveobj_recorder_runtime()->image;
    if (image->is_main)
        return false;
    if (begins_with(path, "/lib") || begins_with(path, "/usr/lib") ||
        !strchr(path, '/')) // the kernel's own
        return true;
    const char *slash = runtime->is_main ? NULL : strrchr(runtime->path, '/');
    return slash && strncmp(path, runtime->path, (size_t)(slash - runtime->path) + 1) == 0;
}

static void write_images(struct work *work) {
    struct liveobj_section section;
    if (!liveobj_section_start(&section, &work->stream, "IMAG"))
        return;
    for (uint32_t id = 0; id < work->images.count; id++) {
        const struct image *image = &work->images.items[id];
        const char *path = work->images.paths + image->path;
        liveobj_section_reserve(&section, 2 * LIVEOBJ_STRING_LIMIT + 64);
        liveobj_put_u32(&section, id);
        liveobj_put_u32(&section, is_system(image, path));
        liveobj_put_u64(&section, image->bias);
        liveobj_put_u64(&section, image->start);
        liveobj_put_u64(&section, image->end);
        liveobj_put_string(&section, (const char *)image->build_id, image->build_id_count);
        if (image->is_main)
            put_executable(&section);
        else
            put_text(&section, path);
    }
    liveobj_section_finish(&section);
}

// MARK: - Types and objects

static void put_type(struct work *work, uint32_t id, const struct liveobj_type *type) {
    struct liveobj_name name = liveobj_type_name(type);
    liveobj_section_reserve(&work->types, LIVEOBJ_STRING_LIMIT + 64);
    liveobj_put_u32(&work->types, id);
    liveobj_put_u32(&work->types, type->kind);
    liveobj_put_u64(&work->types, type->metadata);
    liveobj_put_u32(&work->types, image_id(&work->images, type->metadata));
    liveobj_put_u32(&work->types, liveobj_type_capture_count(type));
    liveobj_put_string(&work->types, name.text, name.length);
}

static uint32_t look_up_type(struct work *work, const struct liveobj_object *object) {
    bool is_new;
    struct liveobj_type type = liveobj_type_of(object, &work->reader);
    uint32_t id = liveobj_type_table_id(&work->type_table, &type, &is_new);
    if (id && is_new)
        put_type(work, id, &type);
    if (type.kind ==
        LIVEOBJ_TYPE_CLASS) { // the type of an error box depends on more than its metadata
        work->last_type.metadata = object->metadata;
        work->last_type.id = id;
    }
    return id;
}

static uint32_t type_id(struct work *work, const struct liveobj_object *object) {
    if (object->metadata == work->last_type.metadata &&
        object->metadata != LIVEOBJ_METADATA_IN_HEADER)
        return work->last_type.id;
    return look_up_type(work, object);
}

static uint32_t object_flags(struct liveobj_strong_count count) {
    enum { PINNED = 1, COUNT_UNREAD = 2 };
    return (count.is_pinned ? PINNED : 0) | (count.is_known ? 0 : COUNT_UNREAD);
}

static void put_object(struct work *work, const struct liveobj_object *object, uint32_t type) {
    struct liveobj_strong_count count = liveobj_strong_count_of(object, &work->reader);
    struct {
        uint64_t address, bytes, sequence;
        uint32_t type, stack, scope, flags, strong_count, reserved;
    } record = {object->address, object->bytes,       object->sequence, type, object->stack,
                object->scope,   object_flags(count), count.value,      0};
    _Static_assert(sizeof record == 48, "as the format says");
    liveobj_section_reserve(&work->objects, sizeof record);
    liveobj_put(&work->objects, &record, sizeof record);
}

static void put_retain_counts(struct work *work, uint32_t index, uintptr_t address) {
    enum { COUNTS_BYTES = 24 };
    struct liveobj_retain_counts counts = liveobj_records_retain_counts(index);
    liveobj_section_reserve(&work->retains, COUNTS_BYTES);
    liveobj_put_u64(&work->retains, address);
    liveobj_put_u64(&work->retains, counts.retains);
    liveobj_put_u64(&work->retains, counts.releases);
}

static void write_objects(struct work *work, uint64_t next) {
    uint32_t end = liveobj_records_end();
    struct liveobj_object object;
    for (uint32_t index = 1; index < end && !work->stream.failed; index++) {
        if (!liveobj_records_get(index, &object) || object.sequence < work->since ||
            object.sequence >= next)
            continue;
        uint32_t type = type_id(work, &object);
        work->stream.failed |= type == 0; // no memory: half a capture would look like a whole one
        put_object(work, &object, type);
        if (work->status.retains)
            put_retain_counts(work, index, object.address);
        if (object.stack < work->stacks_end)
            work->stacks_used[object.stack] = 1;
    }
}

// MARK: - Stack traces

static void mark_parents(struct work *work) {
    // A parent's id is smaller than its child's, so one pass downwards reaches all.
    for (uint32_t id = work->stacks_end; id-- > 1;)
        if (work->stacks_used[id])
            work->stacks_used[liveobj_stack_depot_get(id).parent] = 1;
}

static void put_stack(struct work *work, struct liveobj_section *section, uint32_t id) {
    struct liveobj_stored_trace trace = liveobj_stack_depot_get(id);
    liveobj_section_reserve(section, 16 + trace.own_frames * sizeof(uint64_t));
    liveobj_put_u32(section, id);
    liveobj_put_u32(section, trace.parent);
    liveobj_put_u32(section, trace.own_frames);
    liveobj_put_u32(section, trace.parent_frames);
    for (uint32_t i = 0; i < trace.own_frames; i++)
        liveobj_put_u64(section, frame_word(&work->images, trace.frames[i]));
}

static void write_stacks(struct work *work) {
    struct liveobj_section section;
    if (!liveobj_section_start(&section, &work->stream, "STAK"))
        return;
    mark_parents(work);
    for (uint32_t id = 1; id < work->stacks_end; id++)
        if (work->stacks_used[id])
            put_stack(work, &section, id);
    liveobj_section_finish(&section);
}

// MARK: - All of it

static bool start_work(struct work *work) {
    work->stacks_end = liveobj_stack_depot_last() + 1;
    work->stacks_used = liveobj_os_map(work->stacks_end);
    liveobj_reader_start(&work->reader);
    bool started = work->stacks_used && images_start(&work->images) &&
                   liveobj_type_table_start(&work->type_table) &&
                   liveobj_section_start(&work->types, &work->stream, "TYPE") &&
                   liveobj_section_start(&work->objects, &work->stream, "OBJS") &&
                   liveobj_section_start(&work->retains, &work->stream, "RETN");
    work->objects.before = &work->types;   // a type is defined before the first object that has it
    work->retains.before = &work->objects; // an object before its counts
    return started;
}

static void end_work(struct work *work) {
    liveobj_section_finish(&work->retains);
    liveobj_section_finish(&work->objects);
    liveobj_section_finish(&work->types);
    liveobj_type_table_end(&work->type_table);
    images_end(&work->images);
    liveobj_os_unmap(work->stacks_used, work->stacks_end);
}

static bool write_live(struct work *work, uint64_t next) {
    if (!start_work(work)) {
        work->stream.failed = true;
    } else {
        write_images(work);
        write_objects(work, next);
        liveobj_section_finish(&work->retains);
        liveobj_section_finish(&work->objects);
        write_stacks(work);
    }
    end_work(work);
    return !work->stream.failed;
}

bool liveobj_capture_write(uint64_t since, enum liveobj_contents contents, liveobj_write_fn write,
                           void *context) {
    (void)contents;
    struct work work = {
        .since = since,
        .status = liveobj_recorder_status(),
        .stream = {.write = write, .context = context},
    };
    uint64_t next = liveobj_sequence_mark();
    liveobj_stream_begin(&work.stream);
    write_process(&work, next);
    write_status(&work);
    if (work.status.state == LIVEOBJ_STATE_TRACKING)
        write_live(&work, next);
    liveobj_stream_end(&work.stream);
    return !work.stream.failed;
}

#endif
