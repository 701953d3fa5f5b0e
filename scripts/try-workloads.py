#!/usr/bin/env python3
"""Run OpenCL programs of other people on the emulated GPU and print a table.

Without options, the programs of Debian packages; with --conformance DIR, the
sub-tests of an OpenCL conformance test build in DIR. Programs that are not
installed are skipped and named. Every program judges its own results; its own
words for success are looked for in what it printed, besides the exit status.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

PYOPENCL = "/usr/share/doc/python-pyopencl-doc/examples"
PYTHON = "/usr/bin/python3"
PASSWORD_MD5 = "5f4dcc3b5aa765d61d8327deb882cf99"
NO_FAILURE = r"(?s)(?!.*(\x1b\[31m[X/]|[1-9]\d* test\(s\) failed))"

# Row: package, name of the row, command, pattern that its output must match.
FFT_SIZES = ["-x 64 -y 64", "-x 128", "-x 1024", "-x 4096", "-x 27", "-x 125", "-x 343",
             "-x 100 -y 30", "-x 16 -y 16 -z 16", "-x 64 --inv", "-x 64 -o", "-x 256 -b 16",
             "-x 64 --double", "-x 81 --double", "-x 1024 --double"]
PROGRAMS = [
    ("clinfo", "clinfo", "clinfo", r"Device Name\s+Intel"),
    ("clpeak", "clpeak global bandwidth", "clpeak --global-bandwidth", r"float16\s*:\s*[0-9.]+"),
    ("clpeak", "clpeak launch latency", "clpeak --kernel-latency", r"latency : "),
    ("hashcat", "hashcat MD5",
     "hashcat -m 0 -a 3 --force -O -n 1 -u 1 -T 32 --self-test-disable --potfile-disable "
     f"--session sonde {PASSWORD_MD5} passwo?ld", PASSWORD_MD5 + ":password"),
    # The first start of a configuration measures the device with its own kernels.
    ("darktable", "darktable first start", "darktable-cli in.ppm out.png --core --configdir config "
     "-d opencl", r"(?s)OpenCL successfully initialized.*exported to"),
]
PROGRAMS += [("clfft-client", "clFFT " + size, "clFFT-client -g " + size, r"\*PASS\*")
             for size in FFT_SIZES]
PROGRAMS += [("clblast-tests", "CLBlast " + name, "clblast_test_" + name,
              NO_FAILURE + r".*passed")
             for name in ("xaxpy", "xdot", "xgemv", "xtrsv", "xnrm2", "xasum", "xamax", "xscal",
                          "xcopy", "xswap", "xger", "xhad", "xomatcopy")]
PROGRAMS += [("python-pyopencl-doc", "PyOpenCL " + name, f"{PYTHON} {PYOPENCL}/{name}", r"")
             for name in ("demo.py", "demo_array.py", "demo_elementwise.py",
                          "demo_elementwise_complex.py", "demo-struct-reduce.py",
                          "demo_meta_template.py", "n-body.py", "pi-monte-carlo.py", "narray.py",
                          "demo_array_svm.py", "svm.py", "median-filter.py",
                          "demo_mandelbrot.py", "transpose.py")]
PROGRAMS += [("python-pyopencl-doc", "PyOpenCL " + name,
              f"{PYTHON} -m pytest -q -x -p no:cacheprovider {PYOPENCL}/{name}", r"\d+ passed")
             for name in ("test_clmath.py", "test_enqueue_copy.py", "test_wrapper.py",
                          "test_arrays_in_structs.py")]

# Program of the conformance tests, its sub-tests.
CONFORMANCE = [
    ("basic/test_basic", ["if", "loop", "pointer_cast", "barrier", "local_kernel_def",
                          "kernel_call_kernel_function", "work_item_functions",
                          "global_work_offsets", "intmath_long4", "fpmath", "image_r8",
                          "imagereadwrite", "constant", "local_arg_def", "vload_global",
                          "astype", "bufferreadwriterect", "explicit_s2v"]),
    ("select/test_select", ["-w select_int_int", "-w select_double_long"]),
    ("relationals/test_relationals", ["relational_isequal", "relational_any"]),
    ("integer_ops/test_integer_ops", ["integer_hadd", "integer_mul_hi", "integer_abs_diff",
                                      "unary_ops_increment"]),
    ("commonfns/test_commonfns", ["clamp", "mix", "sign", "step"]),
    ("atomics/test_atomics", ["atomic_add", "atomic_cmpxchg", "atomic_min"]),
    ("vectors/test_vectors", ["step_type", "vec_align_packed_array"]),
    ("geometrics/test_geometrics", ["geom_cross", "geom_dot"]),
    ("printf/test_printf", ["int", "float", "string", "vector"]),
    ("conversions/test_conversions", ["-w long_sat_rtz_float", "-w double_rte_ulong",
                                      "-w char_sat_float"]),
    ("subgroups/test_subgroups", ["sub_group_info_core", "work_item_functions_core",
                                  "subgroup_functions_core", "barrier_functions_core",
                                  "ifp_core"]),
    ("workgroups/test_workgroups", ["work_group_all", "work_group_any",
                                    "work_group_reduce_add", "work_group_broadcast_1D",
                                    "work_group_scan_inclusive_add"]),
    ("math_brute_force/test_bruteforce", ["-w -[65536] -r -d " + function for function in
                                          ("sqrt", "fma", "divide", "exp", "sin", "log", "pow",
                                           "ldexp", "fmod", "ilogb", "rsqrt", "nextafter")]),
]


def conformance_rows(folder):
    rows = []
    for program, tests in CONFORMANCE:
        for test in tests:
            rows.append((os.path.basename(program), f"{os.path.basename(program)} {test}",
                         f"{os.path.join(folder, program)} {test}", r"PASSED (sub-)?test"))
    return rows


def run_row(sonde, row, mode, limit, folder):
    """One program under one command of Sonde; returns a dictionary of what was seen."""
    package, name, command, pattern = row
    data = os.path.join(folder, "data")
    shutil.rmtree(data, ignore_errors=True)
    words = shlex.split(command)
    environment = dict(os.environ, PYOPENCL_CTX="0", PYOPENCL_NO_CACHE="1",
                       PYTHONDONTWRITEBYTECODE="1", MPLBACKEND="Agg")
    result = {"package": package, "name": name, "command": command, "mode": mode,
              "state": "", "kernels": None, "dispatches": None, "instructions": None}
    if shutil.which(words[0]) is None or (words[0] == PYTHON and not os.path.exists(words[-1])):
        result["state"] = "not installed"
        return result
    options = {"plain": ["run", "-t", "none", "-o", data],
               "profile": ["run", "-t", "opcodeprof", "--report", "/dev/null", "-o", data],
               "verify": ["verify", "-q", "-o", data]}[mode]
    start = time.monotonic()
    process = subprocess.Popen([sonde] + options + ["--"] + words, cwd=folder, env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        output, errors = process.communicate(timeout=limit)
        late = False
    except subprocess.TimeoutExpired:
        process.terminate()
        output, errors = process.communicate()
        late = True
    result["seconds"] = round(time.monotonic() - start, 1)
    text = output.decode(errors="replace") + errors.decode(errors="replace")
    if mode == "verify":
        judge_verify(sonde, data, result)
    else:
        judge_run(text, process.returncode, pattern, result)
        count(sonde, data, result)
    if late:
        result["state"] = f"not finished in {limit} s"
    result["tail"] = text[-400:]
    return result


def judge_run(text, status, pattern, result):
    if re.search(r"(?i)sonde: (warning|error).*fault", text):
        result["state"] = "fault of the device"
    elif status != 0:
        result["state"] = f"fails: exit status {status}"
    elif re.search(pattern, text) is None:
        result["state"] = "fails: its own check"
    else:
        result["state"] = "passes"


def judge_verify(sonde, data, result):
    compared = subprocess.run([sonde, "verify", "--format", "json", "--compare", data],
                              capture_output=True, check=False)
    try:
        figures = json.loads(compared.stdout)
    except ValueError:
        result["state"] = "verify: not compared"
        return
    lines = [line for line in figures["details"].splitlines() if line.strip()]
    result["dispatches"] = figures["dispatches"]
    result["instructions"] = figures["original_instructions"]
    if figures["identical"]:
        result["state"] = "passes under verify"
    elif all(line.strip().startswith("standard output") for line in lines):
        result["state"] = "passes under verify, printed text (times) differs"
    else:
        result["state"] = "verify: " + "; ".join(line.strip() for line in lines[:2])


def count(sonde, data, result):
    info = subprocess.run([sonde, "info", "-i", data], capture_output=True, text=True,
                          check=False).stdout
    result["kernels"] = len(re.findall(r"^\s*kernel \d+:", info, re.M))
    result["dispatches"] = sum(int(n) for n in re.findall(r"^\s*(\d+) dispatches,", info, re.M))
    if result["mode"] != "profile":
        return
    report = subprocess.run([sonde, "report", "-i", data, "--total", "--limit", "1", "--format",
                             "json"], capture_output=True, check=False)
    try:
        result["instructions"] = json.loads(report.stdout)["reports"][0]["total"]["dynamic"]
    except (ValueError, LookupError, TypeError):
        pass


def write_image(path, width=96, height=64):
    pixels = bytes((x * y * k + 17 * x) & 255 for y in range(height) for x in range(width)
                   for k in (1, 3, 5))
    with open(path, "wb") as image:
        image.write(b"P6 %d %d 255\n" % (width, height) + pixels)


def cell(value):
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def print_row(result):
    columns = [result["name"], result["mode"], result["state"], result["kernels"],
               result["dispatches"], result["instructions"], result.get("seconds")]
    print("| " + " | ".join(cell(column).replace("|", "\\|") for column in columns) + " |",
          flush=True)


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sonde", default=os.path.join(root, "build/src/cli/sonde"))
    parser.add_argument("--conformance", metavar="DIR",
                        help="test_conformance folder of a conformance test build")
    parser.add_argument("--mode", default="profile", choices=["plain", "profile", "verify"])
    parser.add_argument("--only", metavar="REGEX", default="", help="rows whose name matches")
    parser.add_argument("--limit", type=int, default=120, help="seconds a program")
    parser.add_argument("--show-output", action="store_true",
                        help="print the end of the output of programs that do not pass")
    options = parser.parse_args()
    rows = conformance_rows(os.path.abspath(options.conformance)) if options.conformance \
        else PROGRAMS
    failed = 0
    print("| program | mode | state | kernels | dispatches | instructions | seconds |")
    print("|---|---|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        write_image(os.path.join(folder, "in.ppm"))
        for row in rows:
            if re.search(options.only, row[1]) is None:
                continue
            result = run_row(options.sonde, row, options.mode, options.limit, folder)
            print_row(result)
            if not result["state"].startswith("passes"):
                failed += result["state"] != "not installed"
                if options.show_output and "tail" in result:
                    print(result["tail"], file=sys.stderr, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
