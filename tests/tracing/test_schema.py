#!/usr/bin/env python3
"""Profiling schemas without any driver: what they mean, what is refused and
where, hostile files, and the manual. Arguments: sonde, doc/schema.md."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import harness
from harness import check, expect, has, run

MANUAL = None
HEAD = "schema: 1\nprobes:\n"


def write(text, name="s.yaml"):
    with open(name, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return name


def means(text):
    return expect(run("schema", "check", write(text)), 0).out.splitlines()


def refused(text, place, *patterns):
    """The message names the file, the place, and what the patterns match."""
    result = expect(run("schema", "check", write(text)), 1)
    check(result.out == "", result)
    has(result.err, rf"^sonde: (error: )?s\.yaml:{place}: ", text if len(text) < 999 else "")
    for pattern in patterns:
        has(result.err, pattern, text if len(text) < 999 else "")


def meanings():
    check(means(HEAD + "- {block: every, collect: count, into: counter}") ==
          ["name=s block=every collect=count into=counter"], "one probe")
    lines = means("schema: 1\nname: x\nkernel: [a*, 're:b, c']\nprobes:\n"
                  "- {class: [memory, math], collect: lanes, into: histogram}\n"
                  "- name: second\n  kernel: mine\n  opcode: mad\n  collect: register\n"
                  "  registers: [dst, r3-r4]\n  into: trace\n"
                  "- {block: [loop, exit], class: memory, collect: addresses, into: trace}\n")
    check(lines == ['name=x kernel=a*,"re:b, c" class=memory,math collect=lanes into=histogram',
                    "name=second kernel=mine opcode=mad collect=register registers=dst,r3-r4 "
                    "into=trace",
                    'name=x-2 kernel=a*,"re:b, c" block=loop,exit class=memory collect=addresses '
                    "into=trace"], "\n".join(lines))


def refusals():
    probe = HEAD + "- {block: every, collect: count, into: counter}"
    refused(HEAD + "- {blok: every}", "3:4", "no key 'blok'", "did you mean 'block'",
            "allowed: name, report")
    refused(probe.replace("every", "evry"), "3:11", "no 'evry'", "did you mean 'every'", "loop-head")
    refused("schema: 1\nprobs: []", "2:1", "no key 'probs'", "did you mean 'probes'")
    refused("schema: 2", "1:9", "version 1")
    refused("probes:\n- {block: every, collect: count, into: counter}", "1:1", "'schema: 1'")
    refused("schema: 1", "1:1", "no probes")
    refused("schema: 1\nprobes: []", "2:1", "no probes")
    refused(probe + "\nname: a\nname: b", "5:1", "twice, first in line 4")
    refused(HEAD + "- {block: every, block: exit, collect: count, into: counter}", "3:18", "twice")
    refused(HEAD + "- {block: every, collect: count}", "3:3", "no key into")
    refused(HEAD + "- {block: every, into: counter}", "3:3", "no key collect")
    refused(HEAD + "- {collect: count, into: counter}", "3:3", "stands nowhere")
    refused(HEAD + "- {block: every, collect: [count, time], into: counter}", "3:35", "one value")
    refused(HEAD + "- {block: every, collect: count, into: histogram}", "3:40",
            "count cannot be collected into a histogram", r"allowed: counter, trace")
    refused(HEAD + "- {block: every, collect: addresses, into: trace}", "3:27", "class=memory")
    refused(HEAD + "- {block: [kernel, loop], collect: time, into: counter}", "3:12", "block=kernel")
    refused(HEAD + "- {opcode: sned, collect: count, into: counter}", "3:12", "did you mean 'send'")
    refused(HEAD + "- {offset: 4-2, collect: count, into: counter}", "3:12", "N or N-M")
    refused(HEAD + "- {source: 'a.cl:0', collect: count, into: counter}", "3:12", "LINE")
    refused(HEAD + "- {kernel: 're:(', block: every, collect: count, into: counter}", "3:12",
            "regular expression")
    refused(HEAD + "- {opcode: mad, registers: r1, collect: count, into: counter}", "3:28",
            "collect=register")
    for bad in ("r300", "r5-r2", "g12", "r", "r1.99", "r1.", "dst0"):
        refused(HEAD + f"- {{opcode: mad, registers: {bad}, collect: register, into: trace}}",
                "3:28", "rN")
    refused(HEAD + "- {opcode: mad, registers: r1.0, collect: register, into: trace}", "3:28",
            "whole registers")
    refused(HEAD + "- {opcode: mad, registers: r1, collect: register, into: counter}", "3:28",
            "one dword")
    refused(HEAD + "- {block: every, registers: dst, collect: register, into: trace}", "3:29",
            "operand")
    refused(HEAD + "- {class: math, collect: count, into: counter, report: bblprof}", "3:56",
            "block=every collect=count into=counter")
    refused(HEAD + "- {name: a, block: every, collect: count, into: counter}\n"
            "- {name: a, block: every, collect: count, into: counter}", "4:10", "at line 3")
    refused(HEAD + "- {block: exit, argument: 1, collect: argument, into: counter}", "3:39",
            "block=entry")
    refused(HEAD + "- {block: entry, collect: argument, into: counter}", "3:\\d+", "argument=N")
    refused("schema: 1\nthreads: slit=1", "2:10", "did you mean 'slot'")
    refused("schema: 1\ngroups: '1,x'", "2:9", "groups in y are")
    refused("schema: 1\ngroups: [1]", "2:9", "not a list")
    refused(HEAD + "- 5", "3:3", "a table of keys and values belongs here, not a value")
    refused(HEAD + "- {block: {a: b}}", "3:11", "not a table")
    refused(HEAD + "- {block: [[every]]}", "3:12", "not a list")
    refused(HEAD + "- {block: []}", "3:11", "empty")
    refused(HEAD + "- {block: ''}", "3:11", "needs a value")
    refused("- a", "1:1", "a table")
    refused("", "1:1", "empty")
    refused("schema: 1\nbad: [", "2:1", "no key")
    refused("schema: 1\nprobes: [", r"\d+:\d+", "no YAML")
    refused(probe + "\n---\nschema: 1\n", r"\d+:\d+", "second document")


def hostile_files():
    bomb = "schema: 1\na: &a [x, x]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}]\n" for a, b in zip("abcdefg", "bcdefgh"))
    refused(bomb, "2:1", "no key 'a'")
    refused("schema: &a 1", "1:9", "anchors, aliases and tags")
    refused(HEAD + "- *a", "3:3", "anchors, aliases and tags")
    refused("schema: !!int 1", "1:9", "anchors, aliases and tags")
    refused("[" * 500000, "1:1", "a table")
    refused(HEAD + "- {block: " + "[" * 500000, "3:12", "not a list")
    refused("schema: 1\nprobes: " + "{a: " * 200000, "2:9", "a list of probes")
    result = expect(run("schema", "check", write("# " + "x" * (1 << 20))), 1)
    has(result.err, r"s\.yaml: the file has \d+ bytes", "size")
    refused(HEAD + "- {block: every, collect: count, into: counter}\n" * 300, r"259:3",
            "more than 256 probes")
    refused(HEAD + "- {offset: [" + "1, " * 300 + "1]}", "3:\\d+", "too many values")
    refused(HEAD + "- {kernel: " + "k" * 5000 + "}", "3:12", "too long")
    refused(HEAD + '- {kernel: "a\\nb"}', "3:12", "control characters")
    refused(HEAD + '- {kernel: "a\\0b"}', "3:12", "zero byte")
    refused(HEAD.encode() + b"- {kernel: \xff\xfe}", r"\d+:\d+", "no YAML")
    has(expect(run("schema", "check", "absent.yaml"), 1).err, "no schema file", "absent")
    has(expect(run("schema", "check", "bblprf"), 1).err, "did you mean 'bblprof'", "near")
    os.mkdir("folder")
    has(expect(run("schema", "check", "./folder"), 1).err, "cannot read", "folder")


def shipped():
    listed = [line.split()[0] for line in expect(run("list", "schemas"), 0).out.splitlines()]
    check(len(listed) == 14 and "bounds" in listed and "regtrace" in listed, listed)
    tools = {line.split()[0] for line in expect(run("list", "tools"), 0).out.splitlines()}
    for name in listed:
        out = expect(run("schema", "check", name), 0).out
        check(name in tools and f"report={name} " in out, out)


def manual():
    """The manual shows the tables as they are, and its schemas are right."""
    text = open(MANUAL, encoding="utf-8").read()
    check(expect(run("schema", "list"), 0).out in text, "doc/schema.md has other tables")
    examples = re.findall(r"```yaml\n(.*?)```", text, re.S)
    check(len(examples) >= 2, examples)
    for example in examples:
        check(means(example), example)


harness.SONDE, MANUAL = map(os.path.abspath, sys.argv[1:3])
sys.exit(harness.main([meanings, refusals, hostile_files, shipped, manual]))
