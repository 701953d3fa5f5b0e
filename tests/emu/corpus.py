#!/usr/bin/env python3
"""Every kernel of the given sources or folders on every emulated device: no
dispatch may fault, and the results must agree: with PoCL's for one work-item,
and between the devices for eight. Kernels whose results may differ are listed,
with the reason, in the file that the second argument names. With a number as
SONDE_CORPUS_SEED the inputs are random over the whole range of their types;
kernels that PoCL then does not survive, or that give PoCL different results in
two runs, read beyond their buffers and are left out."""
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

POCL = "/etc/OpenCL/vendors/pocl.icd"
FORMATS = {"float": "f", "double": "d", "half": "e"}
# Random numbers make some loops as good as endless.
PATIENCE = 20 if "SONDE_CORPUS_SEED" in os.environ else 200
ULPS = {"float": 8192, "double": 65536, "half": 8}  # of whole chains of builtins


def options_of(text):
    match = re.match(r"// options: (.*)", text)
    return "-cl-kernel-arg-info -cl-std=CL2.0 " + (match[1] if match else "")


def run(program, source, options, environment):
    """{(kernel, items, argument): (type, bytes)}, and the faults."""
    results, faults, first = {}, [], 0
    while True:
        try:
            done = subprocess.run([program, source, str(first), options], capture_output=True,
                                  text=True, env={**os.environ, **environment}, timeout=PATIENCE,
                                  check=False, errors="replace")
        except subprocess.TimeoutExpired as late:
            done = late
            done.stdout = (late.stdout or b"").decode(errors="replace")
            done.stderr = (late.stderr or b"").decode(errors="replace")
        for line in done.stdout.splitlines():
            words = line.split(" ")
            if len(words) == 5 and words[2].isdigit():
                results[words[0], int(words[1]), int(words[2])] = words[3], bytes.fromhex(words[4])
            elif "cannot be set" in line or "does not run" in line:
                faults.append(line)
        running = re.findall(r"^running (\S+)$", done.stderr, re.M)
        faults += [line for line in done.stderr.splitlines() if "stopped at" in line]
        if re.search(r"^kernels \d+$", done.stdout, re.M):
            return results, faults
        if not running:
            return None, [done.stderr[-600:]]
        faults.append(f"the program ended in {running[-1]}")
        first += len(set(running))


def ordered(value, size):
    bits = int.from_bytes(value, "little")
    top = 1 << (8 * size - 1)
    return -(bits - top) if bits & top else bits


def differences(kind, one, other):
    """The first elements that differ, as text."""
    base = re.sub(r"[0-9]*\*.*$", "", kind)
    if one == other:
        return ""
    if base not in FORMATS:
        at = next(i for i in range(len(one)) if one[i] != other[i])
        return f"byte {at}: {one[at & ~7:(at | 7) + 1].hex()} and {other[at & ~7:(at | 7) + 1].hex()}"
    size = struct.calcsize(FORMATS[base])
    for at in range(0, len(one) - size + 1, size):
        a, b = one[at:at + size], other[at:at + size]
        x, y = struct.unpack("<" + FORMATS[base], a)[0], struct.unpack("<" + FORMATS[base], b)[0]
        if a == b or (math.isnan(x) and math.isnan(y)) or abs(x - y) < 1e-5:
            continue
        if abs(ordered(a, size) - ordered(b, size)) > ULPS[base]:
            return f"element {at // size}: {x} and {y}"
    return ""


def without(text, lines):
    """The source without its top-level parts that hold some of the lines."""
    parts, depth, begin = [], 0, 0
    for at, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        so_far = text[begin:at].strip()
        ends = c == ";" or (c == "}" and text[at + 1:at + 2] not in (";", " ")) or \
            (c == "\n" and (not so_far or so_far.startswith(("#", "//"))))
        if depth == 0 and ends:
            parts.append(text[begin:at + 1])
            begin = at + 1
    kept, line = "", 1
    for part in parts + [text[begin:]]:
        count = part.count("\n")
        inside = part.strip() and not part.lstrip().startswith("#") and any(
            line <= n <= line + count for n in lines)
        kept += "\n" * count if inside else part
        line += count
    return kept


