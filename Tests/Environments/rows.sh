# shellcheck shell=bash disable=SC2034,SC2154  # the variables are those of scripts/environments
# The environments, one function each, in the order of the table. Sourced by scripts/environments.
# A wrapper is a command that gets the command to run as its arguments; functions are exported for that.

row_plain() { both "nothing special"; }

# MARK: - Tools

gdb_run() {
  # shellcheck disable=SC2016  # for the shell that is started
  gdb -q -batch -ex run -ex 'quit $_exitcode' \
    --args bash -c 'exec "$@" >"$WORK/gdb.out" 2>"$WORK/gdb.err"' in-gdb "$@" >/dev/null 2>&1
  local status=$?
  cat "$WORK/gdb.out"
  cat "$WORK/gdb.err" >&2
  return $status
}
export -f gdb_run
export WORK=$work

row_gdb() { installs gdb gdb || { cannot gdb "no package"; return; }; wrapper=(gdb_run); both "gdb"; }
row_strace() {
  installs strace strace || { cannot "strace -f" "no package"; return; }
  wrapper=(strace -f -o /dev/null)
  both "strace -f"
}
row_valgrind() {
  installs valgrind valgrind || { cannot valgrind "no package"; return; }
  wrapper=(valgrind -q --trace-children=yes --log-file=/dev/null)
  both "valgrind"
}
row_perf() {
  installs linux-perf perf && perf record -q -o "$work/perf.data" true 2>/dev/null ||
    { cannot "perf record" "perf or its events are not available"; return; }
  wrapper=(perf record -q -g -o "$work/perf.data")
  both "perf record -g"
}

# MARK: - Sanitizers

# sanitizer NAME [swift build arguments]
sanitizer() {
  build "$@"
  use_build "$1"
  # LeakSanitizer ends both runs with its own status otherwise.
  variables=(ASAN_OPTIONS=detect_leaks=0)
  both "built with --sanitize=$1"
}
row_address_sanitizer() { sanitizer address --sanitize=address; }
row_thread_sanitizer() { sanitizer thread --sanitize=thread; }
# Swift has none of its own on Linux; this is for the C code of a package.
row_undefined_behavior_sanitizer() {
  sanitizer undefined -Xcc -fsanitize=undefined -Xswiftc -Xclang-linker -Xswiftc -fsanitize=undefined
}

# MARK: - Allocators

allocator_library() { find /usr/lib -name "$1" | head -n 1; }

# preloaded_allocator LABEL PACKAGE LIBRARY
preloaded_allocator() {
  local library
  [[ -n $(allocator_library "$3") ]] || apt-get install -y -qq "$2" >/dev/null 2>&1 || true
  library=$(allocator_library "$3")
  [[ -n $library ]] || { cannot "$1 preloaded" "no package $2"; return; }
  before=$library
  both "$1, preloaded before"
  before='' after=$library
  both "$1, preloaded after"
}
row_jemalloc() { preloaded_allocator jemalloc libjemalloc-dev libjemalloc.so.2; }
row_tcmalloc() { preloaded_allocator tcmalloc libgoogle-perftools-dev libtcmalloc_minimal.so.4; }
row_mimalloc() { preloaded_allocator mimalloc libmimalloc-dev libmimalloc.so.2; }

# linked_allocator LABEL LIBRARY
linked_allocator() {
  [[ -n $(allocator_library "lib$2.so") ]] || { cannot "$1 linked in" "no lib$2.so"; return; }
  build "$1" -Xlinker --no-as-needed -Xlinker "-l$2"
  use_build "$1"
  both "$1, linked in"
}
row_jemalloc_linked() { linked_allocator jemalloc jemalloc; }
row_tcmalloc_linked() { linked_allocator tcmalloc tcmalloc_minimal; }
row_mimalloc_linked() { linked_allocator mimalloc mimalloc; }
row_one_arena() { variables=(MALLOC_ARENA_MAX=1); both '`MALLOC_ARENA_MAX=1`'; }
row_no_tcache() { variables=(GLIBC_TUNABLES=glibc.malloc.tcache_count=0); both '`glibc.malloc.tcache_count=0`'; }

# MARK: - Control groups

# make_group CONTROLLER: a group of version 1 below the present one; prints its folder.
make_group() {
  local folder
  folder=$(sed -n "s,^[0-9]*:\(.*\,\)*$1\(\,.*\)*:\(.*\),/sys/fs/cgroup/$1\3,p" /proc/self/cgroup)
  [[ -d $folder ]] || folder=/sys/fs/cgroup/$1
  folder=$folder/liveobjects-$$
  mkdir -p "$folder" 2>/dev/null && echo "$folder"
}
in_group() {
  local folder=$1
  shift
  # shellcheck disable=SC2016  # for the shell that is started
  bash -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' in-group "$folder" "$@"
}
export -f in_group

