// Pointers that only the kernel keeps.

#include "os/kernel_words.h"
#include "os/os.h"
#include "support/expect.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const uintptr_t in_event = 0x7fabcdef01234560, in_timer = 0x5678fedcba98,
                       in_pipe = 0x6789abcdef10;

/// The words that were visited.
struct words {
    uint32_t count;
    uintptr_t last;
};

static void count_word(void *context, uintptr_t word) {
    struct words *words = context;
    words->count++;
    words->last = word;
}

static void count_in_pipe(void *count, uintptr_t word) {
    *(uint32_t *)count += word == in_pipe;
}

static struct words visited(void) {
    struct words words = {0};
    EXPECT(liveobj_kernel_words_visit(count_word, &words));
    return words;
}

/// \returns an epoll with so many descriptors, all registered with the same word.
static int make_epoll(uint32_t count) {
    int epoll = epoll_create1(0);
    for (uint32_t i = 0; i < count; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = in_event};
        EXPECT(epoll_ctl(epoll, EPOLL_CTL_ADD, eventfd(0, 0), &event) == 0);
    }
    return epoll;
}

TEST(a_process_without_such_words_has_none) {
    EXPECT(visited().count == 0);
}

TEST(words_of_an_epoll_are_visited_until_it_is_closed) {
    int epoll = make_epoll(1), next = dup(epoll);
    close(next);
    errno = EDOM;
    struct words words = visited();
    EXPECT(errno == EDOM);
    EXPECT(words.count == 1 && words.last == in_event);
    int same = dup(epoll);
    EXPECT(same == next); // no descriptor stayed open
    close(same);
    close(epoll);
    EXPECT(visited().count == 0);
}

/// A program may have closed its standard input.
TEST(the_first_descriptor_may_be_an_epoll) {
    int epoll = make_epoll(1), input = dup(STDIN_FILENO);
    EXPECT(dup2(epoll, STDIN_FILENO) == STDIN_FILENO);
    close(epoll);
    EXPECT(visited().count == 1);
    EXPECT(input < 0 ? close(STDIN_FILENO) == 0 : dup2(input, STDIN_FILENO) == STDIN_FILENO);
}

/// More than the kernel returns at once.
TEST(a_large_epoll_is_read_to_its_end) {
    enum { DESCRIPTORS = 500 };
    int epoll = make_epoll(DESCRIPTORS);
    EXPECT(visited().count == DESCRIPTORS);
    close(epoll);
}

TEST(the_word_of_a_timer_is_visited_until_it_is_deleted) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    event.sigev_value.sival_ptr = (void *)in_timer;
    EXPECT(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    struct words words = visited();
    EXPECT(words.count == 1 && words.last == in_timer);
    EXPECT(timer_delete(timer) == 0);
    EXPECT(visited().count == 0);
}

TEST(the_count_of_an_eventfd_is_visited) {
    int event = eventfd(0, EFD_CLOEXEC);
    EXPECT(visited().count == 0);
    EXPECT(write(event, &in_event, sizeof in_event) == sizeof in_event);
    struct words words = visited();
    EXPECT(words.count == 1 && words.last == in_event);
    close(event);
}

/// \returns the number of visited words that equal the one in a pipe.
static uint32_t words_in_pipe(void) {
    uint32_t count = 0;
    EXPECT(liveobj_kernel_words_visit(count_in_pipe, &count));
    return count;
}

TEST(what_waits_in_a_pipe_is_visited_and_stays_there) {
    int ends[2];
    char text[3], all[sizeof text + sizeof in_pipe];
    EXPECT(pipe(ends) == 0 && write(ends[1], text, sizeof text) == sizeof text);
    EXPECT(words_in_pipe() == 0);
    EXPECT(write(ends[1], &in_pipe, sizeof in_pipe) == sizeof in_pipe);
    EXPECT(words_in_pipe() == 1);
    close(ends[1]);
    EXPECT(words_in_pipe() == 1);
    EXPECT(read(ends[0], all, sizeof all) == sizeof all);
    EXPECT(memcmp(all + sizeof text, &in_pipe, sizeof in_pipe) == 0);
    EXPECT(words_in_pipe() == 0);
    close(ends[0]);
}

static bool misses_words(void) {
    struct words words = {0};
    return !liveobj_kernel_words_visit(count_word, &words);
}

TEST(a_pipe_with_more_than_is_copied_is_reported) {
    enum { CAPACITY = 1 << 18, BYTES = CAPACITY / 2 };
    static char bytes[BYTES];
    int ends[2];
    EXPECT(pipe(ends) == 0 && fcntl(ends[0], F_SETPIPE_SZ, CAPACITY) == CAPACITY);
    EXPECT(write(ends[1], bytes, BYTES) == BYTES);
    EXPECT(misses_words());
    close(ends[0]);
    close(ends[1]);
    EXPECT(!misses_words());
}

