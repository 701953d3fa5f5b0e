#!/usr/bin/env python3
"""sonde msp430 run's options and each of its faults, with programs assembled
by clang. Usage: test_options.py SONDE CLANG LINKER SCRIPT.ld OBJCOPY"""
import pathlib
import re
import subprocess
import sys
import tempfile

SONDE, CLANG, LINKER, SCRIPT, OBJCOPY = sys.argv[1:]
START = """
        .text
        .global _start
        .type _start,@function
_start:
        mov #0x0400, r1
        mov #0x5a80, &0x0120
"""
END = """
        .global _exit
        .type _exit,@function
_exit:  dint
        nop
        jmp .
"""
# Receives bytes and sends each back plus one, until a zero byte.
ECHO = START + """
        mov.b #0x81, &0x61
        mov.b #8, &0x62
        mov.b #0, &0x63
        bic.b #1, &0x61
.Lnext: bit.b #1, &0x03
        jz .Lnext
        mov.b &0x66, r12
        tst.b r12
        jz _exit
        inc.b r12
.Lfull: bit.b #2, &0x03
        jz .Lfull
        mov.b r12, &0x67
        jmp .Lnext
""" + END
# Counts interrupts of two vectors, the higher one in r13; sleeps until three came.
COUNT = START + """
        clr r12
        clr r13
.Lwait: bis #0x18, r2
        nop
        cmp #3, r12
        jne .Lwait
""" + END + """
        .type low,@function
low:    inc r12
        bic #0x10, 0(r1)
        reti
        .type high,@function
high:   inc r12
        mov r12, r13
        bic #0x10, 0(r1)
        reti
        .section __interrupt_vector_3,"ax",@progbits
        .short low
        .section __interrupt_vector_9,"ax",@progbits
        .short high
"""
# name: (body, reason, data, further text)
FAULTS = {
    "word read": ("mov #0x0301, r12\n mov @r12, r13\n", "word at an odd address", "0x0301",
                  "mov @r12, r13"),
    "word write": ("mov #7, &0x0303\n", "word at an odd address", "0x0303", "mov #0x0007, &0x0303"),
    "odd branch": ("mov #0xc101, r12\n br r12\n", "word at an odd address", "0xc101", "br r12"),
    "undefined": (".short 0x0003\n", "undefined opcode", "0x0003", "_start"),
    "another": (".short 0x13a0\n", "undefined opcode", "0x13a0", "_start"),
    "peripherals": ("br #0x0120\n", "execution outside of program memory", "0x0120", "0x0120"),
    "vacant": ("call #0x2000\n", "execution outside of program memory", "0x2000",
               r"from 0xc\w+ <_start\+"),
}
CHAIN = START + """
        mov #inner, r10
        call #outer
        jmp .
        .type outer,@function
outer:  push r10
        sub #4, r1
        call r10
        add #4, r1
        pop r10
        ret
        .type inner,@function
inner:  push #0xc004
        eint
        nop
        nop
        nop
        ret
        .type handler,@function
handler: push r12
        .short 0x0005
        .section __interrupt_vector_9,"ax",@progbits
        .short handler
"""


def build(folder, name, text):
    source = folder / (name + ".s")
    source.write_text(text)
    subprocess.run([CLANG, "--target=msp430", "-c", source, "-o", source.with_suffix(".o")],
                   check=True)
    elf = source.with_suffix(".elf")
    subprocess.run([LINKER, "-n", "-q", "-T", SCRIPT, "-o", elf, source.with_suffix(".o")],
                   check=True)
    return elf


def run(*arguments, stdin=b""):
    return subprocess.run([SONDE, "msp430", "run", *arguments], capture_output=True, check=False,
                          timeout=60, input=stdin)


def check(condition, done):
    if not condition:
        sys.exit(f"{done.args}: exit {done.returncode}\n{done.stdout}\n{done.stderr.decode()}")


