"""What the call-flow tests share: recording, reports, exports."""
import json
import pathlib
import subprocess


class Sonde:
    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)

    def run(self, *arguments, status=0):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True,
                              check=False, timeout=120)
        assert done.returncode == status, (done.args, done.returncode, done.stdout, done.stderr)
        return done

    def record(self, elf, *options):
        run = self.folder / (pathlib.Path(elf).stem + ".data")
        self.run("msp430", "run", elf, "-q", "-o", run, *options)
        return run

    def report(self, run, table):
        document = json.loads(self.run("report", "-i", run, "-t", table, "--format=json").stdout)
        return document["callflow"], document["reports"][0]["rows"]

    def export(self, run, form):
        path = self.folder / f"{run.stem}.{form}"
        self.run("export", "-i", run, "--format", form, "-o", path)
        return path


def check_identity(summary, functions):
    """Every cycle of the run is counted once."""
    parts = sum(summary[key] for key in ("function_cycles", "unmarked_cycles", "interrupt_cycles",
                                         "idle_cycles", "lost_cycles"))
    assert parts == summary["cycles"] == sum(row["self"] for row in functions), summary
