# shellcheck shell=bash
# Starts and loads the server of Examples/GrowingServer, on this machine only. Sourced, after common.sh.

example=$repository/Examples/GrowingServer

require_server_tools() {
  require_preloadable_path
  require_packages
  local command
  for command in wrk curl; do command -v "$command" >/dev/null || install_packages "$command"; done
}

# The tool and the preload library, in release. Sets `tool` and `preload`.
build_tool() {
  say "Building the tool and the preload library"
  local product
  for product in liveobjects LiveObjectsPreload; do
    swift build --package-path "$repository" -c release --product "$product" >&2
  done
  tool=$(bin_path "$repository" -c release)/liveobjects
  preload=$(bin_path "$repository" -c release)/libLiveObjectsPreload.so
}

# build_server GrowingServer|ObservedServer: in release. Sets `bin`, its folder.
build_server() {
  say "Building $1"
  swift build --package-path "$example" -c release --product "$1" >&2
  bin=$(bin_path "$example" -c release)
}

# start_server PORT [OPTIONS]: preloaded, if there are options. Sets `server`, the process.
start_server() {
  if [[ -n ${2:-} ]]; then
    LD_PRELOAD=$preload LIVEOBJECTS_OPTIONS=output=/dev/null:$2 "$bin/GrowingServer" "$1" >/dev/null &
  else
    "$bin/GrowingServer" "$1" >/dev/null &
  fi
  server=$!
  await_server "$1"
}

# await_server PORT
await_server() {
  curl --silent --fail --retry 50 --retry-connrefused --retry-delay 0 --retry-max-time 20 --output /dev/null \
    "http://127.0.0.1:$1/products/1" || die "the server on port $1 does not answer"
}

# Ends all that the script has started and not waited for.
stop_servers() {
  local process
  for process in $(jobs -p); do kill "$process" 2>/dev/null && wait "$process" || true; done
}

# load PORT SECONDS: requests on all paths; the last line has the figures of all-paths.lua.
load() {
  wrk --threads 1 --connections 16 --duration "$2" --latency --script "$example/load/all-paths.lua" \
    "http://127.0.0.1:$1"
}
