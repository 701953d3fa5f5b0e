#!/usr/bin/env python3
"""The libFuzzer targets build with clang, as README.md says, and find nothing in SECONDS each.

libfuzzer.py MESON SOURCE CLANG SECONDS"""
import glob
import os
import subprocess
import sys
import tempfile

SEEDS = {"libfuzzer-tbx-": "tests/fuzz/corpus/tbx", "libfuzzer-image-": "tests/image/corpus"}


def put_seeds(source, name, folder):
    """What the target starts from, in a folder of its own; a target may have nothing."""
    os.makedirs(folder)
    prefix = next((prefix for prefix in SEEDS if name.startswith(prefix)), None)
    for path in glob.glob(os.path.join(source, SEEDS[prefix], "*")) if prefix else []:
        if path.endswith(".zst") and name.endswith(os.path.basename(path)[:-4]):
            subprocess.run(["zstd", "-qd", path, "-o", os.path.join(folder, "seed")], check=True)
        elif path.endswith(".bin"):
            os.symlink(path, os.path.join(folder, os.path.basename(path)))


def main():
    meson, source, clang, seconds = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        build = os.path.join(scratch, "build")
        subprocess.run([meson, "setup", "-Dfuzz=true", "-Db_sanitize=address,undefined",
                        "-Db_lundef=false", build, source],
                       env={**os.environ, "CC": clang}, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", build, "libfuzzers"], check=True, stdout=subprocess.DEVNULL)
        programs = [path for path in sorted(glob.glob(os.path.join(build, "tests/fuzz/libfuzzer-*")))
                    if os.path.isfile(path)]
        failed = []
        for program in programs:
            name = os.path.basename(program)
            seeds = os.path.join(scratch, name)
            put_seeds(source, name, seeds)
            done = subprocess.run([program, f"-max_total_time={seconds}", "-timeout=30",
                                   "-max_len=1000000", f"-artifact_prefix={scratch}/", seeds],
                                  stderr=subprocess.PIPE, text=True, errors="replace", check=False)
            last = [line for line in done.stderr.splitlines() if "cov:" in line][-1:]
            print(name, done.returncode, *last)
            if done.returncode != 0:
                failed.append(name)
                print(done.stderr[-4000:])
    print(f"{len(programs)} targets, {len(failed)} failed")
    return 0 if programs and not failed else 1


sys.exit(main())