row_memory_group() {
  local group peak factor
  group=$(make_group memory) || { cannot "memory cgroup" "no memory controller"; return; }
  cleanup "rmdir '$group'"
  wrapper=(in_group "$group")
  run plain peak "$program" heap 600000
  echo 0 >"$group/memory.max_usage_in_bytes"
  run plain peak "$program" heap 600000
  peak=$(<"$group/memory.max_usage_in_bytes")
  for factor in 2.0 1.5 1.2; do
    awk -v p="$peak" -v f="$factor" 'BEGIN { printf "%d", p * f }' >"$group/memory.limit_in_bytes"
    program "memory cgroup, $factor times the plain peak of $((peak >> 20)) MB" heap 600000
  done
  echo -1 >"$group/memory.limit_in_bytes"
}
row_process_group() {
  local group
  group=$(make_group pids) || { cannot "pids cgroup" "no pids controller"; return; }
  cleanup "rmdir '$group'"
  wrapper=(in_group "$group")
  echo 24 >"$group/pids.max"
  both "pids cgroup, 24 tasks"
}

# MARK: - Resource limits

# least_limit RESOURCE: the least value, in KB, with which the plain program succeeds.
least_limit() {
  local low=1024 high=$((1 << 23)) middle
  while ((high - low > low / 16)); do
    middle=$(((low + high) / 2))
    if [[ $(prlimit "--$1=$((middle << 10))" "$program" heap 200000 2>/dev/null | tail -n 1) == done ]]; then
      high=$middle
    else
      low=$middle
    fi
  done
  echo "$high"
}
memory_limit() {
  local least factor
  # How many arenas malloc makes depends on how the threads meet.
  export MALLOC_ARENA_MAX=1
  least=$(least_limit "$1")
  for factor in 110 150 300; do
    wrapper=(prlimit "--$1=$((least * factor / 100 << 10))")
    program "RLIMIT_${1^^}, $factor % of the least that the plain program needs ($((least >> 10)) MB)" heap 200000
  done
  unset MALLOC_ARENA_MAX
}
row_limit_as() { memory_limit as; }
row_limit_data() { memory_limit data; }
row_limit_nproc() {
  chmod 777 "$work"
  wrapper=(setpriv --reuid=65534 --clear-groups prlimit --nproc=20)
  both "RLIMIT_NPROC, 20"
}
row_limit_nofile() { wrapper=(prlimit --nofile=20); both "RLIMIT_NOFILE, 20"; }
row_limit_fsize() { wrapper=(prlimit --fsize=4096); both "RLIMIT_FSIZE, 4 KB"; }
row_limit_stack() { wrapper=(prlimit --stack=262144); both "RLIMIT_STACK, 256 KB"; }
row_limit_core() {
  wrapper=(prlimit --core=unlimited)
  cd "$work"
  program "RLIMIT_CORE unlimited, and the program crashes" crash
  cd "$repository"
}
row_overcommit() {
  local file=/proc/sys/vm/overcommit_memory previous
  previous=$(<$file)
  echo 2 2>/dev/null >$file || { cannot '`vm.overcommit_memory=2`' "it cannot be set"; return; }
  cleanup "echo $previous >$file"
  both '`vm.overcommit_memory=2`'
  echo "$previous" >$file
}
row_huge_pages() {
  local file=/sys/kernel/mm/transparent_hugepage/enabled previous
  previous=$(sed 's/.*\[\(.*\)\].*/\1/' $file)
  echo always 2>/dev/null >$file || { cannot "transparent huge pages always" "it cannot be set"; return; }
  cleanup "echo $previous >$file"
  both 'transparent huge pages `always`'
  echo "$previous" >$file
}

# MARK: - Sandboxes and namespaces

row_seccomp_errno() { program "seccomp, ERRNO" sandbox-errno; }
row_seccomp_trap() { program "seccomp, TRAP" sandbox-trap; }
row_seccomp_kill() { program "seccomp, KILL" sandbox-kill; }

# in_namespace LABEL unshare-arguments
in_namespace() {
  local label=$1
  shift
  unshare "$@" true 2>/dev/null || { cannot "$label" "unshare $* is refused"; return; }
  wrapper=(unshare "$@")
  both "$label"
}
row_pid_namespace() { in_namespace "PID namespace" --pid --fork --mount-proc; }
row_user_namespace() { in_namespace "user namespace" --user --map-root-user; }
row_mount_namespace() { in_namespace "mount namespace" --mount; }

# copy_into ROOT FILE...: with the libraries that they need.
copy_into() {
  local root=$1 file
  shift
  for file; do
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
    ldd "$file" 2>/dev/null | grep -o '/[^ ]*' | while read -r library; do
      mkdir -p "$root$(dirname "$library")"
      [[ -e $root$library ]] || cp -L "$library" "$root$library"
    done
  done
}
row_chroot() {
  local root=$work/root
  copy_into "$root" "$program" "$tests" "$(dirname "$program")/libPlugin.so" "$preload" \
    "$(dirname "$preload")/liveobjects" "$(dirname "$preload")/libLiveObjectsXCTestCompanion.so" \
    /usr/bin/env /bin/echo
  mkdir -p "$root$work" "$root/dev"
  mknod "$root/dev/null" c 1 3
  chmod 666 "$root/dev/null"
  wrapper=(chroot "$root")
  report_root=$root
  both "chroot without /proc, /sys and /tmp"
}

