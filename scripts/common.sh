# shellcheck shell=bash
# What the scripts share. Sourced, never run: `source "$(dirname "$0")/common.sh"`.

# shellcheck disable=SC2034  # for those who source this
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Packages for scripts/soak whose tests take seconds, also under emulation, and which Swift 6.0 builds.
# shellcheck disable=SC2034
quick_packages=(apple/swift-argument-parser:1.8.2 jpsim/Yams:6.2.2)

say() { printf '\n==> %s\n' "$*"; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# The Swift toolchain cannot be had from apt, so its absence is only reported.
require_swift() {
  [[ $(uname -s) == Linux ]] || die "LiveObjects runs on Linux; in a container: see CONTRIBUTING.md"
  command -v swift >/dev/null ||
    die "no 'swift' in PATH: install Swift 6.0 or later (https://www.swift.org/install/linux)"
}

# The folder of the toolchain's own libraries. Not found by the path of `swift`, which may be a program of swiftly's.
swift_libraries() {
  local path
  path=$(swiftc -print-target-info | sed -n 's|\\/|/|g; s|.*"runtimeResourcePath": "\(.*\)".*|\1|p')
  [[ -d $path ]] || die "'swiftc -print-target-info' names no folder of libraries: '$path'"
  realpath "$path"
}

# For scripts that preload what they build: the loader would leave it out without an error.
require_preloadable_path() {
  [[ $repository != *[\ :\$]* ]] || die "LD_PRELOAD cannot name a path with a space, a colon or a \$: move $repository"
}

missing_packages() {
  local package
  for package; do
    dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null |
      grep -qx installed || printf '%s\n' "$package"
  done
}

# Not every distribution's Swift comes with an llvm-symbolizer, which knows files and lines.
has_symbolizer() {
  command -v llvm-symbolizer >/dev/null ||
    [[ -x $(dirname "$(realpath "$(command -v swift)")")/llvm-symbolizer ]]
}

# install_packages PACKAGE…: installed by root, asked for otherwise.
install_packages() {
  command -v dpkg-query >/dev/null ||
    die "this is no Debian or Ubuntu: install cmake and ninja, then use swift and cmake directly"
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -gt 0 ]] || return 0
  [[ $EUID -eq 0 ]] || die "packages are missing; run: sudo apt-get install -y ${missing[*]}"
  say "Installing ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# The packages that the build needs.
require_packages() {
  local packages=(cmake ninja-build)
  has_symbolizer || packages+=(llvm)
  install_packages "${packages[@]}"
}

# The tool, the preload library and its companions.
build_products() {
  local product
  for product in liveobjects LiveObjectsPreload LiveObjectsXCTestCompanion LiveObjectsTestingCompanion; do
    swift build --package-path "$repository" --product "$product"
  done
}

# bin_path PACKAGE [swift build arguments]: where `swift build` puts that package's products.
bin_path() {
  local package=$1
  shift
  swift build --package-path "$package" "$@" --show-bin-path
}

# test_binary PACKAGE [swift build arguments]: the one executable that holds all tests of a package.
test_binary() {
  local binaries
  binaries=("$(bin_path "$@")"/*PackageTests.xctest)
  [[ -x ${binaries[0]} ]] || die "no test binary in $(dirname "${binaries[0]}")"
  printf '%s\n' "${binaries[0]}"
}
