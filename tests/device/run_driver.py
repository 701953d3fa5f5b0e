#!/usr/bin/env python3
"""run_driver.py SERVE MODE PROGRAM ARGS...

Run an OpenCL program on the unmodified Intel driver against device-serve.
MODE says what must happen: 'pass' (exit 0, no fault), 'printf' (64 lines),
'fault' (exit 0, the server counts a fault), 'limit' (the same,
for a kernel that never ends), 'kill' (the program is killed in
the middle of a kernel that never ends) or 'exit' (it leaves by itself there);
in all of them the server must stop within five seconds of being asked to."""
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77


def driver_library():
    for pattern in ("/usr/lib/*/intel-opencl/libigdrcl.so", "/usr/lib64/intel-opencl/libigdrcl.so"):
        for path in glob.glob(pattern):
            return path
    return None


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.environment = {}
        self.environment["TbxPort"] = self.process.stdout.readline().split()[1]
        while True:
            words = self.process.stdout.readline().split()
            if words[0] != "environment":
                break
            name, value = words[1].split("=", 1)
            self.environment[name] = value

    def stop(self):
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            out, err = self.process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            sys.exit("the server does not stop")
        print(err, end="")
        print(f"server: {out.strip()}, stopped in {time.monotonic() - begin:.3f} s")
        if self.process.returncode != 0:
            sys.exit(f"the server ended with {self.process.returncode}")
        return {k: int(v) for k, v in re.findall(r"(\w+) (\d+)", out)}


def run_killed(program, environment, kill):
    process = subprocess.Popen(program, env=environment, stdout=subprocess.PIPE)
    process.stdout.readline()
    if kill:
        time.sleep(0.5)
        process.kill()
    process.wait(timeout=30)


def main():
    serve, mode, program = sys.argv[1], sys.argv[2], sys.argv[3:]
    library = driver_library()
    if library is None:
        print("no Intel OpenCL driver here")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        vendor = os.path.join(folder, "intel.icd")
        with open(vendor, "w", encoding="utf-8") as file:
            file.write(library + "\n")
        limit = ["--max-instructions", "1000000"] if mode == "limit" else []
        server = Server([serve] + limit)
        environment = dict(os.environ, OCL_ICD_VENDORS=vendor, **server.environment)
        if mode in ("kill", "exit"):
            run_killed(program, environment, mode == "kill")
            # The next program finds the server alive.
            after = subprocess.run([program[0], "add"], env=environment, check=False)
            totals = server.stop()
            return after.returncode or totals["faults"]
        begin = time.monotonic()
        result = subprocess.run(program, env=environment, stdout=subprocess.PIPE, text=True,
                                check=False)
        print(result.stdout, end="")
        print(f"exit {result.returncode} after {time.monotonic() - begin:.3f} s")
        totals = server.stop()
        if result.returncode != 0 or totals["dispatches"] == 0:
            return 1
        if mode == "printf":
            lines = sorted(result.stdout.split("\n")[:-1])
            return lines != sorted(f"item {100 + i}" for i in range(64))
        return totals["faults"] != 0 if mode == "pass" else totals["faults"] == 0


sys.exit(main())
