// sandbox.c - owns the flag that the program has restricted its own system calls (seccomp).
//
// A filter may kill the process for any call that the program itself does not need: for the calls
// that a report makes, those by which a hook gets memory, and the query whether there is a filter.
// So the two functions of libc by which a filter can be installed are replaced; they set the flag
// and stop the recorder. At the end the kernel is asked if the flag is not set, because the program
// may have used the system-call instruction directly. No message is written then, because that
// takes more calls. A filter that was installed at the start (a container's) does not count, and
// later ones cannot be distinguished from it.
//
// The replacements do what libc does, in any program and on any thread. Async-signal-safe.

#include "arch/assembly.h"
#include "arch/system_call.h"
#include "safety/safety.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static bool is_entered; // atomic
static bool was_there_before;
static bool (*announce_entry)(void);
static void (*stop_recording)(void);

static bool is_known(void) {
    // Relaxed: a filter applies to the thread that installed it, and to threads that it creates
    // later.
    return __atomic_load_n(&is_entered, __ATOMIC_RELAXED);
}

struct call {
    long number;
    unsigned long arguments[6];
};

static long ask_kernel(const struct call *call) {
    const long *arguments = (const long *)call->arguments;
    return liveobj_system_call_6(call->number, arguments[0], arguments[1], arguments[2],
                                 arguments[3], arguments[4], arguments[5]);
}

/// Whether the call installs a filter. Programs also test which filters are supported, by calls
/// that cannot succeed because they pass no filter.
static bool is_restricting(const struct call *call) {
    const unsigned long *arguments = call->arguments;
    if (call->number == SYS_prctl && arguments[0] == PR_SET_SECCOMP)
        return arguments[1] == SECCOMP_MODE_STRICT || arguments[2];
    if (call->number == SYS_seccomp && arguments[0] == SECCOMP_SET_MODE_FILTER)
        return arguments[2];
    return call->number == SYS_seccomp && arguments[0] == SECCOMP_SET_MODE_STRICT && !arguments[1];
}

/// Prints the message before the call: afterwards, writing may be forbidden as well.
static long enter_sandbox(const struct call *call) {
    bool is_ours = !announce_entry || announce_entry();
    long result = ask_kernel(call);
    if (result < 0 || !is_ours)
        return result;
    __atomic_store_n(&is_entered, true, __ATOMIC_RELAXED); // see is_known
    if (stop_recording)
        stop_recording();
    return result;
}

/// Converts the kernel's negative errno as `syscall` does.
__attribute__((visibility("hidden"))) long liveobj_sandbox_fail(long result);

long liveobj_sandbox_fail(long result) {
    errno = (int)-result;
    return -1;
}

static long make_call(const struct call *call) {
    enum { MOST_ERRORS = 4095 };
    bool is_entering = !is_known() && is_restricting(call);
    long result = is_entering ? enter_sandbox(call) : ask_kernel(call);
    return result >= 0 || result < -MOST_ERRORS ? result : liveobj_sandbox_fail(result);
}

static bool has_filter(void) {
    return ask_kernel(&(struct call){SYS_prctl, {PR_GET_SECCOMP}}) > 0;
}

void liveobj_sandbox_start(bool (*announce)(void), void (*stop)(void)) {
    announce_entry = announce;
    stop_recording = stop;
    was_there_before = has_filter();
}

bool liveobj_sandbox_is_entered(void) {
    return is_known() || (!was_there_before && has_filter());
}

// MARK: - Replacements

/// A call that may install a filter, with the arguments of `syscall`.
__attribute__((visibility("hidden"))) long
liveobj_sandbox_call(long number, unsigned long first, unsigned long second, unsigned long third,
                     unsigned long fourth, unsigned long fifth, unsigned long sixth);

long liveobj_sandbox_call(long number, unsigned long first, unsigned long second,
                          unsigned long third, unsigned long fourth, unsigned long fifth,
                          unsigned long sixth) {
    return make_call(&(struct call){number, {first, second, third, fourth, fifth, sixth}});
}

// `prctl` and `syscall`. libc declares both with variable arguments, which are passed in the same
// registers. Other calls go to the kernel without a frame, as libc's do: a new process may return
// from here on the stack of its parent, and `prctl` may change the keys of signed return addresses.
#define TEXT(number) #number
#define SET(name, number) ".set .L" name ", " TEXT(number) "\n"
__asm__(SET("prctl", SYS_prctl) SET("seccomp", SYS_seccomp) SET("set_seccomp", PR_SET_SECCOMP));
__asm__(LIVEOBJ_SYSCALL_ASSEMBLY);
