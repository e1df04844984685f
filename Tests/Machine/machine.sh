# shellcheck shell=bash
# Makes the emulated machine of scripts/aarch64. Sourced, never run. Packages of Debian $suite are unpacked in $folder,
# none is installed here:
#   arm64/root  the machine's file system, with Swift; amd64/root: the same packages for this computer
#   view        arm64/root with this computer's compilers in their places, where compilers.py runs them
#   share       /share in all of these, with everything that is written
# shellcheck disable=SC2154  # suite, folder, machine, repository: of scripts/aarch64

root=$folder/arm64/root
here=$folder/amd64/root
swift=usr/libexec/swift
# The programs that take long under emulation: `compiler` takes their places in the machine.
forwarded=(swift-build swiftc swift-frontend clang-17 lld)
unneeded=(./usr/share/{doc,man,locale} "./$swift/lib/lib"{lldb,sourcekit,LTO}"*"
  "./$swift/bin/"{"lldb*",clangd,sourcekit-lsp,docc,swift-format})
# shellcheck disable=SC2034  # for scripts/aarch64
packages=(apt dpkg bash bsdutils coreutils libc-bin grep sed mawk findutils diffutils gzip tar procps util-linux mount
  dpkg-dev iproute2 file python3-minimal git ca-certificates binutils binutils-aarch64-linux-gnu g++ libc6-dev
  libcurl4-openssl-dev libunwind8 cmake ninja-build pkgconf llvm swiftlang swiftlang-dev)