TEST(what_waits_in_a_socket_of_the_process_is_reported) {
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int ends[2];
        uintptr_t word;
        EXPECT(socketpair(AF_UNIX, types[i], 0, ends) == 0 && !misses_words());
        EXPECT(write(ends[0], &in_pipe, sizeof in_pipe) == sizeof in_pipe && misses_words());
        EXPECT(read(ends[1], &word, sizeof word) == sizeof word && !misses_words());
        close(ends[0]);
        close(ends[1]);
    }
}

static void a_signal_that_waits_is_reported(int number, bool is_reported) {
    sigset_t signals;
    siginfo_t info;
    sigemptyset(&signals);
    sigaddset(&signals, number);
    EXPECT(pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0);
    EXPECT(sigqueue(getpid(), number, (union sigval){.sival_ptr = &info}) == 0);
    EXPECT(misses_words() == is_reported);
    EXPECT(sigwaitinfo(&signals, &info) == number && !misses_words());
    EXPECT(pthread_sigqueue(pthread_self(), number, (union sigval){.sival_ptr = &info}) == 0);
    EXPECT(misses_words() == is_reported);
    EXPECT(sigwaitinfo(&signals, &info) == number && !misses_words());
    EXPECT(pthread_sigmask(SIG_UNBLOCK, &signals, NULL) == 0);
}

static void *visit_with_own_descriptors(void *words) {
    EXPECT(liveobj_os_close_range(0, UINT32_MAX, true) == 0);
    liveobj_kernel_words_exclude_thread();
    *(struct words *)words = visited();
    EXPECT(words_in_pipe() == 1);
    return NULL;
}

/// As the recorder's own thread has them.
static void a_thread_with_descriptors_of_its_own_visits_those_of_the_program(void) {
    struct words words = {0};
    pthread_t thread;
    int epoll = make_epoll(1), ends[2];
    EXPECT(pipe(ends) == 0 && write(ends[1], &in_pipe, sizeof in_pipe) == sizeof in_pipe);
    EXPECT(pthread_create(&thread, NULL, visit_with_own_descriptors, &words) == 0);
    pthread_join(thread, NULL);
    EXPECT(words.count > 0);
    close(epoll);
    close(ends[0]);
    close(ends[1]);
}

/// Forbids this thread to get a copy of a descriptor, as containers do.
static void forbid_copies(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 438 /* pidfd_getfd */, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static void *visit_without_copies(void *is_reported) {
    forbid_copies();
    EXPECT(liveobj_os_close_range(0, UINT32_MAX, true) == 0);
    liveobj_kernel_words_exclude_thread();
    EXPECT(misses_words() == *(const bool *)is_reported);
    return NULL;
}

/// Standard input may be a pipe with something in it. \returns whether it is anything like that.
static bool may_have_words(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode);
}

static void what_cannot_be_asked_for_is_reported(int domain, bool is_reported) {
    pthread_t thread;
    int descriptor = socket(domain, SOCK_STREAM, 0);
    bool expected = is_reported || may_have_words(STDIN_FILENO);
    EXPECT(pthread_create(&thread, NULL, visit_without_copies, &expected) == 0);
    pthread_join(thread, NULL);
    close(descriptor);
}

/// One descriptor is enough for a list, but not for the files that it names.
static void a_lack_of_descriptors_is_reported(void) {
    struct rlimit present;
    struct words words = {0};
    int epoll = make_epoll(1), first = dup(epoll);
    close(first);
    EXPECT(getrlimit(RLIMIT_NOFILE, &present) == 0);
    struct rlimit one_more = {(rlim_t)first + 1, present.rlim_max};
    EXPECT(setrlimit(RLIMIT_NOFILE, &one_more) == 0);
    EXPECT(!liveobj_kernel_words_visit(count_word, &words) && words.count == 0);
    EXPECT(setrlimit(RLIMIT_NOFILE, &present) == 0);
    close(epoll);
}

int main(void) {
    run_tests();
    a_signal_that_waits_is_reported(SIGRTMIN + 1, true);
    a_signal_that_waits_is_reported(SIGUSR1, true);
    a_signal_that_waits_is_reported(SIGCHLD, false);
    a_thread_with_descriptors_of_its_own_visits_those_of_the_program();
    what_cannot_be_asked_for_is_reported(AF_INET, false);
    what_cannot_be_asked_for_is_reported(AF_UNIX, true);
    a_lack_of_descriptors_is_reported();
    return EXPECT_STATUS();
}
