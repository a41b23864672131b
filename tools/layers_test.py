#!/usr/bin/env python3
"""Plants violations in a small tree and expects layers.py to name each of them."""
import os
import tempfile
import unittest

import layers


class LayersTest(unittest.TestCase):
    def violations(self, files):
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return layers.check(root)

    def expect_one(self, files, place, words):
        found = self.violations(files)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(place + ":"), found)
        self.assertIn(words, found[0])

    header = "#pragma once\n"

    def test_a_lawful_tree_is_clean(self):
        self.assertEqual([], self.violations({
            "protocol/value.hpp": self.header + "#include <string>\n",
            "protocol/json_reader.cpp": '#include "protocol/value.hpp"\n#include <simdjson.h>\n#include <fmt/core.h>\n',
            "storage/postgres_store.cpp": '#include "protocol/value.hpp"\n#include <pqxx/pqxx>\n#include <poll.h>\n',
            "runtime/config/read.cpp": '#include "protocol/value.hpp"\n#include <fstream>\n',
            "tests/unit/value.cpp": '#include "protocol/value.hpp"\n#include <sqlite3.h>\n',
        }))

    def test_an_include_that_points_up_is_found(self):
        self.expect_one({"storage/store.hpp": self.header,
                         "protocol/value.cpp": '\n#include "storage/store.hpp"\n'}, "protocol/value.cpp:2", "points up")

    def test_a_layer_that_includes_the_tests_is_found(self):
        self.expect_one({"tests/check.hpp": self.header,
                         "runtime/node.cpp": '#include "tests/check.hpp"\n'}, "runtime/node.cpp:1", "points up")

    def test_a_relative_include_is_found(self):
        self.expect_one({"storage/store.hpp": self.header,
                         "storage/store.cpp": '#include "store.hpp"\n'}, "storage/store.cpp:1", "from the root")
        self.expect_one({"storage/store.hpp": self.header,
                         "actors/a.cpp": '#include "../storage/store.hpp"\n'}, "actors/a.cpp:1", "from the root")

    def test_an_include_of_nothing_is_found(self):
        self.expect_one({"storage/a.cpp": '#include "storage/gone.hpp"\n'}, "storage/a.cpp:1", "does not exist")

    def test_a_library_outside_its_file_group_is_found(self):
        self.expect_one({"storage/runner.cpp": "#include <pqxx/pqxx>\n"}, "storage/runner.cpp:1", "storage/postgres_*")
        self.expect_one({"actors/lane.hpp": self.header + "#include <caf/all.hpp>\n"}, "actors/lane.hpp:2", "actors/")
        self.expect_one({"runtime/a.cpp": "#include <catch2/catch.hpp>\n"}, "runtime/a.cpp:1", "the tests")
        self.expect_one({"storage/a.cpp": '#include "protocol/link.pb.h"\n'}, "storage/a.cpp:1", "envelope")

    def test_an_unknown_library_is_found(self):
        self.expect_one({"runtime/a.cpp": "#include <boost/asio.hpp>\n"}, "runtime/a.cpp:1", "in no group")

    def test_input_and_output_below_the_runtime_are_found(self):
        self.expect_one({"actors/a.cpp": "#include <fstream>\n"}, "actors/a.cpp:1", "no I/O")
        self.expect_one({"protocol/a.cpp": "#include <unistd.h>\n"}, "protocol/a.cpp:1", "no I/O")

    def test_a_clock_below_the_runtime_is_found_but_not_in_a_comment(self):
        self.expect_one({"actors/a.cpp": "// std::chrono::steady_clock::now()\nauto t = steady_clock::now();\n"},
                        "actors/a.cpp:2", "come in from outside")

    def test_a_file_past_the_limit_is_found(self):
        self.expect_one({"runtime/a.cpp": "\n" * 501}, "runtime/a.cpp:1", "501 lines")

    def test_a_header_without_its_guard_is_found(self):
        self.expect_one({"runtime/a.hpp": "\n"}, "runtime/a.hpp:1", "#pragma once")


if __name__ == "__main__":
    unittest.main()
