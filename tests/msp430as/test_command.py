#!/usr/bin/env python3
"""sonde msp430 as: options, misuse, and the forms that text may have."""
import pathlib
import subprocess
import sys
import tempfile

SONDE = sys.argv[1]
FOLDER = None


def run(*arguments, text=None):
    result = subprocess.run([SONDE, *arguments], input=(text or "").encode(), capture_output=True)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def expect(text, wanted, *options):
    code, out, err = run("msp430", "as", *options, "-", "-o", "-", text=text)
    assert code == 0, err
    assert out == wanted, f"{text!r} became\n{out!r}, not\n{wanted!r}"
    return err


def refuse(status, message, *arguments, text=""):
    code, out, err = run("msp430", "as", *arguments, text=text)
    assert code == status and message in err and out == "", (arguments, code, err)


def words():
    pseudo = "f:\t.profile_enter ; in\n\tnop\n\t.profile_exit\n\tret\n"
    expect(pseudo, "f:\t.word\t0x0001 ; in\n\tnop\n\t.word\t0x0002\n\tret\n")
    expect(pseudo, "f:\t.word\t0x13c1 ; in\n\tnop\n\t.word\t0x13c2\n\tret\n", "--core", "cpux")
    expect(pseudo, "f:\t.word\t0x0003 ; in\n\tnop\n\t.word\t0x0002\n\tret\n", "-mpge", "3",
           "-mpgx", "0x002")
    expect(pseudo, "f:\t.word\t0x13c1 ; in\n\tnop\n\t.word\t0x13c5\n\tret\n", "--mpge=0x13c1",
           "-mpgx=0x13c5")
    refuse(2, "must differ", "-mpge", "2", "-", "-o", "-")
    refuse(2, "from 0 to 0xffff", "-mpge", "0x10000", "-", "-o", "-")
    refuse(2, "from 0 to 0xffff", "-mpgx", "-1", "-", "-o", "-")
    refuse(2, "from 0 to 0xffff", "-mpgx", "0x", "-", "-o", "-")
    refuse(2, "from 0 to 0xffff", "-mpgx", "two", "-", "-o", "-")
    refuse(2, "it is an instruction", "-mpge", "0x4130", "-", "-o", "-")
    refuse(2, "it is an instruction", "--core", "cpux", "-mpge", "1", "-mpgx", "2", "-", "-o", "-")


def misuse():
    refuse(2, "needs --output", "-")
    refuse(2, "needs IN.s", "-o", "-")
    refuse(2, "needs --auto", "--exclude", "f", "-", "-o", "-")
    refuse(2, "did you mean 'cpux'", "--core", "cpuxx", "-", "-o", "-")
    refuse(2, "needs a value", "-", "-o", "-", "-mpge")
    refuse(1, "cannot open", FOLDER + "/none.s", "-o", "-")
    refuse(1, "cannot write", "-", "-o", FOLDER + "/none/out.s")
    refuse(1, "stdin:2: .profile_enter takes no operand", "-", "-o", "-",
           text="nop\n.profile_enter 3\n")
    refuse(1, "stdin:1: '.profile_entry' is unknown", "-", "-o", "-", text=".profile_entry\n")
    refuse(1, "stdin:3: the comment that begins here", "-", "-o", "-", text="\n\n /* \n\n")
    refuse(1, "stdin:4: a distance given as a number", "--auto", "-", "-o", "-",
           text=".type f,@function\nf:\n\tnop\n\tjne $-2\n\tret\n")
    for words_ in (["msp430"], ["msp430", "az"], ["help", "msp430", "az"]):
        code, _, err = run(*words_)
        assert code == 2 and "msp430" in err, err
    assert run("help", "msp430", "as") == run("msp430", "as", "--help")


def forms():
    head = "\t.type\tf,@function\n"
    # GCC's spelling: capitals, no comment at the label, 20-bit returns.
    expect(head + "f:\n; start of function\n\tMOV.W\t#1, R12\n\tRETA\n",
           head + "f:\n\t.word\t0x13c1\n; start of function\n\tMOV.W\t#1, R12\n"
           "\t.word\t0x13c2\n\tRETA\n", "--auto", "--core", "cpux")
    # Everything on one line, no newline at the end.
    expect(head + "f: nop { ret", head + "f:\n\t.word\t0x0001\n nop { \n\t.word\t0x0002\n\tret",
           "--auto")
    for leave in ("pop pc", "pop r0", "mov @r1+,r0", "mov.w @sp+, pc", "reti", "br #other",
                  "mov #other, pc", "jmp other", "br #f"):
        expect(f"{head}f:\n\tnop\n\t{leave}\n",
               f"{head}f:\n\t.word\t0x0001\n\tnop\n\t.word\t0x0002\n\t{leave}\n", "--auto")
    for stay in ("jmp .L1", "br #.L1", "mov #.L1, pc", "br .LJTI0_0(r12)", "mov @r1+, r10"):
        expect(f"{head}f:\n.L1:\n\tnop\n\t{stay}\n",
               f"{head}f:\n\t.word\t0x0001\n.L1:\n\tnop\n\t{stay}\n", "--auto")
    # A conditional jump to another function leaves only when it is taken.
    err = expect(f"{head}f:\n\tjne other\n\tret\n",
                 f"{head}f:\n\t.word\t0x0001\n\tjeq\t.Lsonde0_0\n\t.word\t0x0002\n\tbr\t#other\n"
                 ".Lsonde0_0:\n\t.word\t0x0002\n\tret\n", "--auto")
    assert "stdin:3: 'jne other' becomes a branch" in err, err
    naked = head + "f:\n; start of function\n; attributes: naked \n\tRET\n"
    assert "is naked" in expect(naked, naked, "--auto")
    # Left alone: excluded, marked by hand, macros, strings, legacy rows.
    for same in (f"{head}f:\n\tret\n", ):
        assert "excluded" in expect(same, same, "--auto", "--exclude", "f")
        assert "no function is named 'g'" in run("msp430", "as", "--auto", "--exclude", "g", "-",
                                                 "-o", "-", text=same)[2]
    own = f"{head}f:\n\t.profile_enter\n\tnop\n\tret\n"
    assert "of its own" in expect(own, own.replace(".profile_enter", ".word\t0x0001"), "--auto")
    same = ('\t.profiler "scdP", f\n\t.ascii "ret ; .profile_enter"\n\t.macro leave\n\tret\n\t.endm\n'
            "# 1 \"f.c\"\n\tmov #';', r12\r\n\t/* ret\n ret */ x = 3\n")
    expect(same, same, "--auto")


def files():
    path = pathlib.Path(FOLDER) / "in.s"
    path.write_text("f:\n\t.profile_exit\n")
    assert run("msp430", "as", str(path), "-o", str(path))[0] == 0
    assert path.read_text() == "f:\n\t.word\t0x0002\n"
    assert [p.name for p in pathlib.Path(FOLDER).iterdir()] == ["in.s"]


with tempfile.TemporaryDirectory() as FOLDER:
    words()
    misuse()
    forms()
    files()