def source_for_pocl(program, source, options, folder):
    """The source, without what PoCL's compiler does not take."""
    text = pathlib.Path(source).read_text(encoding="utf-8")
    path = pathlib.Path(folder) / pathlib.Path(source).name
    for _ in range(12):
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([program, str(path), "9999", options], capture_output=True, text=True,
                              env={**os.environ, "OCL_ICD_VENDORS": POCL,
                                   "SONDE_TEST_NO_SERVER": "1"},
                              timeout=200, check=False, errors="replace")
        lines = {int(n) for n in re.findall(r"error: \S+\.cl:(\d+):", done.stderr)}
        if "error" not in done.stderr or not lines:
            break
        text = without(text, lines)
    return str(path)


def keep_stable(runs, again):
    """Only kernels whose results are the same in another run of PoCL; faults show
    in the results."""
    first, again = runs["pocl"][0] or {}, again or {}
    bad = {key[0] for key in set(first) | set(again) if first.get(key) != again.get(key)}
    for device, (results, _) in runs.items():
        runs[device] = ({k: v for k, v in (results or {}).items()
                         if k in first and k[0] not in bad}, [])


def main():
    program, listed, *places = sys.argv[1:]
    sources = [str(f) for p in map(pathlib.Path, places)
               for f in (sorted(p.glob("*.cl")) if p.is_dir() else [p])]
    reasons = {}
    for line in pathlib.Path(listed).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition(" ")
            if not name.startswith("random:"):
                reasons[name] = reason
            elif "SONDE_CORPUS_SEED" in os.environ:
                reasons[name.removeprefix("random:")] = reason
    devices = os.environ.get("SONDE_CORPUS_DEVICES", "skl tgllp dg2").split()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            bad += compare(program, source, reasons, devices, folder)
    sys.exit(f"{bad} disagreements" if bad else 0)


def compare(program, source, reasons, devices, folder):
    """The number of disagreements over the kernels of one source."""
    bad = 0
    stem = pathlib.Path(source).stem
    options = options_of(pathlib.Path(source).read_text(encoding="utf-8"))
    doubles = {"OverrideDefaultFP64Settings": "1", "IGC_EnableDPEmulation": "1"}
    known = source_for_pocl(program, source, options, folder)
    runs = {"pocl": run(program, known, options,
                        {"OCL_ICD_VENDORS": POCL, "SONDE_TEST_NO_SERVER": "1"})}
    for device in devices:
        runs[device] = run(program, source, options,
                           {"SONDE_TEST_DEVICE": device, **({} if device == "skl" else doubles)})
    if "SONDE_CORPUS_SEED" in os.environ:
        keep_stable(runs, run(program, known, options, {
            "OCL_ICD_VENDORS": POCL, "SONDE_TEST_NO_SERVER": "1", "MALLOC_PERTURB_": "90"})[0])
    reference = runs[devices[0]][0] or {}
    counts = dict.fromkeys(runs, 0)
    for device, (results, faults) in runs.items():
        for fault in faults:
            if device != "pocl":
                if f"{device}:{stem}" not in reasons:
                    bad += 1
                print(f"{stem} on {device}: {fault[:600]}")
        for key, (kind, value) in (results or {}).items():
            kernel, items, argument = key
            against = (runs["pocl"][0] or {}) if items == 1 else reference
            if device == "pocl" or key not in against:
                continue
            text = differences(kind, value, against[key][1])
            counts[device] += 1
            if text and f"{stem}:{kernel}" not in reasons:
                bad += 1
                print(f"{stem}: {kernel} with {items} work-items, argument {argument} ({kind}) "
                      f"on {device} and {'pocl' if items == 1 else devices[0]}: {text}")
    print(f"{stem}: buffers compared: " +
          ", ".join(f"{d} {n}" for d, n in counts.items() if d != "pocl"), flush=True)
    return bad


main()
