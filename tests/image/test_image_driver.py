#!/usr/bin/env python3
"""Compile kernels with ocloc in every container and compare what sonde_image
finds with ocloc's own dump of the same binary and with the source."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = """
__kernel void plain(__global int *a) { a[get_global_id(0)] += 3; }
__attribute__((intel_reqd_sub_group_size(8)))
__kernel void eight(__global int *a) { a[get_global_id(0)] += 3; }
__attribute__((intel_reqd_sub_group_size(16)))
__kernel void shared_memory(__global int *a)
{
    __local int l[300];
    l[get_local_id(0)] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = l[get_local_id(0) ^ 1];
}
__kernel void private_array(__global int *a, int n)
{
    int p[200];
    for (int i = 0; i < 200; i++)
        p[i] = a[i];
    for (int i = 0; i < n; i++)
        p[a[i] % 200] += p[a[i + 1] % 200];
    a[get_global_id(0)] = p[n % 200];
}
"""
GTPIN = ("-cl-intel-gtpin-rera -cl-intel-gtpin-grf-info "
         "-cl-intel-gtpin-scratch-area-size 256")
FACT = re.compile(r"^kernel (\S+) platform (\S+) simd (\d+) grf (\d+) slm (\d+) scratch (\d+) "
                  r"barriers (\d) stack_calls (\d) skip (\d+) target (\S+) hash (\S+) "
                  r"prologs (\d+) (\d+) gtpin_scratch (\d+) (\d+) isa (\S+) free (\d)(.*)$")


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def compile_with(folder, internal, device="skl"):
    folder.mkdir()
    (folder / "k.cl").write_text(SOURCE)
    command = ["ocloc", "compile", "-file", "k.cl", "-device", device, "-q"]
    if internal:
        command += ["-internal_options", internal]
    run(*command, cwd=folder)
    return next(p for p in folder.iterdir() if p.suffix in (".bin", ".ar"))


def kernels_of(dump_tool, path):
    lines = run(dump_tool, path).splitlines()
    found = {}
    for line in lines[1:]:
        match = FACT.match(line)
        assert match, line
        fields = match.groups()
        found[fields[0], fields[9]] = fields
    return lines[0].split()[1], found


def ocloc_facts(path, folder):
    """Name -> (unpadded ISA, hash) from ocloc's own patch-token dump."""
    run("ocloc", "disasm", "-file", path, "-device", "skl", "-dump", folder)
    facts = {}
    for part in (folder / "PTM.txt").read_text().split("Kernel #")[1:]:
        name = re.search(r"KernelName (\S+)", part)[1]
        size = int(re.search(r"KernelUnpaddedSize (\d+)", part)[1])
        value = int(re.search(r"ShaderHashCode (\d+)", part)[1])
        heap = (folder / f"{name}_KernelHeap.dat").read_bytes()
        facts[name] = (heap[:size].hex(), f"{value:016x}")
    return facts


def check_source_facts(found):
    by_name = {key[0]: value for key, value in found.items()}
    assert set(by_name) == {"plain", "eight", "shared_memory", "private_array"}, by_name.keys()
    assert by_name["eight"][2] == "8" and by_name["shared_memory"][2] == "16"
    # The compiler may round the 1200 bytes up.
    assert 1200 <= int(by_name["shared_memory"][4]) < 1280, by_name["shared_memory"][4]
    assert by_name["shared_memory"][6] == "1" and by_name["plain"][6] == "0"
    for fields in by_name.values():
        assert fields[3] == "128" and fields[7] == "0", fields


def main():
    dump_tool = sys.argv[1]
    if shutil.which("ocloc") is None:
        return 77
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        plain = compile_with(top / "plain", "")
        kind, tokens = kernels_of(dump_tool, plain)
        assert kind == "patch-tokens", kind
        check_source_facts(tokens)
        for kernel, (isa, hash_code) in ocloc_facts(plain, top / "dump").items():
            fields = tokens[kernel, "-"]
            assert fields[15] == isa, f"{kernel}: ISA differs from ocloc's dump"
            assert fields[10] == hash_code, kernel
            assert fields[16] == "0"

        kind, zebin = kernels_of(dump_tool, compile_with(top / "ze", "-cl-intel-allow-zebin"))
        assert kind == "zebin", kind
        check_source_facts(zebin)
        for key, fields in zebin.items():
            assert fields[15] == tokens[key][15], f"{key}: zebin and patch tokens differ"

        kind, gtpin = kernels_of(dump_tool, compile_with(top / "gtpin", GTPIN))
        _, gtpin_zebin = kernels_of(
            dump_tool, compile_with(top / "gtpin_ze", GTPIN + " -cl-intel-allow-zebin"))
        for key, fields in gtpin.items():
            assert fields[16] == "1" and "+" in fields[17], fields
            assert fields[14] == "256", fields
            assert fields[17] == gtpin_zebin[key][17], f"{key}: free registers differ"

        kind, fat = kernels_of(dump_tool, compile_with(top / "fat", "", "skl,tgllp"))
        assert kind == "archive" and len(fat) == 8, (kind, len(fat))
        for (kernel, target), fields in fat.items():
            if fields[1] == "gen9":
                assert fields[15] == tokens[kernel, "-"][15], kernel
        assert {f[1] for f in fat.values()} == {"gen9", "xe"}
        print(f"{len(tokens)} kernels agree in 5 containers")
    return 0


sys.exit(main())
