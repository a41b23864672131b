#!/usr/bin/env python3
"""The compile-fail check itself: it passes the right file and refuses each way to be wrong."""
import os
import tempfile
import unittest

import compile_fail

COMPILER = os.environ.get("CXX", "c++")


class CompileFailTest(unittest.TestCase):
    def judge(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "case.cpp")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return compile_fail.judge(path, [COMPILER, "-fsyntax-only"])

    def test_the_named_error_passes(self):
        self.assertIsNone(self.judge("// error: nowhere\n#ifdef SHOULD_FAIL\nint a = nowhere;\n#endif\n"))

    def test_another_error_is_refused(self):
        self.assertIn("no error matches", self.judge("// error: missing\n#ifdef SHOULD_FAIL\nint a = nowhere;\n#endif\n"))

    def test_a_case_that_compiles_is_refused(self):
        self.assertIn("must not", self.judge("// error: x\nint a = 0;\n"))

    def test_a_case_that_never_compiles_is_refused(self):
        self.assertIn("must compile", self.judge("// error: nowhere\nint a = nowhere;\n"))

    def test_a_case_that_names_no_error_is_refused(self):
        self.assertIn("first line", self.judge("int a = 0;\n"))


if __name__ == "__main__":
    unittest.main()
