"""Results that are kept in a file, and the tables that are made of them in a document. Shared
by try-workloads.py, try-conformance.py and the benchmarks.
"""

import json
import os
import re
import sys


def cell(value):
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def line(columns):
    """A row of a table of Markdown."""
    return "| " + " | ".join(cell(column).replace("|", "\\|") for column in columns) + " |"


def print_row(columns):
    print(line(columns), flush=True)


def replace_parts(path, parts):
    """Put each text of `parts`, (begin, end, text), between its two marks in a document."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    for begin, end, text in parts:
        if begin not in page or end not in page:
            sys.exit(f"{path} has lost its mark {begin.strip()}")
        page = page[:page.index(begin) + len(begin)] + text + page[page.index(end):]
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


def late_limit(row):
    """The limit that was too short for a run, or None if it ended."""
    late = re.match(r"not finished in (\d+) s", row["state"])
    return int(late.group(1)) if late else None


class ResultFile:
    """What was seen so far, a row a line in a file, so that a later call goes on from there."""

    def __init__(self, path, columns):
        """Rows are told from each other by `columns`."""
        self.path = path
        self.columns = columns
        self.rows = {}
        if path is not None and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for row in json.load(file):
                    self.rows[self.key(row)] = row

    def key(self, row):
        return tuple(row[column] for column in self.columns)

    def add(self, row):
        self.rows[self.key(row)] = row
        if self.path is None:
            return
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            file.write("[\n" + ",\n".join(json.dumps(row) for row in self.rows.values()) + "\n]\n")
        os.replace(self.path + ".new", self.path)
