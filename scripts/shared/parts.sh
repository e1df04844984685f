# shellcheck shell=bash
# Builds what an installation consists of, for scripts/install and scripts/package. Sourced, after common.sh.

# The version of the tool, of the packages and of a release's tag.
liveobjects_version() {
  sed -n 's/.* toolVersion = "\(.*\)"$/\1/p' "$repository/Sources/LiveObjectsReport/Report.swift"
}

# 6.3: the preload library looks for companions by it.
swift_version() { swift --version 2>/dev/null | grep -o 'Swift version [0-9]*\.[0-9]*' | cut -d ' ' -f 3; }

# build FLAGS… -- PRODUCT…: in release, stripped; prints the folder of the products.
build() {
  local flags product
  read -ra flags <<<"-c release -Xlinker --strip-all ${SWIFT_BUILD_FLAGS:-}"
  while [[ $1 != -- ]]; do
    flags+=("$1")
    shift
  done
  for product in "${@:2}"; do
    swift build --package-path "$repository" "${flags[@]}" --product "$product" >&2 || return
  done
  bin_path "$repository" "${flags[@]}"
}

# stage_companions ROOT: in ROOT, as in an installation. Companions call test libraries, which are there for the shared
# Swift runtime only.
stage_companions() {
  local products folder library
  folder=$1/lib/liveobjects/swift-$(swift_version)
  products=$(build --scratch-path "$repository/.build/install-companions" -- \
    LiveObjectsXCTestCompanion LiveObjectsTestingCompanion)
  for library in XCTest Testing; do
    install -D -m 644 "$products/libLiveObjects${library}Companion.so" -t "$folder"
    check_companion "$folder/libLiveObjects${library}Companion.so" "$library"
  done
  check_parts "$folder"
}

# stage_tool ROOT: the tool runs without Swift.
stage_tool() {
  local products
  products=$(build --static-swift-stdlib --scratch-path "$repository/.build/install" -- liveobjects)
  install -D -m 755 "$products/liveobjects" -t "$1/bin"
}

# configure ROOT: builds the preload library; `cmake --install` and `cpack` then take the rest from ROOT.
configure() {
  rm -rf "$repository/build/package" # it may name a toolchain that is gone
  cmake -S "$repository" -B "$repository/build/package" -G Ninja -DBUILD_TESTING=OFF \
    -DLIVEOBJECTS_SWIFT_PARTS="$1" >&2
  cmake --build "$repository/build/package" >&2
}

# needed FILE: its libraries, without the loader, which every program has.
needed() {
  local section
  section=$(readelf -d "$1") || die "readelf cannot read $1"
  sed -n '/ld-linux/d; s/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$section" | sort
}

# check_companion FILE XCTest|Testing: it needs what its test library needs, and so has loaded. There is no other place
# from which it could be loaded.
check_companion() {
  local own more test_library
  test_library=$(swift_libraries)/linux/lib$2.so
  own=$(needed "$1")
  more=$(needed "$test_library")
  more=$(comm -23 <(echo "$own") <(printf '%s\n' "$more" "lib$2.so" | sort))
  [[ -z $more ]] || die "$1 needs libraries that $test_library does not need: $more"
}

# check_parts FOLDER: the libraries and the tool in it work wherever they are.
check_parts() {
  local file section texts libraries
  libraries=$(swift_libraries)
  find "$1" -type f \( -name '*.so' -o -name liveobjects \) | while read -r file; do
    section=$(readelf -d "$file") || die "readelf cannot read $file"
    ! grep -E '\((RPATH|RUNPATH)\)' <<<"$section" | grep -vF '[$ORIGIN]' || die "$file has an absolute search path"
    texts=$(strings -a "$file") || die "strings cannot read $file"
    # Not the repository alone: /LiveObjects is also a part of the project's address.
    ! grep -F -e "$repository/Sources" -e "$repository/.build" -e "$repository/build" -e "$libraries" <<<"$texts" ||
      die "$file has a path of this machine"
  done
}
