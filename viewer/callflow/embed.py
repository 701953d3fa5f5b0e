#!/usr/bin/env python3
"""The page as C text: style and scripts go into the HTML, and the place of the
data splits it in two. Usage: embed.py OUTPUT.h PAGE.html STYLE.css SCRIPT.js..."""
import pathlib
import sys


def c_array(name, text):
    data = text.encode("utf-8")
    rows = [",".join(str(byte) for byte in data[i:i + 32]) for i in range(0, len(data), 32)]
    return (f"static const char {name}[{len(data) + 1}] = {{\n" + ",\n".join(
        ",".join(f"(char){byte}" if int(byte) > 127 else byte for byte in row.split(","))
        for row in rows) + ",0};\n")


def main():
    output, page, style, *scripts = sys.argv[1:]
    text = pathlib.Path(page).read_text(encoding="utf-8")
    code = "\n".join(pathlib.Path(script).read_text(encoding="utf-8") for script in scripts)
    if "</script" in code:
        sys.exit("a script must not hold its own end tag")
    text = text.replace("/*STYLE*/", pathlib.Path(style).read_text(encoding="utf-8"))
    text = text.replace("/*SCRIPT*/", code)
    head, tail = text.split("/*DATA*/")
    pathlib.Path(output).write_text(c_array("callflow_page_head", head) +
                                    c_array("callflow_page_tail", tail), encoding="utf-8")


main()
