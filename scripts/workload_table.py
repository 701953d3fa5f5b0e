"""OpenCL programs of other people that are tried on the emulated GPU, and the
input files that some of them need. Shared by try-workloads.py and bench/devices.py.

The collections that Debian does not have are taken from folders
DIR/<collection>/<folder> (option --programs DIR), where each holds the built
program beside its kernels, by the names of the collection's own makefiles.
PolyBench: `app`, with MINI_DATASET and, for PoCL, OPENCL_DEVICE_SELECTION as
CL_DEVICE_TYPE_ALL. Rodinia: kmeans with -O0. Parboil: <name>-<version>/<name>.out,
the kernels in src/opencl_<version> below it. ggml: `test-backend-ops`, with
GGML_OPENCL on and its Adreno kernels off."""

import collections
import hashlib
import os
import random
import re
import shlex
import shutil

import parboil_inputs

Program = collections.namedtuple("Program", "collection name command pattern folder result")
Program.__doc__ = """One row. `pattern` must match the output. `result`, unless empty, is a file
that the program writes, or "stdout", or those and ":" and a pattern of lines: the numbers are
compared with those of the run on PoCL."""

PYOPENCL = "/usr/share/doc/python-pyopencl-doc/examples"
PYTHON = "/usr/bin/python3"
PASSWORD_MD5 = "5f4dcc3b5aa765d61d8327deb882cf99"
# Neither a test that failed nor, but for the legend, a mark of a kernel that was not compiled.
NO_FAILURE = r"(?s)\A(?!.*([1-9]\d* test\(s\) failed|\x1b\[35m\\\x1b\[0m(?! ->)))"
# Tells the program of a smaller device than it has (write_small_device below).
SMALL_DEVICE = "small_device.sh"
# Settings of the driver and its compiler: doubles made of integers where the device has none.
DOUBLES = "env OverrideDefaultFP64Settings=1 IGC_EnableDPEmulation=1"
FFT_SIZES = ["-x 64 -y 64", "-x 128", "-x 1024", "-x 4096", "-x 27", "-x 125", "-x 343",
             "-x 100 -y 30", "-x 16 -y 16 -z 16", "-x 64 --inv", "-x 64 -o", "-x 256 -b 16",
             "-x 64 --double", "-x 81 --double", "-x 1024 --double"]


def package(name, title, command, pattern):
    return Program(name, title, command, pattern, "", "")


PACKAGED = [
    package("clinfo", "clinfo", "clinfo", r"Device Name\s+(Intel|pthread)"),
    package("clpeak", "clpeak launch latency", "clpeak --kernel-latency", r"latency : "),
]
PACKAGED += [package("clpeak", f"clpeak {name}, small device",
                     f"env WORK_GROUP=32 sh {SMALL_DEVICE} clpeak {option}",
                     rf"{word}\s*:\s*[0-9.]+")
             for name, option, word in (
                 ("global bandwidth", "--global-bandwidth", "float16"),
                 ("transfer bandwidth", "--transfer-bandwidth", "memcpy to mapped ptr"),
                 ("integer compute", "--compute-integer", "int16"),
                 ("single compute", "--compute-sp", "float16"))]
PACKAGED += [
    # The first start of a configuration measures the device with its own kernels, calls it slow
    # and exports on the processor; the second is told not to mind.
    package("darktable", "darktable first start",
            "darktable-cli in.ppm out.png --core --configdir config -d opencl",
            r"(?s)OpenCL successfully initialized.*exported to"),
    package("darktable", "darktable export", "sh export.sh", r"Largest difference: \d"),
]
PACKAGED += [package("hashcat", f"hashcat {name}",
                     f"hashcat -m {mode} -a 3 --force {more} -n 1 -u 1 -T 32 --self-test-disable "
                     f"--potfile-disable --session sonde {digest} passwo?ld", digest + ":password")
             for name, mode, more, digest in (
                 ("MD5", 0, "-O", PASSWORD_MD5),
                 ("SHA1", 100, "-O", hashlib.sha1(b"password").hexdigest()),
                 ("SHA2-256", 1400, "-O", hashlib.sha256(b"password").hexdigest()),
                 ("SHA2-512", 1700, "-O", hashlib.sha512(b"password").hexdigest()),
                 ("MD5, not optimised", 0, "", PASSWORD_MD5))]
