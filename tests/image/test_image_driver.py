#!/usr/bin/env python3
"""Compile kernels with ocloc in every container and compare what sonde_image
finds with ocloc's own dump of the same binary and with the source; print the
code of every device with `sonde disasm` and compare it with iga64's text.

usage: test_image_driver.py IMAGE_DUMP SONDE"""
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
__kernel void short_array(__global int *a, int n)
{
    int p[64], own = get_global_id(0);
    for (int i = 0; i < 64; i++)
        p[i] = a[own * 64 + i];
    for (int i = 0; i < n; i++)
        p[a[own + i] & 63] += p[a[own + i + 1] & 63];
    a[own] = p[n & 63];
}
"""
ARGUMENTS = """
__kernel void add(__global int *a, __global const float *b, int n, float s, __local int *l,
                  float4 v, __constant int *c, read_only image2d_t im, sampler_t sm)
{
    int i = get_global_id(0);
    l[get_local_id(0)] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        a[i] = l[get_local_id(0) ^ 1] + (int)(b[i] * s) + (int)v.y + c[i & 3] +
               (int)read_imagef(im, sm, (int2)(i, 0)).x;
}
__kernel void second(__global int *a)
{
    a[get_global_id(0)] *= 3;
}
"""
VALUE, GLOBAL, CONSTANT, LOCAL, IMAGE, SAMPLER = range(1, 7)
# kind, name, type, address space, size in the cross-thread data (0: none)
EXPECTED = {
    "add": [(GLOBAL, "a", "int*", "__global", 8), (GLOBAL, "b", "float*", "__global", 8),
            (VALUE, "n", "int", "__private", 4), (VALUE, "s", "float", "__private", 4),
            (LOCAL, "l", "int*", "__local", 8), (VALUE, "v", "float4", "__private", 16),
            (CONSTANT, "c", "int*", "__constant", 8), (IMAGE, "im", "image2d_t", "__global", 0),
            (SAMPLER, "sm", "sampler_t", "__private", 0)],
    "second": [(GLOBAL, "a", "int*", "__global", 8)],
}
ARGUMENT = re.compile(r"^argument (\S+) (\d+) kind (\d) read_only (\d) bti (\S+) name (\S+) "
                      r"type (\S+) space (\S+)(.*)$", re.M)
# The compiler's name of a device, ours of its instruction set, iga64's of it.
DEVICES = {"skl": ("gen9", "9"), "icllp": ("gen11", "11"), "tgllp": ("xe", "12p1"),
           "dg2": ("xehpg", "xehpg"), "pvc": ("xehpc", "xehpc")}
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


def compile_with(folder, internal, device="skl", source=SOURCE, options=""):
    folder.mkdir()
    (folder / "k.cl").write_text(source)
    command = ["ocloc", "compile", "-file", "k.cl", "-device", device, "-q"]
    if options:
        command += ["-options", options]
    if internal:
        command += ["-internal_options", internal]
    run(*command, cwd=folder)
    return next(p for p in folder.iterdir() if p.suffix in (".bin", ".ar"))


def kernels_of(dump_tool, path):
    lines = run(dump_tool, path).splitlines()
    found = {}
    for line in lines[1:]:
        if line.startswith("argument "):
            continue
        match = FACT.match(line)
        assert match, line
        fields = match.groups()
        found[fields[0], fields[9]] = fields
    return lines[0].split()[1], found


def ocloc_facts(path, folder, device):
    """Name -> (unpadded ISA, hash) from ocloc's own patch-token dump."""
    run("ocloc", "disasm", "-file", path, "-device", device, "-dump", folder)
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
    assert set(by_name) == {"plain", "eight", "shared_memory", "private_array",
                            "short_array"}, by_name.keys()
    assert by_name["eight"][2] == "8" and by_name["shared_memory"][2] == "16"
    # The compiler may round the 1200 bytes up.
    assert 1200 <= int(by_name["shared_memory"][4]) < 1280, by_name["shared_memory"][4]
    assert by_name["shared_memory"][6] == "1" and by_name["plain"][6] == "0"
    for fields in by_name.values():
        assert fields[3] == "128" and fields[7] == "0", fields


