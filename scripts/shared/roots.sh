# shellcheck shell=bash
# Root file systems of Debian's releases, for scripts that need root and other toolchains. Sourced, after common.sh.

# require_root_file_systems FOLDER: FOLDER is where they will be.
require_root_file_systems() {
  [[ $EUID -eq 0 ]] || die "only root can make root file systems: run it with sudo"
  [[ $1 != "$repository"/* ]] || die "$1 is inside of the repository: choose another --folder"
  command -v git >/dev/null || die "git is missing: apt-get install git"
  install_packages debootstrap debian-archive-keyring
}

# enter_mount_namespace ARGUMENTS…: runs the script again, in a mount namespace of its own, so that all mounts end with
# it however it ends.
enter_mount_namespace() {
  [[ -z ${LIVEOBJECTS_MOUNTS:-} ]] || return 0
  unshare --mount true 2>/dev/null || die "this system lets root mount nothing (a container without CAP_SYS_ADMIN?)"
  LIVEOBJECTS_MOUNTS=1 exec unshare --mount "$0" "$@"
}

# make_root SUITE ROOT PACKAGE…
make_root() {
  say "Root file system of Debian $1 in $2"
  if [[ ! -e $2/made ]]; then
    rm -rf "$2"
    mkdir -p "$2"
    debootstrap --variant=minbase "$1" "$2" >"$2.log" 2>&1 || die "debootstrap failed: see $2.log"
    touch "$2/made"
  fi
  mount_system "$2"
  # A mirror may be of an earlier day, and its list out of date.
  within "$2" "apt-get -o Acquire::Check-Valid-Until=false update -qq && DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends ${*:3}" >>"$2.log" 2>&1 || die "apt-get failed: see $2.log"
  complete_toolchain "$2"
}

# mount_system ROOT: what programs expect of a running system, and the folders of mount_package_mirrors.
mount_system() {
  mount --bind "$1" "$1" # else programs in it cannot unshare their mounts
  mount -t proc proc "$1/proc"
  mount --rbind /dev "$1/dev"
  mount_package_mirrors "$1"
}

# The local folders to which the system's git configuration redirects addresses (insteadOf), and that configuration.
mount_package_mirrors() {
  local mirror
  while read -r mirror; do
    mkdir -p "$1$mirror"
    mount --bind -o ro "$mirror" "$1$mirror"
    cp /etc/gitconfig "$1/etc/gitconfig"
  done < <(git config --system --get-regexp '^url\..*\.insteadof$' 2>/dev/null |
    sed -n 's#^url\.\(/[^ ]*\)\.insteadof .*#\1#p' | sort -u)
}

# Debian's 6.2.3 links lib_Testing_Foundation and does not ship it; an empty archive will do. Its 6.0 leaves build ids
# out, and reports take lines only from a binary that has one.
complete_toolchain() {
  within "$1" 'clang=$(readlink -f /usr/libexec/swift/bin/clang) || exit 0
    lib=$(dirname "$(find /usr -name libTesting.so | head -1)")
    ls "$lib"/lib_Testing_Foundation* >/dev/null 2>&1 || ar rcs "$lib/lib_Testing_Foundation.a"
    echo -Wl,--build-id >"$(dirname "$clang")/clang.cfg"'
}

# within ROOT COMMAND: in the root file system, with nothing of this machine's environment; in `/`, as things are.
within() {
  if [[ $1 == / ]]; then bash -c "$2"; else
    chroot "$1" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      LC_ALL=C.UTF-8 bash -c "$2"
  fi
}