PACKAGED += [package("clfft-client", "clFFT " + size, "clFFT-client -a " + size, r"\*PASS\*")
             for size in FFT_SIZES]
PACKAGED += [package("clfft-client", f"clFFT {size}, doubles emulated by the driver",
                     f"{DOUBLES} clFFT-client -a {size}", r"\*PASS\*")
             for size in FFT_SIZES if "--double" in size]
PACKAGED += [package("clblast-tests", "CLBlast " + name, "clblast_test_" + name,
                     NO_FAILURE + r".*passed")
             for name in ("xaxpy", "xdot", "xgemv", "xtrsv", "xnrm2", "xasum", "xamax", "xscal",
                          "xcopy", "xswap", "xger", "xhad", "xomatcopy", "xgemm", "xsymm",
                          "xsyrk", "xtrmm", "xtrsm", "xgemmbatched", "xconvgemm", "xim2col")]
PACKAGED += [package("python-pyopencl-doc", "PyOpenCL " + name, f"{PYTHON} {PYOPENCL}/{name}", r"")
             for name in ("demo.py", "demo_array.py", "demo_elementwise.py",
                          "demo_elementwise_complex.py", "demo-struct-reduce.py",
                          "demo_meta_template.py", "n-body.py", "pi-monte-carlo.py", "narray.py",
                          "demo_array_svm.py", "svm.py", "median-filter.py",
                          "demo_mandelbrot.py")]
# Matrices of up to 1024 by 1024, where the program has 8192.
PACKAGED += [package("python-pyopencl-doc", "PyOpenCL transpose.py, smaller",
                     f"{PYTHON} -c 'import sys; exec(open(sys.argv[1]).read()"
                     f".replace(\"arange(10, 13\", \"arange(7, 10\"))' {PYOPENCL}/transpose.py",
                     r"benchmarking WithLocal")]
PACKAGED += [package("python-pyopencl-doc", "PyOpenCL " + name,
                     f"{PYTHON} -m pytest -q -x -p no:cacheprovider {tests} {PYOPENCL}/"
                     f"{name.partition(',')[0]}".replace("  ", " "), r"\d+ passed")
             for name, tests in (("test_clmath.py, all but atan", '-k "not test_atan or atan2"'),
                                 ("test_clmath.py, atan", '-k "test_atan and not atan2"'),
                                 ("test_enqueue_copy.py", ""), ("test_wrapper.py", ""),
                                 ("test_arrays_in_structs.py", ""))]

POLYBENCH = [Program("polybench", "PolyBench " + name, "./app",
                     r"(Outputs.*|misses): 0\b", name, "")
             for name in ("2mm", "3mm", "adi", "atax", "bicg", "convolution-2d", "convolution-3d",
                          "correlation", "covariance", "doitgen", "fdtd-2d", "gemm", "gemver",
                          "gesummv", "gramschmidt", "jacobi-1d-imper", "jacobi-2d-imper", "lu",
                          "mvt", "syr2k", "syrk")]


def rodinia(folder, command, pattern="", result="", name=None):
    return Program("rodinia", "Rodinia " + (name or folder), command, pattern, folder, result)


