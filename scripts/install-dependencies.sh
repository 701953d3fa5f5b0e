#!/bin/sh
# Install the Debian packages that Sonde builds, runs and tests with. Does
# nothing, and needs no rights, when all of them are there.
set -eu

build="gcc make meson ninja-build pkg-config python3 libc6-dev libcmocka-dev libjansson-dev
libzstd-dev libxxhash-dev libelf-dev libdw-dev libyaml-dev libsqlite3-dev"
run="intel-opencl-icd ocl-icd-libopencl1"
examples="ocl-icd-opencl-dev opencl-headers"
tests="libigc-tools pocl-opencl-icd oclgrind clinfo clang-14 lld-14 llvm-14 mspdebug
msp430mcu valgrind sqlite3 jq protobuf-compiler chromium fonts-dejavu-core"

missing=""
for package in $build $run $examples $tests; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "sonde: these Debian packages are missing:$missing" >&2
    exit 1
fi
root=""
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
        echo "sonde: as root, run: apt-get install$missing" >&2
        exit 1
    }
    root=sudo
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -qq || echo "sonde: apt-get update failed; trying with the lists at hand" >&2
# shellcheck disable=SC2086
$root apt-get install -y -qq --no-install-recommends $missing >/dev/null
