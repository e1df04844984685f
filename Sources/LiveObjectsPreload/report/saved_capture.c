// saved_capture.c - owns the path of the file in which this process saves its capture.
//
// If no tool made a report of a capture, the capture is saved, and one line says where it is and
// how to read it. No file is overwritten and no symbolic link is followed: in a folder that others
// can write to, either could be someone else's. If the file exists, its name gets a number: in a
// container, the process id is the same in every run.

#include "output/descriptor.h"
#include "output/output.h"
#include "report/report.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static char path[LIVEOBJ_FILE_PREFIX_BYTES + 64];
static bool is_writing;

/// Chooses a path next to the output or in the folder for temporary files. \param attempt From 1.
/// \returns false if no line could name the file.
static bool choose_path(uint64_t attempt) {
    char digits[LIVEOBJ_DIGITS];
    if (!liveobj_output_file() && liveobj_message_descriptor() < 0)
        return false;
    char *end = liveobj_output_file_prefix(path);
    if (attempt > 1)
        end = stpcpy(stpcpy(end, "."), liveobj_text_digits(digits, attempt));
    stpcpy(end, ".capture");
    return true;
}

/// \returns 0, or the errno that stopped it: then the file does not exist, or is another one.
static int write_file(int capture) {
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int file = liveobj_descriptor_lift(open(path, flags, 0600));
    if (file < 0)
        return errno;
    is_writing = true;
    int error = liveobj_descriptor_copy(capture, file);
    if (close(file) != 0 && !error)
        error = errno;
    if (error)
        liveobj_capture_discard();
    is_writing = false;
    return error;
}

void liveobj_capture_discard(void) {
    if (is_writing)
        unlink(path);
}

void liveobj_capture_save(int capture, const char *why) {
    enum { MOST_FILES = 100 };
    int error = EEXIST;
    for (uint64_t i = 1; i <= MOST_FILES && error == EEXIST; i++) {
        if (!choose_path(i))
            return;
        error = write_file(capture);
    }
    if (error)
        liveobj_message("no report: ", why, ". The capture cannot be written to ", path, ": ",
                        strerror(error), NULL);
    else
        liveobj_message("no report: ", why, ". The capture is in ", path,
                        "; read it with: liveobjects report ", path, NULL);
}