RODINIA = [
    rodinia("b+tree", "./b+tree.out file ../../data/tree.txt command ../../data/commands.txt "
            "-p 0 -d 0", result="output.txt"),
    rodinia("backprop", "./backprop.out -n 1024 -p 0 -d 0", r"Finish the training"),
    rodinia("bfs", "./bfs.out ../../data/graph.txt -p 0 -d 0", r"passed:-\)"),
    rodinia("dwt2d", "./dwt2d.out picture.bmp -i ../../data -D 64x64 -f -5 -l 3 -p 0 -d 0"),
    rodinia("gaussian", "./gaussian.out -s 48 -p 0 -d 0", r"Total: "),
    rodinia("hotspot", "./hotspot.out 64 2 8 ../../data/temperature.txt ../../data/power.txt "
            "output.txt -p 0 -d 0", result="output.txt"),
    rodinia("hotspot3D", "./hotspot3D.out -n 64 -l 8 -i 10 -f ../../data/power.txt "
            "../../data/temperature.txt output.txt -p 0 -d 0", r"Accuracy: \S+e-0[4-9]"),
    rodinia("hybridsort", "./hybridsort.out r -p 0 -d 0", r"(?i)passed|Total: "),
    # Built with -O0: a function that must return a value does not.
    rodinia("kmeans", "./kmeans.out -o -i ../../data/points.txt -p 0 -d 0",
            result=r"stdout:^(\d+: |iterated)"),
    rodinia("lavaMD", "./lavaMD.out -boxes1d 2 -p 0 -d 0", r"Total: "),
    rodinia("lud", "./lud.out -s 64 -v -p 0 -d 0", r"(?s)^(?!.*dismatch).*>>>Verify<<<<"),
    rodinia("nn", "./nn.out files.txt -r 5 -lat 30 -lng 90 -f ../../data -p 0 -d 0",
            result="stdout:Distance"),
    rodinia("nw", "./nw.out 128 10 ./nw.cl -p 0 -d 0", r"Computation Done"),
    # In one work-group: more than one read what another writes, without waiting for it.
    rodinia("particlefilter", "./OCL_particlefilter_naive.out -x 32 -y 32 -z 4 -np 256",
            r"(?s)XE: .*ENTIRE PROGRAM TOOK", name="particlefilter naive"),
    rodinia("particlefilter", "./OCL_particlefilter_single.out -x 32 -y 32 -z 4 -np 256 -p 0 -d 0",
            r"ENTIRE PROGRAM TOOK", "output.txt", "particlefilter single"),
    rodinia("particlefilter", "./OCL_particlefilter_double.out -x 32 -y 32 -z 4 -np 256 -p 0 -d 0",
            r"ENTIRE PROGRAM TOOK", "output.txt", "particlefilter double"),
    rodinia("particlefilter", f"{DOUBLES} ./OCL_particlefilter_naive.out -x 32 -y 32 -z 4 -np 256",
            r"(?s)XE: .*ENTIRE PROGRAM TOOK",
            name="particlefilter naive, doubles emulated by the driver"),
    rodinia("particlefilter",
            f"{DOUBLES} ./OCL_particlefilter_double.out -x 32 -y 32 -z 4 -np 256 -p 0 -d 0",
            r"ENTIRE PROGRAM TOOK", "output.txt",
            "particlefilter double, doubles emulated by the driver"),
    rodinia("pathfinder", "./pathfinder.out -c 1000 -r 20 -h 5 -p 0 -d 0", r"Total: "),
    rodinia("srad", "./srad.out -n 5 -l 0.5 -s 64 64 -p 0 -d 0", result="output/image_out.pgm"),
    rodinia("streamcluster", "./streamcluster.out 4 8 16 512 512 100 none output.txt 1 -p 0 -d 0",
            result="output.txt"),
]

# -s 1 is the smallest size; a program that checks its results says so when they are wrong.
SHOC = [Program("shoc", "SHOC " + name,
                f"{before} ./{name.partition(',')[0]} -s 1 -n 1 --passes 1 {more}".strip(),
                r"(?s)^(?!.*(FAILED|incorrect|ERROR|[Mm]ismatch)).*" + word, ".", "")
        for name, word, before, more in (
            ("BFS", "BFS", "", ""), ("FFT", "FFT", "", ""), ("GEMM", "GEMM", "", ""),
            ("KernelCompile", "BuildProgram", "", ""), ("MD", "MD", "", ""),
            ("MD5Hash", "MD5Hash", "", ""), ("Reduction", "Reduction", "", ""),
            ("S3D", "S3D", "", ""), ("Scan", "Scan", "", ""), ("Sort", "Sort", "", ""),
            ("Spmv", "CSR", "", ""),
            # Of 1000 steps.
            ("Stencil2D, 20 steps", "Sten2D", "", "--num-iters 20"),
            ("Triad", "Triad", "", ""), ("BusSpeedDownload", "Download", "", ""),
            ("BusSpeedReadback", "Readback", "", ""),
            ("DeviceMemory, small device", "readGlobal", f"sh ../../{SMALL_DEVICE}", ""),
            ("MaxFlops", "MaxFlops|Add1", "", ""), ("QueueDelay", "SSDelay|Delay", "", ""))]