require_system() {
  [[ $EUID -eq 0 ]] || die "only root can put this computer's compilers into another file system: run it with sudo"
  [[ $folder != "$repository"/* ]] || die "$folder is inside of the repository: choose another --folder"
  command -v apt-get >/dev/null || die "this is no Debian: its packages are needed"
  local tool
  for tool in mkfs.ext4 dpkg-deb python3 cmake ninja git; do
    command -v "$tool" >/dev/null || [[ -x /sbin/$tool ]] || die "$tool is missing"
  done
}

# apt_of ARCHITECTURE COMMAND…: with an apt configuration of its own.
apt_of() { APT_CONFIG=$folder/$1/apt.conf "${@:2}"; }

# write_apt_configuration ARCHITECTURE
write_apt_configuration() {
  local apt=$folder/$1 mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 '/debian/*$') ||
    die "apt knows no mirror of Debian"
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,packages}
  touch "$apt/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$apt/sources.list"
  cat >"$apt/apt.conf" <<'CONFIGURATION'
Dir::Etc::sourceparts "-"; APT::Sandbox::User ""; Acquire::Check-Valid-Until "false";
CONFIGURATION
  cat >>"$apt/apt.conf" <<CONFIGURATION
Dir::Etc::sourcelist "$apt/sources.list"; Dir::State::lists "$apt/lists"; Dir::State::status "$apt/status";
Dir::Cache "$apt/cache"; APT::Architecture "$1"; APT::Architectures { "$1"; };
CONFIGURATION
  apt_of "$1" apt-get -qq update
}

# with_dependencies PACKAGE…: all packages that an installation of these would take.
with_dependencies() { apt-get -s install --no-install-recommends "$@" 2>/dev/null | sed -n 's/^Inst \([^ ]*\).*/\1/p'; }

# download ARCHITECTURE PACKAGE…: these and all that they depend on.
download() {
  local apt=$folder/$1
  [[ ! -e $apt/made ]] || return 0
  say "Packages of Debian $suite for $1"
  write_apt_configuration "$1"
  (
    export APT_CONFIG=$apt/apt.conf
    cd "$apt/packages"
    with_dependencies "${@:2}" | xargs apt-get -qq download
  )
  touch "$apt/made"
}

# register PACKAGE DATABASE: as installed, for scripts that ask which packages there are, and for dpkg-shlibdeps.
register() {
  local name file
  name=$(dpkg-deb -f "$1" Package)
  [[ $(dpkg-deb -f "$1" Multi-Arch) != same ]] || name+=:$(dpkg-deb -f "$1" Architecture)
  { dpkg-deb -f "$1" | sed '1a Status: install ok installed' && echo; } >>"$2/status"
  dpkg-deb --fsys-tarfile "$1" | tar -t | sed 's|^\.||; s|/$||; s|^$|/.|' >"$2/info/$name.list"
  for file in symbols shlibs; do
    dpkg-deb --info "$1" "$file" >"$2/info/$name.$file" 2>/dev/null || rm "$2/info/$name.$file"
  done
}

# make_root ARCHITECTURE: unpacked, not installed, so no package's scripts run. In Debian all of it is under /usr.
make_root() {
  local root=$folder/$1/root name package
  [[ ! -e $root/made ]] || return 0
  say "Root file system of $1"
  rm -rf "$root"
  mkdir -p "$root"/{tmp,proc,dev,sys,mnt,new,root,share,sysroot,control,etc,usr/bin,usr/sbin,usr/lib,usr/lib64}
  for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
  for package in "$folder/$1"/packages/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink "${unneeded[@]/#/--exclude=}"
  done
  ln -sf bash "$root/usr/bin/sh"
  ln -sf mawk "$root/usr/bin/awk"
  mkdir -p "$root/var/lib/dpkg/info"
  echo 1 >"$root/var/lib/dpkg/info/format" # names of files with architectures
  for name in swift swiftc; do ln -sf "../libexec/swift/bin/$name" "$root/usr/bin/$name"; done
  echo "root:x:0:0:root:/root:/bin/bash" >"$root/etc/passwd"
  echo "root:x:0:" >"$root/etc/group"
  for package in "$folder/$1"/packages/*.deb; do register "$package" "$root/var/lib/dpkg"; done
  complete_toolchain "$root/$swift"
  rm -r "$folder/$1/packages"
  touch "$root/made"
}

# What Debian's 6.2.3 lacks and links, where it looks for a library, and build ids.
complete_toolchain() {
  local libraries=$1/lib/swift/linux
  [[ -e $libraries/lib_Testing_Foundation.so ]] || ar rcs "$libraries/lib_Testing_Foundation.a"
  ln -sfn ../libexec/swift/lib/swift "$1/../../lib/swift"
  ln -sfn ../libexec/swift/lib/swift_static "$1/../../lib/swift_static"
  echo -Wl,--build-id >"$1/bin/clang.cfg"
}

make_image() {
  local name
  [[ ! -e $folder/rootfs.ext4 ]] || return 0
  mkdir -p "$root/usr/lib/x86_64-linux-gnu"
  rmdir "$root/sysroot"
  ln -s / "$root/sysroot" # the paths that the Swift SDK says
  for name in "${forwarded[@]}"; do
    rm -f "$root/$swift/bin/$name"
    printf '#!/bin/bash\nsource /control/.compiler\n' >"$root/$swift/bin/$name"
    chmod 755 "$root/$swift/bin/$name"
  done
  PATH=$PATH:/sbin mkfs.ext4 -q -F -L root -O ^has_journal -d "$root" "$folder/rootfs.ext4" 6G
}

# Mounts end with scripts/aarch64, which has a mount namespace of its own.
mount_roots() {
  mkdir -p "$folder"/view "$folder"/share/{tmp,home,results,.compilers}
  mount --bind "$root" "$folder/view"
  mount --bind "$here/$swift/bin" "$folder/view/$swift/bin"
  mount --bind "$here/$swift/lib/swift/host" "$folder/view/$swift/lib/swift/host"
  mount --bind "$here/$swift/lib/swift/linux" "$folder/view/mnt" # compilers.py has the loader look there
  mount --bind "$here/usr/lib/x86_64-linux-gnu" "$folder/view/usr/lib/x86_64-linux-gnu"
  mount --bind "$here/usr/lib64" "$folder/view/usr/lib64"
  local tool
  for tool in ld.bfd ar; do
    mount --bind "$here/usr/bin/aarch64-linux-gnu-$tool" "$folder/view/usr/bin/aarch64-linux-gnu-$tool"
  done
  mount --bind "$root" "$here/sysroot"
  local place
  for place in "$folder/view" "$here"; do
    mount --bind "$folder/share" "$place/share"
    mount -t proc proc "$place/proc"
    mount --rbind /dev "$place/dev"
    mount --bind "$folder/share/tmp" "$place/tmp"
  done
  install -m 755 "$machine/compiler" "$folder/share/.compiler"
  python3 "$machine/swift-sdk.py" /sysroot "$folder/share/sdks/aarch64.artifactbundle"
}

# packages_of_kernel IMAGE: the kernel and its modules, which are one package or several.
packages_of_kernel() {
  apt_of arm64 apt-cache depends "$1" | sed -nE 's/^( *Depends: )?(linux-(image|binary|modules)-[0-9].*)/\2/p'
}

make_kernels() {
  local kernel package name
  if [[ ! -e $folder/kernel/made ]]; then
    say "Kernels"
    kernel=$(apt_of arm64 apt-cache depends linux-image-arm64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p')
    mkdir -p "$folder/kernel/packages"
    { packages_of_kernel "$kernel" && packages_of_kernel "$kernel-16k" && echo busybox-static; } |
      (cd "$folder/kernel/packages" && apt_of arm64 xargs apt-get -qq download)
    for package in "$folder"/kernel/packages/*.deb; do
      name=$(dpkg-deb -f "$package" Package | sed 's/.*-\(arm64.*\)/\1/; s/-static//')
      dpkg-deb -x "$package" "$folder/kernel/$name"
    done
    rm -r "$folder/kernel/packages"
    touch "$folder/kernel/made"
  fi
  for name in arm64 arm64-16k; do
    python3 "$machine/initramfs.py" "$folder/kernel/$name"/usr/lib/modules/* "$folder/kernel/busybox/usr/bin/busybox" \
      "$machine/init" "$folder/initrd-$name.gz"
  done
}

# This computer's qemu, or Debian's, unpacked.
make_qemu() {
  [[ ! -x $folder/qemu/run ]] || return 0
  mkdir -p "$folder/qemu/packages"
  if command -v qemu-system-aarch64 >/dev/null; then
    ln -sf "$(command -v qemu-system-aarch64)" "$folder/qemu/run"
    return
  fi
  say "qemu"
  (cd "$folder/qemu/packages" && with_dependencies qemu-system-arm | xargs apt-get -qq download)
  local package libraries=$folder/qemu/usr/lib/x86_64-linux-gnu
  for package in "$folder"/qemu/packages/*.deb; do dpkg-deb -x "$package" "$folder/qemu"; done
  cat >"$folder/qemu/run" <<SCRIPT
#!/bin/bash
export LD_LIBRARY_PATH=$libraries:$folder/qemu/lib/x86_64-linux-gnu QEMU_MODULE_DIR=$libraries/qemu
exec "$folder/qemu/usr/bin/qemu-system-aarch64" -L "$folder/qemu/usr/share/qemu" "\$@"
SCRIPT
  chmod +x "$folder/qemu/run"
}
