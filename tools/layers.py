#!/usr/bin/env python3
"""Holds the sources to the layers: protocol <- storage <- actors <- runtime.

Usage: layers.py [ROOT]. Prints a line for each violation and exits 1 if there is any.
"""
import fnmatch
import os
import re
import sys

LAYERS = ["protocol", "storage", "actors", "runtime"]
ABOVE = ["tests", "bench", "examples"]  # may include every layer, and no layer includes them
LINES_MAX = 500

# Third-party headers, and the only files of the layers that may include them. The first match counts.
LIBRARIES = [
    ("fmt/*", ["*"]),
    ("google/protobuf/*", ["protocol/envelope*", "protocol/proto*", "runtime/cluster/*"]),
    ("protocol/*.pb.h", ["protocol/envelope*", "protocol/proto*", "runtime/cluster/*"]),
    ("simdjson*", ["protocol/json*", "protocol/decode*"]),
    ("openssl/*", ["protocol/hash*"]),
    ("pqxx/*", ["storage/postgres_*"]),
    ("libpq*", ["storage/postgres_*"]),
    ("sqlite3*", ["storage/sqlite_*"]),
    ("caf/*", ["actors/*_actor.*", "actors/caf_*", "runtime/start*", "runtime/node/*"]),
    ("yaml-cpp/*", ["runtime/config/yaml*"]),
    ("CLI/*", ["runtime/main.cpp", "runtime/cli/*"]),
    ("spdlog/*", ["runtime/log*"]),
    ("nlohmann/*", ["runtime/json.*", "runtime/cli/*", "runtime/scenario/report*", "runtime/config/promises*"]),
    ("catch2/*", []),
    ("rapidcheck*", []),
]
# What the operating system gives: adapters and the runtime only.
ADAPTERS = ["storage/postgres_*", "storage/sqlite_*", "storage/memory_*", "runtime/*"]
SYSTEM_HEADER = re.compile(r"(sys|netinet|arpa|linux)/.*\.h|(unistd|fcntl|poll|signal|pthread|dirent)\.h")
IO_HEADERS = {"iostream", "fstream", "filesystem", "random", "thread"}
# A clock, randomness or a pause below the runtime makes a run that no seed can repeat.
IMPURE = re.compile(r"(?:_clock|Clock)::now\s*\(|\brandom_device\b|\bsleep_(?:for|until)\s*\(|\bgetenv\s*\(|\brand\s*\(\)")

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]*)"|<([^>]*)>)')


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def sources(root):
    """The C++ files below the known folders, as paths from the root."""
    for folder in LAYERS + ABOVE:
        for base, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".cpp", ".hpp")):
                    yield os.path.relpath(os.path.join(base, name), root)


def own_include(root, path, included):
    """What is wrong with an include in quotes, or None."""
    layer, other = path.split("/")[0], included.split("/")[0]
    if matches(included, ["*.pb.h"]):
        return library_include(path, included)
    if "/" not in included or other not in LAYERS + ABOVE:
        return f'"{included}" is not a path from the root of the repository'
    if not os.path.exists(os.path.join(root, included)) or ".." in included.split("/"):
        return f'"{included}" does not exist'
    if layer not in LAYERS:
        return None
    if other not in LAYERS or LAYERS.index(other) > LAYERS.index(layer):
        return f'"{included}" points up: {layer}/ may include only {", ".join(LAYERS[:LAYERS.index(layer) + 1])}'
    return None


def library_include(path, included):
    """What is wrong with an include in angle brackets (or of generated code), or None."""
    if path.split("/")[0] not in LAYERS:
        return None
    for header, allowed in LIBRARIES:
        if fnmatch.fnmatchcase(included, header):
            if matches(path, allowed):
                return None
            return f'<{included}> belongs to {", ".join(allowed) or "the tests"}'
    if SYSTEM_HEADER.fullmatch(included) or included in IO_HEADERS:
        return None if matches(path, ADAPTERS) else f"<{included}>: no I/O, threads or randomness below runtime/"
    if re.fullmatch(r"[a-z_0-9]+", included):
        return None  # the standard library
    return f"<{included}> is in no group of tools/layers.py"


def check_file(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        lines = file.read().splitlines()
    if len(lines) > LINES_MAX:
        yield 1, f"{len(lines)} lines; past {LINES_MAX} a file wants splitting by concept"
    if path.endswith(".hpp") and "#pragma once" not in lines:
        yield 1, "a header without #pragma once"
    pure = path.split("/")[0] in LAYERS and not matches(path, ADAPTERS)
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        if include:
            quoted, angled = include.groups()
            wrong = library_include(path, angled) if quoted is None else own_include(root, path, quoted)
            if wrong:
                yield number, wrong
        elif pure and IMPURE.search(line.split("//")[0]):
            yield number, "time, randomness and the environment come in from outside below runtime/"


def check(root):
    """All violations below `root`, as lines of text."""
    return [f"{path}:{number}: {wrong}" for path in sources(root) for number, wrong in check_file(root, path)]


def main():
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    violations = check(sys.argv[1] if len(sys.argv) > 1 else here)
    print("\n".join(violations) or "layers: clean")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