# Each compares with its own implementation for the processor. All shapes of the last three
# are thousands.
GGML = [Program("ggml", f"ggml {name}",
                f"./test-backend-ops test -b GPUOpenCL -o {operations} {more}".strip(),
                r"Backend OpenCL: \S*OK", ".", "")
        for name, operations, more in (
            ("arithmetic", "ADD,SUB,MUL,DIV,SCALE,SQR,SQRT,CLAMP,ADD_ID,FILL,TRI,DIAG", ""),
            ("activations", "ABS,SIGMOID,SOFTPLUS,NEG,TANH,RELU,GELU,GELU_QUICK,SILU,EXP,EXPM1,"
             "GELU_ERF,REGLU,GEGLU,SWIGLU,GEGLU_ERF,GEGLU_QUICK,SWIGLU_OAI", ""),
            ("copies", "GET_ROWS,SET_ROWS,CPY,CONT,DUP,SET,REPEAT,CONCAT,PAD,UPSCALE", ""),
            ("reductions", "MEAN,SUM_ROWS,NORM,RMS_NORM,L2_NORM,GROUP_NORM,ARGSORT", ""),
            ("CUMSUM", "CUMSUM", "-p '^(?!.*(242004|375960))'"),
            ("CUMSUM of 242,004 and 375,960 numbers", "CUMSUM", "-p '242004|375960'"),
            ("soft max", "SOFT_MAX,DIAG_MASK_INF", ""),
            ("convolution to matrix", "IM2COL", "-p 'ne_input=.(10|12|20),'"),
            ("state space, triangular", "SSM_CONV,SOLVE_TRI,TIMESTEP_EMBEDDING", ""),
            ("SSM_SCAN", "SSM_SCAN", "-p 'n_seq_tokens=(16|32),'"),
            ("ROPE", "ROPE", "-p 'ne_a=.(128,32|64,128|80,32),2,1.*mode=[02]'"),
            ("MUL_MAT", "MUL_MAT", r"-p 'type_b=f32,m=16,n=[1-9],k=256,bs=.1,1'"),
            ("MUL_MAT_ID", "MUL_MAT_ID", "-p 'n_mats=4,n_used=2,b=0,m=512,n=[1-5],k=256'"),
            ("FLASH_ATTN_EXT", "FLASH_ATTN_EXT",
             "-p 'hsk=(64|128),.*nr23=.[14],1.,kv=113,nb=[13],mask=1,sinks=[01],max_bias=0'"),
            ("CONV_2D", "CONV_2D", "-p 'ne_input=.19,|ne_input=.1,133,1,2.*stride0=3.*padding1=2'"))]



def parboil(folder, arguments, result, pattern="Timer Wall Time"):
    """Inputs are those of parboil_inputs.py."""
    name = folder.rpartition("-")[0]
    return Program("parboil", f"Parboil {folder}", f"./{name}.out {arguments}", pattern, folder,
                   result)


