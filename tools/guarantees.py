#!/usr/bin/env python3
"""Checks that every test that docs/guarantees.md names exists.

Usage: guarantees.py [ROOT]. Prints a line for each that does not and exits 1 if there is any.
"""
import os
import re
import sys

CASE = re.compile(r'\b[A-Z_]*TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"')


def test_names(root):
    for folder, _, names in os.walk(os.path.join(root, "tests")):
        for name in names:
            if name.endswith(".cpp"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    for case in CASE.finditer(file.read()):
                        yield "".join(PIECE.findall(case.group(1)))


def named_in(document):
    for line in document.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and cells[2].startswith('"'):
            yield cells[2].strip('"')


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    with open(os.path.join(root, "docs", "guarantees.md"), encoding="utf-8") as file:
        named = list(named_in(file.read()))
    known = set(test_names(root))
    missing = [name for name in named if name not in known]
    for name in missing:
        print(f'docs/guarantees.md names a test that does not exist: "{name}"')
    if not named:
        print("docs/guarantees.md names no test at all")
    return 1 if missing or not named else 0


if __name__ == "__main__":
    sys.exit(main())