def check_arguments(text, named):
    """{kernel: [where each argument lies]}"""
    places = {}
    for match in ARGUMENT.findall(text):
        kernel, index, kind, read_only, bti, name, kind_name, space, pieces = match
        want = EXPECTED[kernel][int(index)]
        assert int(kind) == want[0], match
        assert not named or (name, kind_name, space) == want[1:4], match
        found = re.findall(r" (\d+)\+(\d+)@(\d+)", pieces)
        assert sum(int(size) for _, size, _ in found) == want[4] or want[0] == SAMPLER, match
        assert (int(bti) >= 0) == (want[0] in (GLOBAL, CONSTANT, IMAGE)), match
        assert int(index) == len(places.setdefault(kernel, [])), match
        places[kernel].append((bti, pieces))
    assert {k: len(v) for k, v in places.items()} == {k: len(v) for k, v in EXPECTED.items()}
    surfaces = [bti for bti, _ in places["add"] if int(bti) >= 0]
    assert len(set(surfaces)) == len(surfaces), f"two arguments share a surface: {surfaces}"
    return places


def arguments(dump_tool, top):
    for device in ("skl", "icllp", "tgllp", "dg2"):
        said = {}
        for kind, internal in (("tokens", ""), ("ze", "-cl-intel-allow-zebin")):
            for named in (False, True):
                path = compile_with(top / f"{device}_{kind}_{named}", internal, device, ARGUMENTS,
                                    "-cl-kernel-arg-info" if named else "")
                said[kind, named] = check_arguments(run(dump_tool, path), named)
        assert said["tokens", True] == said["tokens", False], device
        for kernel, places in said["tokens", True].items():
            for one, other, want in zip(places, said["ze", True][kernel], EXPECTED[kernel]):
                if want[0] in (GLOBAL, CONSTANT, IMAGE): # offsets may differ, surfaces not
                    assert one[0] == other[0], f"{device} {kernel}: {one} {other}"


def dwarf_rows(path, folder):
    """{offset: line} of the first ELF in the debug data, as readelf decodes it."""
    data = path.read_bytes()
    start = data.index(b"\x7fELF", data.index(b"CTNI"))
    (folder / "kernel.elf").write_bytes(data[start:])
    text = run("readelf", "--debug-dump=decodedline", folder / "kernel.elf")
    rows = {}
    for line, offset in re.findall(r"^\S+\s+(\d+|-)\s+(0x[0-9a-f]+|0)\s", text, re.M):
        if line != "-" or int(offset, 0) not in rows:
            rows[int(offset, 0)] = 0 if line == "-" else int(line)
    return rows


def source_lines(dump_tool, top):
    for device in DEVICES:
        path = compile_with(top / f"{device}_lines", "", device, ARGUMENTS, "-g")
        found = {}
        for kernel, offset, line, file in re.findall(r"^line (\S+) (\d+) (\d+) (\S*)$",
                                                     run(dump_tool, path), re.M):
            assert file.endswith("k.cl"), file
            found.setdefault(kernel, {})[int(offset)] = int(line)
        assert set(found) == {"add", "second"}, found.keys()
        assert found["add"] == dwarf_rows(path.with_suffix(".bin"), top), device
        assert set(found["second"].values()) <= {0, 12, 14, 15}, found["second"]
        assert {5, 6, 7, 8, 9} <= set(found["add"].values()), found["add"]