PARBOIL_DATA = "../../data/parboil"
PARBOIL = [
    parboil("bfs-base", "-i ../../data/graph.txt -o out.txt", "out.txt"),
    parboil("bfs-nvidia", f"-i {PARBOIL_DATA}/grid.txt -o out.txt", "out.txt"),
    parboil("cutcp-nvidia", f"-i {PARBOIL_DATA}/atoms.pqr -o out.f32", "out.f32"),
    parboil("fft-base", f"-i {PARBOIL_DATA}/fft.bin -o out.f32 -- 256 64", "out.f32"),
    # Twice, because nothing but the last kernel of a pass clears two of the buffers.
    parboil("histo-base", f"-i {PARBOIL_DATA}/histogram.bin -o out.bin -- 2", "out.bin"),
    parboil("histo-nvidia", f"-i {PARBOIL_DATA}/histogram.bin -o out.bin -- 2", "out.bin"),
    parboil("lbm-nvidia", "-o out.f32 -- 1", "out.f32"),
    parboil("mri-gridding-base", f"-i {PARBOIL_DATA}/gridding -o out.bin -- 32", "",
            r"results\.\.\. PASSED"),
    parboil("mri-gridding-nvidia", f"-i {PARBOIL_DATA}/gridding -o out.bin -- 32", "",
            r"results\.\.\. PASSED"),
    parboil("mri-q-nvidia", f"-i {PARBOIL_DATA}/mri-q.bin -o out.f32", "out.f32"),
    parboil("sad-nvidia", f"-i {PARBOIL_DATA}/first.bin,{PARBOIL_DATA}/second.bin -o out.bin",
            "out.bin"),
    parboil("sgemm-nvidia",
            f"-i {PARBOIL_DATA}/a.txt,{PARBOIL_DATA}/b.txt,{PARBOIL_DATA}/bt.txt -o out.txt",
            "out.txt"),
    parboil("spmv-nvidia", f"-i {PARBOIL_DATA}/sparse.mtx,{PARBOIL_DATA}/vector.bin -o out.f32",
            "out.f32"),
    parboil("stencil-nvidia", f"-i {PARBOIL_DATA}/stencil.bin -o out.f32 -- 128 32 16 4",
            "out.f32"),
    # As many points as a work-group has work-items: for more, a barrier is missing.
    parboil("tpacf-nvidia", f"-i {PARBOIL_DATA}/sky.txt,{PARBOIL_DATA}/random1.txt,"
            f"{PARBOIL_DATA}/random2.txt -o out.txt -- -n 2 -p 256", "out.txt"),
]

BUILT = POLYBENCH + RODINIA + SHOC + PARBOIL + GGML
BENCHED = [program for program in POLYBENCH + RODINIA + SHOC if DOUBLES not in program.command]