def uart(folder):
    elf = build(folder, "echo", ECHO)
    sent = folder / "sent"
    sent.write_bytes(b"HAL" * 2000 + b"\0")
    done = run(elf, "--uart", sent)
    check(done.returncode == 0 and done.stdout == b"IBM" * 2000, done)
    done = run(elf, "--uart", "-", stdin=b"abc\0")
    check(done.returncode == 0 and done.stdout == b"bcd", done)
    done = run(elf, "--uart", sent, "--until", "output=MIBMIBM")
    check(done.returncode == 0 and done.stdout == b"IBMIBMIBM", done)
    check(b"stopped as asked" in done.stderr, done)
    sent.write_bytes(b"000/0/0/0/0/1/00\0")
    done = run(elf, "--uart", sent, "--until", "output=1010102")
    check(done.stdout == b"1110101010102" and b"stopped as asked" in done.stderr, done)
    check(run(elf, "--until", "output=").returncode == 2, done)
    check(run(elf, "--uart", folder / "absent").returncode == 1, done)
    # The same program as Intel HEX, which has no symbols.
    text = folder / "echo.hex"
    subprocess.run([OBJCOPY, "-O", "ihex", elf, text], check=True)
    done = run(text, "--uart", "-", stdin=b"xyz\0")
    check(done.returncode == 0 and done.stdout == b"yz{", done)
    check(run(text, "--until", "_exit").returncode == 2, done)


def interrupts(folder):
    elf = build(folder, "count", COUNT)
    done = run(elf)
    check(done.returncode == 0 and b"0 interrupts" in done.stderr, done)
    done = run(elf, "--interrupt", "2000:0xffe6", "--interrupt", "1000:0xfff2", "--interrupt",
               "2000:0xfff2", "--events")
    lines = [line.split() for line in done.stderr.decode().splitlines()]
    accepted = [(int(line[0]), line[-1]) for line in lines if line[1] == "interrupt"]
    check(done.returncode == 0 and [vector for _, vector in accepted] ==
          ["0xfff2", "0xfff2", "0xffe6"], done)
    check(accepted[0][0] == 1000 and accepted[1][0] == 2000, done)
    # The lower one waits for the higher one's handler: 6 + 1 + 1 + 5 + 5.
    check(accepted[2][0] == 2018, done)
    for wrong in ["1000", "x:0xfff2", "1000:0xfff3", "1000:0xfffe", "1000:0xffde", "1000:"]:
        check(run(elf, "--interrupt", wrong).returncode == 2, done)


def faults(folder):
    for number, (name, (body, reason, data, more)) in enumerate(FAULTS.items()):
        done = run(build(folder, f"fault{number}", START + body + END))
        text = done.stderr.decode()
        check(done.returncode == 1 and f"{reason}: {data}" in text, done)
        check(re.search(more, text) and " r15 " in text and "call stack:" in text, done)
        print(f"{name}: {text.splitlines()[0]}")
    done = run(build(folder, "chain", CHAIN), "--interrupt", "20:0xfff2", "-q")
    calls = done.stderr.decode().split("call stack:\n")[1].splitlines()
    functions = [re.search(r"<(\w+)", line)[1] for line in calls]
    check(done.returncode == 1 and functions == ["handler", "inner", "outer", "_start"], done)
    check("interrupted at" in calls[1] and "from" in calls[2], done)


def words(folder):
    marked = START + " call #leaf\n" + END + " .type leaf,@function\nleaf: .short 0x13d1\n" \
        " .short 0x13d2\n ret\n"
    elf = build(folder, "words", marked)
    check(run(elf).returncode == 1, run(elf))
    done = run(elf, "-mpge", "0x13d1", "-mpgx", "0x13d2", "--events")
    check(done.returncode == 0 and re.search(rb"enter .*<leaf>", done.stderr), done)
    done = run(elf, "-mpge", "0x4303", "-mpgx", "0x13d2")
    check(done.returncode == 2 and b"0x4303 cannot mark" in done.stderr, done)


def marked_end(folder):
    """The assembler's pass marks a program's end, too; it still is one."""
    text = START + " jmp _exit\n .global _exit\n .type _exit,@function\n_exit: .short 1\n" \
        " .short 2\n jmp _exit\n"
    done = run(build(folder, "end", text), "--events")
    check(done.returncode == 0 and b"program ended" in done.stderr, done)
    check(done.stderr.count(b"  enter ") == 1 and done.stderr.count(b"  exit ") == 1, done)


def ports(folder):
    text = START + " mov.b #0x41, &0x22\n mov.b #0x40, &0x21\n nop\n mov.b #1, &0x21\n" + END
    done = run(build(folder, "port", text), "--events")
    # Reset 4, mov #, r1 2, mov #, & 5, mov.b #, & 5, and then 5 for the first.
    seen = re.findall(rb"^ *(\d+)  port +P1OUT (0x\w+)", done.stderr, re.M)
    check([value for _, value in seen] == [b"0x40", b"0x01"], done)
    first, second = (int(cycle) for cycle, _ in seen)
    check(first == 4 + 2 + 5 + 5 and second == first + 5 + 1, done)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        uart(folder)
        interrupts(folder)
        faults(folder)
        words(folder)
        marked_end(folder)
        ports(folder)


main()