def check_containers(dump_tool, top, device, platform):
    """The facts of the device's kernels, which both containers give alike."""
    top.mkdir()
    plain = compile_with(top / "plain", "", device)
    kind, tokens = kernels_of(dump_tool, plain)
    assert kind == "patch-tokens", kind
    check_source_facts(tokens)
    for kernel, (isa, hash_code) in ocloc_facts(plain, top / "dump", device).items():
        fields = tokens[kernel, "-"]
        assert fields[1] == platform, fields[1]
        assert fields[15] == isa, f"{kernel}: ISA differs from ocloc's dump"
        assert fields[10] == hash_code, kernel
        assert fields[16] == "0"
    kind, zebin = kernels_of(dump_tool, compile_with(top / "ze", "-cl-intel-allow-zebin", device))
    assert kind == "zebin", kind
    check_source_facts(zebin)
    for key, fields in zebin.items():
        assert fields[1] == platform, fields[1]
        assert fields[15] == tokens[key][15], f"{key}: zebin and patch tokens differ"
    return tokens


def iga_text(isa, platform, folder):
    """iga64's lines of an instruction each, without labels."""
    (folder / "isa.bin").write_bytes(isa)
    text = run("iga64", f"-p={platform}", "-d", folder / "isa.bin")
    return [line.rstrip() for line in text.splitlines() if line.strip() and line[0] != "L"]


def check_disassembly(dump_tool, sonde, top):
    """Number of instructions that `sonde disasm` and iga64 print alike."""
    count = 0
    for device, (platform, iga_platform) in DEVICES.items():
        # XeHPC has no SIMD8.
        source = SOURCE.replace("(8)", "(32)") if device == "pvc" else SOURCE
        path = compile_with(top / f"disasm_{device}", "", device, source)
        _, kernels = kernels_of(dump_tool, path)
        listed = run(sonde, "list", "kernels", path)
        for (kernel, _), fields in kernels.items():
            assert re.search(rf"^{kernel} .*{platform}, SIMD{fields[2]}, ", listed, re.M), listed
            lines = run(sonde, "disasm", "-k", kernel, path).splitlines()
            ours = [line.split(" */ ", 1)[1].rstrip() for line in lines if line.startswith("/* [")]
            theirs = iga_text(bytes.fromhex(fields[15]), iga_platform, path.parent)
            for line, expected in zip(ours, theirs, strict=True):
                assert line == expected, f"{device} {kernel}:\n{line}\n{expected}"
            count += len(ours)
    return count


def main():
    dump_tool, sonde = sys.argv[1:]
    if shutil.which("ocloc") is None:
        return 77
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        tokens = check_containers(dump_tool, top / "skl", "skl", "gen9")
        gen11 = check_containers(dump_tool, top / "icllp", "icllp", "gen11")

        kind, gtpin = kernels_of(dump_tool, compile_with(top / "gtpin", GTPIN))
        _, gtpin_zebin = kernels_of(
            dump_tool, compile_with(top / "gtpin_ze", GTPIN + " -cl-intel-allow-zebin"))
        for key, fields in gtpin.items():
            assert fields[16] == "1" and "+" in fields[17], fields
            # What the compiler offers to us begins where its own private arrays do.
            assert (int(fields[5]) > 0) == (key[0] == "short_array"), fields
            assert fields[14] == ("0" if key[0] == "short_array" else "256"), fields
            assert fields[17] == gtpin_zebin[key][17], f"{key}: free registers differ"

        kind, fat = kernels_of(dump_tool, compile_with(top / "fat", "", "skl,icllp,tgllp"))
        assert kind == "archive" and len(fat) == 15, (kind, len(fat))
        for (kernel, target), fields in fat.items():
            if fields[1] == "gen9":
                assert fields[15] == tokens[kernel, "-"][15], kernel
            if fields[1] == "gen11":
                assert fields[15] == gen11[kernel, "-"][15], kernel
        assert {f[1] for f in fat.values()} == {"gen9", "gen11", "xe"}
        arguments(dump_tool, top)
        source_lines(dump_tool, top)
        print(f"{len(tokens)} kernels agree in every container")
        print(f"{check_disassembly(dump_tool, sonde, top)} instructions print as iga64 prints them")
    return 0


sys.exit(main())