# Number, what it is about ("program on device"), text.
NOTES = [
    (1, r"PolyBench adi.* on emu:(tgllp|dg2)",
     "11 of 131,072 elements lie more than 10.05 % from the processor's. Where the device has no "
     "divide instruction, the compiler's division is a correctly scaled `math.inv` and two products, "
     "which is within OpenCL's 2.5 ulp; the same sequence on the processor (and one fused "
     "multiply-add where the compiler has one) gives all 131,072 elements bit for bit. The algorithm "
     "magnifies it: with the exact quotients moved at random by up to 2.5 ulp, 14 to 37 elements lie "
     "outside in 20 runs."),
    (2, r"PolyBench fdtd-2d.* on emu:(tgllp|dg2)",
     "1 of 262,144 elements lies more than 1.05 % from the processor's. The kernels write `0.5*` and "
     "`0.7*`; without doubles in the device the factor is a float. PoCL with "
     "`-cl-single-precision-constant` says the same, and its 262,144 elements, those of a loop of "
     "`fmaf` on the processor and those of both devices are the same bit for bit."),
    (3, r"particlefilter (naive|double) on emu:(tgllp|dg2)",
     "The program needs doubles, which the device does not have; it goes on after the failed build "
     "and crashes or writes what it started with. The driver can be told to make doubles of integers: "
     "the rows *doubles emulated by the driver*."),
    (4, r"particlefilter double( on emu:skl|, .* on emu)",
     "Another position than PoCL's: the compiler's `cos` of a double is wrong with "
     "`-cl-fast-relaxed-math`, which the program asks for. The library's `(t - 1.5*2^52) - 0.5` is "
     "rearranged to `t - (1.5*2^52 + 0.5)`, where the half is rounded away, so that the code computes "
     "`-sin` (seen in its last intermediate form, and in the only `add` of that constant in the "
     "machine code). Without the option, or with `sin(x + pi/2)` for `cos(x)`, the position agrees "
     "with PoCL's to the last digit printed; and emu:tgllp, whose doubles are made of integers by "
     "other instructions, gives the same wrong position as emu:skl to the last digit."),
    (5, r"SHOC (Scan|Sort).* on pocl",
     "PoCL's error. In `bottom_scan` of Scan and `top_scan` of Sort all work-items store 0 to a "
     "`__local` variable before a loop with barriers, which carries a sum in it from one round to the "
     "next; PoCL loses the sum (195,840 of 262,144 and 945 of 1,024 elements are wrong). If one "
     "work-item alone stores the 0, no element is wrong; a further barrier behind it changes nothing."),
    (6, r"darktable.* on pocl",
     "darktable leaves OpenCL devices that are the processor alone."),
    (7, "ggml.* on pocl",
     "The program knows Intel's and Qualcomm's devices only: it reports an unsupported GPU, drops "
     "PoCL's device and is left with none to test."),
    (8, r"clFFT.*--double on emu:(tgllp|dg2)",
     "Needs doubles, which the device does not have; clFFT refuses to make the plan. The driver can "
     "make doubles of integers: the rows *doubles emulated by the driver*."),
    (9, "Parboil (histo.* on emu:(skl|tgllp)|(mri-q|sgemm).* on emu:skl)",
     "The program needs work-groups of 512 work-items, histo of up to 768; the device allows 256 on "
     "emu:skl and 512 on emu:tgllp, and the driver refuses the launch "
     "(CL_INVALID_WORK_GROUP_SIZE)."),
    (10, r"test_clmath.py, atan on emu",
     "The program compares with NumPy's `arctan` of floats and allows 2e-7, which is less than two "
     "units in the last place of results above 1; OpenCL allows `atan` five. Over 10,000 arguments "
     "from -10 to 10 the compiler's `atan` lies at most 1.64 units from the exact value and NumPy's "
     "at most 1.20; 8 of them are 2.4e-7 apart. The conformance tests of `atan` pass on each device "
     "([conformance.md](conformance.md))."),
    (11, r"CLBlast xamax on emu",
     "The program's error, of halfs only, which PoCL does not have. `XamaxEpilogue` stores the index "
     "as 32 bits and the program reads the result as halfs, so that it takes the upper 16 bits for a "
     "write behind the end (`-verbose 1`: \"Buffer overflow index 1: 0.721191 (reference) versus "
     "0.000000\" in all 12 tests). The index is right; the other precisions pass."),
    (12, r"CLBlast xgemmbatched on emu",
     "The program's and the library's error, of halfs only, which PoCL does not have. The program "
     "adds its factors as the whole numbers that the halfs are stored in (0x4247 + 0x3c00 = 0x7e47, "
     "not a number), so that its own reference for the processor is not a number in 319,560 of the "
     "319,698 elements that differ (`-verbose 1` on emu:tgllp); and the library writes them as halfs "
     "for a kernel that reads floats (`real_arg`). The other precisions pass."),
    (13, r"ggml soft max on emu",
     "The driver's compiler: with `-cl-fast-relaxed-math`, which the program asks for, `pow` of a "
     "float and a whole number has no logarithm and no exponential function left, and its magnitude "
     "comes from registers that nothing writes (r40 and r42 in a kernel of that one call, by ocloc "
     "for skl, too). The 84 of 214 tests that fail on emu:skl are all that have a `max_bias` other "
     "than 0, for which alone the kernels call it; the other 130 pass."),
    (14, r"ggml SSM_SCAN on emu",
     "Written for sub-groups of 64, as Qualcomm's devices have: one work-item writes the "
     "`sub_group_reduce_add` of its sub-group as the sum of the 64 work-items of the work-group. "
     "Intel's sub-groups have 32 work-items at most."),
    (15, r"ggml CUMSUM of.* on emu:(skl|tgllp)",
     "The program needs a work-group whose size squared is at least the count of numbers, and asserts "
     "it (`ne00 <= nth*nth`); the device allows 256 on emu:skl and 512 on emu:tgllp."),
    (16, r"test_clmath.py, all but atan on emu:(tgllp|dg2)",
     "`test_atan2` makes its arguments of Python's numbers, for which PyOpenCL writes a kernel with "
     "doubles; the device has none, and the kernel is not built. The 15 tests before it pass."),
    (17, r"CLBlast (xconvgemm|xim2col) on emu",
     "Thousands of tests, each with enqueues of its own; dispatches are those until the limit. None "
     "of the last that the program printed had failed."),
    (18, r"SHOC MaxFlops on emu",
     "The program times its first kernel and then repeats the others until each takes as long as on "
     "a device that it takes for fast. 13 of 43 kernels had run on emu:skl at the limit."),
]


