#!/usr/bin/env python3
"""Checks that a file compiles as it is, and fails with -DSHOULD_FAIL and the error that its first line names.

Usage: compile_fail.py FILE COMPILER ARGUMENTS...   The first line of FILE: `// error: REGEX`
"""
import re
import subprocess
import sys


def compile_with(command, *more):
    return subprocess.run([*command, *more], capture_output=True, text=True, check=False)


def judge(path, command):
    """None if the file behaves as it says, else what is wrong."""
    with open(path, encoding="utf-8") as file:
        first = file.readline().rstrip("\n")
    wanted = re.fullmatch(r"// error: (.+)", first)
    if not wanted:
        return "the first line must be `// error: REGEX`"
    lawful = compile_with(command, path)
    if lawful.returncode != 0:
        return f"must compile without SHOULD_FAIL:\n{lawful.stderr}"
    unlawful = compile_with(command, "-DSHOULD_FAIL", path)
    if unlawful.returncode == 0:
        return "compiles with SHOULD_FAIL, and must not"
    errors = [line for line in unlawful.stderr.splitlines() if "error:" in line]
    if not any(re.search(wanted[1], line) for line in errors):
        return f"fails, but no error matches /{wanted[1]}/:\n{unlawful.stderr}"
    return None


def main():
    path, command = sys.argv[1], sys.argv[2:]
    wrong = judge(path, [*command, "-fsyntax-only"])
    if wrong:
        print(f"{path}: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