read_only() {
  # shellcheck disable=SC2016  # for the shell that is started
  unshare --mount bash -c 'mount --bind / / && mount -o remount,bind,ro / && cd / && exec "$@"' read-only "$@"
}
export -f read_only
row_read_only() { wrapper=(read_only); output=stderr; both "read-only file system"; }

row_full_tmpfs() {
  mkdir "$work/full"
  mount -t tmpfs -o size=64k none "$work/full" || { cannot "full tmpfs" "mount is refused"; return; }
  cleanup "umount '$work/full'"
  dd if=/dev/zero of="$work/full/zeros" bs=4k 2>/dev/null || true
  variables=("TMPDIR=$work/full")
  output=$work/full/report
  both "full tmpfs, for the output and TMPDIR"
}

# MARK: - Where the report goes

row_fifo() { mkfifo "$work/fifo"; output=$work/fifo; both "output to a FIFO without a reader"; }
row_dev_full() { output=/dev/full; both "output to /dev/full"; }
without_stderr() { "$@" 2>&-; }
export -f without_stderr
row_no_stderr() { wrapper=(without_stderr); output=stderr; both "descriptor 2 closed"; }

# MARK: - While the process ends

# signal_at_end SIGNAL SECONDS COMMAND...: sends it to the program once it is about to end, and SIGCONT after so long.
signal_at_end() {
  local signal=$1 seconds=$2 process tries=0
  shift 2
  "$@" >"$WORK/signal.out" &
  process=$!
  until grep -q ending "$WORK/signal.out" || ((tries++ > 600)); do sleep 0.1; done
  sleep 0.2
  kill "-$signal" "$process"
  [[ $seconds == 0 ]] || { sleep "$seconds"; kill -CONT "$process"; }
  wait "$process" 2>/dev/null # not what the shell says of a process that a signal ended
  local status=$?
  cat "$WORK/signal.out"
  return $status
}
export -f signal_at_end
row_stopped() { wrapper=(signal_at_end STOP 60); program "stopped for a minute while it ends" end-slowly; }
row_killed() { wrapper=(signal_at_end KILL 0); program "SIGKILL while it ends" end-slowly; }
row_segv() { wrapper=(signal_at_end SEGV 0); program "SIGSEGV while it ends" end-slowly; }
row_abort() { wrapper=(signal_at_end ABRT 0); program "SIGABRT while it ends" end-slowly; }
row_crash_while_ending() { program "a thread crashes while it ends" crash-while-ending; }
# The first lines, and the functions of the thread that crashed.
without_addresses() {
  sed -E '/^Thread [0-9]+ .*crashed:/,/^(Registers|Thread [0-9]+ [^c]*:)/!{/crashed:|Fatal error/!d}
    /^(Registers|Backtrace took|[a-z0-9]+ 0x)/d; s/0x[0-9a-f]+/ADDRESS/g'
}
row_backtrace() {
  variables=(SWIFT_BACKTRACE=enable=yes,color=no,threads=crashed,images=none)
  normalize=without_addresses
  program "crash with Swift's backtrace" crash
}
row_backtrace_while_ending() {
  variables=(SWIFT_BACKTRACE=enable=yes,color=no,threads=crashed,images=none)
  normalize=without_addresses
  program "crash with Swift's backtrace while it ends" crash-while-ending
}
row_exit_in_handler() { program '`_exit` in a signal handler that interrupts malloc' exit-in-handler; }

# MARK: - Children, threads and stacks

row_fork_storm() { program "1,000 forked children" fork-storm; }
row_vfork() { program "200 children by vfork" vfork; }
row_spawn() { program "100 programs by posix_spawn" spawn; }
row_daemonize() { program "a daemon that closes all descriptors" daemonize; }
row_exec_chain() { program "execve of itself, twice" exec-chain; }
row_fork_in_handler() { program "fork in a signal handler" fork-in-handler; }
row_set_user() { chmod 777 "$work"; program "setuid after start" set-user; }
row_set_limits() { program "setrlimit after start" set-limits; }
row_coroutines() { program "coroutines" coroutines; }
row_alternate_stack() { program "work on an alternate signal stack" alternate-stack; }
row_small_stacks() { program "threads with 16 KB stacks" small-stacks; }
row_many_threads() { program "50,000 threads in sequence" many-threads; }
row_threads_at_once() { program "2,000 threads at once" threads-at-once; }
row_plugin_loop() { program "dlopen and dlclose in a loop while others allocate" plugin-loop; }

row_large_heap() {
  local mode pauses=()
  variables=("TICKS=$work/ticks")
  for mode in plain watched; do
    run "$mode" "$row" "$program" large-heap
    pauses+=("$(tr -d ' ' <"$work/ticks")")
  done
  program "4 GB heap; longest time for 256 writes: ${pauses[0]} → ${pauses[1]} ms" large-heap
}