def note_numbers(name, device):
    """The numbers of the notes about what a program did on a device."""
    return "".join(f" ({number})" for number, pattern, _ in NOTES
                   if re.search(pattern, f"{name} on {device}"))


def is_installed(program, directory):
    """Whether the program can be started; `directory` is that of --programs, or None."""
    words = [word for word in shlex.split(program.command) if word != "env" and "=" not in word]
    if words[0] == "sh":
        words = words[2:] or [f"{program.collection}-cli"]
    if program.folder:
        return directory is not None and os.access(
            os.path.join(directory, program.collection, program.folder, words[0]), os.X_OK)
    if words[0] == PYTHON and not os.path.exists(words[-1]):
        return False
    return shutil.which(words[0]) is not None


def prepare(program, directory, scratch):
    """The folder to run the program in, below `scratch`: a copy of its own, beside the inputs."""
    if not program.folder:
        return scratch
    copy = os.path.join(scratch, program.collection, os.path.basename(
        os.path.normpath(os.path.join(program.collection, program.folder))))
    if not os.path.exists(copy):
        shutil.copytree(os.path.join(directory, program.collection, program.folder), copy)
    if program.name == "Rodinia nn":
        write_lines(os.path.join(copy, "files.txt"), ["storms.txt"])
    return copy


def write_lines(path, lines):
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in lines)


def write_pictures(scratch):
    """A colour picture in scratch/in.ppm, others in scratch/data."""
    width, height = 96, 64
    pixels = bytes((x * y * k + 17 * x) & 255 for y in range(height) for x in range(width)
                   for k in (1, 3, 5))
    with open(os.path.join(scratch, "in.ppm"), "wb") as image:
        image.write(b"P6 %d %d 255\n" % (width, height) + pixels)
    size = 64
    header = (b"BM" + (54 + 3 * size * size).to_bytes(4, "little") + bytes(4) +
              (54).to_bytes(4, "little") + (40).to_bytes(4, "little") +
              size.to_bytes(4, "little") * 2 + (1).to_bytes(2, "little") +
              (24).to_bytes(2, "little") + bytes(24))
    with open(os.path.join(scratch, "data", "picture.bmp"), "wb") as image:
        image.write(header + pixels[:3 * size * size])
    os.makedirs(os.path.join(scratch, "data", "srad"))
    write_lines(os.path.join(scratch, "data", "srad", "image.pgm"),
                ["P2", f"{size} {size}", "255"] +
                [str(x * y % 251 + 1) for y in range(size) for x in range(size)])


def write_export(scratch):
    """A script that exports with and without OpenCL and compares the pictures, of 16 bits."""
    write_lines(os.path.join(scratch, "export.sh"), [
        "set -e",
        "picture() {",
        "rm -f out.ppm",
        'darktable-cli in.ppm out.ppm --core --configdir config "$@" -d opencl >&2',
        # Behind the header.
        "od -An -v -w2 -tu2 --endian=big -j 15 out.ppm",
        "}",
        "picture --conf opencl=TRUE > with.txt",
        "picture --disable-opencl > without.txt",
        "paste with.txt without.txt | awk '{ d = $1 > $2 ? $1 - $2 : $2 - $1;"
        " if (d > most) most = d } END { print \"Largest difference: \" most + 0;"
        " exit NR != 18432 || most > 64 }'"])


