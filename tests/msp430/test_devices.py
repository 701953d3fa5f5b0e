#!/usr/bin/env python3
"""The devices' memory and vectors against those of Debian's msp430mcu package.
Usage: test_devices.py DESCRIBE (a program that prints our table)"""
import pathlib
import re
import subprocess
import sys

SKIP = 77
SCRIPTS = pathlib.Path("/usr/msp430/lib/ldscripts")
HEADERS = pathlib.Path("/usr/msp430/include")
VECTOR = re.compile(r"#define (\w+)_VECTOR +\(0x([0-9A-F]+)\)", re.M)
# Our peripherals' vectors by the headers' names.
NAMES = {
    "timer 0": ("TIMERA0 TIMER0_A0", "TIMERA1 TIMER0_A1"),
    "timer 1": ("TIMER1_A0", "TIMER1_A1"), "timer 2": ("TIMER2_A0", "TIMER2_A1"),
    "timer 16": ("TIMERB0 TIMER0_B0", "TIMERB1 TIMER0_B1"),
    "watchdog 0": ("WDT", ""), "watchdog 1": ("WDT", ""),
    "port 1": ("PORT1", ""), "port 2": ("PORT2", ""),
    "uart 0": ("USCI_A0 USCIAB0RX", "USCI_A0 USCIAB0TX"), "uart 1": ("USCI_A1", "USCI_A1"),
    "uart 2": ("USCI_A2", "USCI_A2"), "uart 3": ("USCI_A3", "USCI_A3"),
}
BASES = {
    "timer 0": "TACTL TA0CTL", "timer 1": "TA1CTL", "timer 2": "TA2CTL", "timer 16": "TBCTL TB0CTL",
    "watchdog 0": "WDTCTL", "watchdog 1": "WDTCTL", "port 1": "P1IN PAIN", "multiplier 1": "MPY",
}


def memory(device):
    text = (SCRIPTS / device / "memory.x").read_text()
    return {name: (int(start, 16), int(start, 16) + int(size, 16)) for name, start, size in
            re.findall(r"^ *(\w+)(?: \(\w+\))? *: ORIGIN = (0x\w+), LENGTH = (0x\w+)", text, re.M)
            if int(size, 16) > 0}


def main():
    if not SCRIPTS.exists():
        print("msp430mcu is not installed")
        return SKIP
    ours, checked = {}, 0
    for line in subprocess.run([sys.argv[1]], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        device, kind, *fields = line.split()
        ours.setdefault(device, []).append((kind, fields))
    for device, rows in ours.items():
        if device.startswith("generic"):
            continue
        theirs = memory(device)
        header = (HEADERS / (device + ".h")).read_text()
        symbols = dict(re.findall(r"__(\w+) = (0x\w+)", (SCRIPTS / device / "periph.x").read_text()))
        regions = [tuple(int(x, 16) for x in fields) for kind, fields in rows if kind == "region"]
        first_vector = next(int(f[0], 16) for k, f in rows if k == "vectors")
        vectors = {name: int(offset, 16) // 2 for name, offset in VECTOR.findall(header)}
        assert theirs["vectors"][0] == first_vector, device
        for name in ("ram", "rom", "far_rom", "infomem", "usbram"):
            if name in theirs:
                start, end = theirs[name]
                covering = [r for r in regions if r[0] <= start and end - 2 <= r[1] + 1]
                assert covering, (device, name, theirs[name], regions)
                assert covering[0][0] in (start, theirs.get("bsl", (0,))[0]), (device, name)
                checked += 1
        assert any(r[0] == theirs["ram"][0] and r[1] + 1 == theirs["ram"][1] for r in regions), device
        for kind, fields in rows:
            if kind != "unit":
                continue
            name = f"{fields[0]} {fields[1]}"
            for words, index in zip(NAMES.get(name, ()), fields[3:5]):
                if words:
                    expected = [vectors[w] for w in words.split() if w in vectors]
                    assert int(index) in expected, (device, name, index, expected)
                    checked += 1
            for word in BASES.get(name, "").split():
                if word in symbols:
                    assert int(symbols[word], 16) == int(fields[2], 16), (device, name)
                    checked += 1
    print(f"{checked} addresses and vectors of {len(ours) - 2} devices")
    return 0 if checked > 60 else 1


sys.exit(main())
