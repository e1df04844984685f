// Situations.h - behaviour of a program that is difficult for a library inside of it.
//
// `work` allocates, releases and leaks Swift objects. Every function ends the process with status
// 99 if the situation could not be made, so that a row of the table never shows something that did
// not happen.

#pragma once

typedef void (*situation_work)(void);

// MARK: processes.c
void situation_fork_storm(situation_work work); // 1,000 children
void situation_vfork(
    situation_work work); // 100 children that only exit, 100 that execute a program
void situation_spawn(situation_work work);     // 100 programs by posix_spawn
void situation_daemonize(situation_work work); // forks, setsid, forks, closes all descriptors
void situation_exec(void);                     // executes the program again, twice
const char *situation_program(void);           // its path, as it was started
void situation_fork_in_handler(
    situation_work work); // forks from a signal handler that interrupts allocations

// MARK: threads.c
void situation_coroutines(situation_work work); // a pool of stacks below and above the thread's own
void situation_alternate_stack(situation_work work); // work on an alternate signal stack
void situation_small_stacks(situation_work work);    // threads with 16 KB
void situation_many_threads(situation_work work);    // 50,000 one after the other
void situation_threads_at_once(situation_work work); // 2,000

// MARK: limits.c
void situation_sandbox_errno(void); // a seccomp filter that refuses what the program does not use
void situation_sandbox_trap(void);
void situation_sandbox_kill(void);
void situation_set_user(void); // to 65534
void situation_set_limits(
    void); // address space 64 MB above what is used, 8 descriptors, no processes

// MARK: ending.c
void situation_end_slowly(void);         // 2 s in a destructor, after all handlers of exit
void situation_crash_while_ending(void); // another thread faults then
void situation_exit_in_handler(void);    // _exit(5) from a signal handler that interrupts malloc