def write_small_device(scratch):
    """A script that runs a program which sees one compute unit, at most 16 MiB a buffer and, where
    WORK_GROUP is set, work-groups of that size, so that a benchmark whose work grows with them
    ends."""
    write_lines(os.path.join(scratch, "small_device.c"), [
        "#define _GNU_SOURCE",
        "#include <dlfcn.h>",
        "#include <stdlib.h>",
        "int clGetDeviceInfo(void *device, unsigned name, size_t size, void *value, size_t *filled)",
        "{",
        "    int (*real)(void *, unsigned, size_t, void *, size_t *);",
        '    *(void **)&real = dlsym(RTLD_NEXT, "clGetDeviceInfo");',
        "    const int status = real(device, name, size, value, filled);",
        '    const char *group = getenv("WORK_GROUP");',
        "    if (value == NULL || status != 0)",
        "        return status;",
        "    if (name == 0x1002) /* CL_DEVICE_MAX_COMPUTE_UNITS */",
        "        *(unsigned *)value = 1;",
        "    if (name == 0x1010) /* CL_DEVICE_MAX_MEM_ALLOC_SIZE */",
        "        *(unsigned long *)value = 16 << 20;",
        "    /* CL_DEVICE_MAX_WORK_GROUP_SIZE, and the first of CL_DEVICE_MAX_WORK_ITEM_SIZES */",
        "    if (group != NULL && (name == 0x1004 || name == 0x1005))",
        "        *(size_t *)value = strtoul(group, NULL, 10);",
        "    return status;",
        "}"])
    write_lines(os.path.join(scratch, SMALL_DEVICE), [
        "set -e",
        'here=$(dirname "$0")',
        "[ -e $here/small_device.so ] ||",
        "    cc -shared -fPIC -o $here/small_device.so $here/small_device.c",
        'export LD_PRELOAD="$LD_PRELOAD:$(realpath $here)/small_device.so"',
        'exec "$@"'])


def write_inputs(scratch):
    """Input files of small size, the same in every run."""
    data = os.path.join(scratch, "data")
    os.makedirs(data)
    write_pictures(scratch)
    write_export(scratch)
    write_small_device(scratch)
    parboil_inputs.write_inputs(os.path.join(data, "parboil"))
    if os.path.exists(f"{PYOPENCL}/noisyImage.jpg"):
        shutil.copy(f"{PYOPENCL}/noisyImage.jpg", scratch)
    dice = random.Random(1)
    nodes = 1000
    degrees = [dice.randrange(1, 7) for _ in range(nodes)]
    starts = [sum(degrees[:node]) for node in range(nodes)]
    write_lines(os.path.join(data, "graph.txt"),
                [nodes] + [f"{start} {degree}" for start, degree in zip(starts, degrees)] +
                ["", 0, "", sum(degrees)] +
                [f"{dice.randrange(nodes)} {dice.randrange(1, 9)}" for _ in range(sum(degrees))])
    write_lines(os.path.join(data, "temperature.txt"),
                [f"{320 + 20 * dice.random():.4f}" for _ in range(64 * 64 * 8)])
    write_lines(os.path.join(data, "power.txt"),
                [f"{dice.random() / 1000:.6f}" for _ in range(64 * 64 * 8)])
    write_lines(os.path.join(data, "points.txt"),
                [" ".join([str(n)] + [f"{dice.random() * 100:.3f}" for _ in range(8)])
                 for n in range(500)])
    # Fixed columns: latitude at 28, longitude at 33.
    write_lines(os.path.join(data, "storms.txt"),
                [f"{'1950 01 01 00 1 STORM':<28}{dice.uniform(7, 60):5.1f}"
                 f"{dice.uniform(10, 99):5.1f}{'':10}" for _ in range(1000)])
    write_lines(os.path.join(data, "tree.txt"),
                [2000] + dice.sample(range(2000), 2000))
    write_lines(os.path.join(data, "commands.txt"), ["j 100 50", "k 200"])
