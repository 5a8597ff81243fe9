"""Runs the tests below ./tests with unittest and writes one JSON line per test to the file named first.

Names given after it are left out. Sub-tests count as part of their test.
"""

import json
import sys
import unittest


class Report(unittest.TextTestResult):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.details = {}

    def _note(self, test, error):
        self.details.setdefault(test.id(), []).append(self._exc_info_to_string(error, test))

    def addError(self, test, err):
        super().addError(test, err)
        self._note(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._note(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note(test, err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.details.setdefault(test.id(), []).append("skipped: " + reason)

    def stopTest(self, test):
        super().stopTest(test)
        detail = "\n".join(self.details.pop(test.id(), []))
        write(test.id(), detail)


def write(name, detail):
    outcome = "failed" if detail else "passed"
    print(json.dumps({"name": name, "outcome": outcome, "detail": detail}), file=out, flush=True)


def flatten(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flatten(item)
        else:
            yield item


path, *left_out = sys.argv[1:]
with open(path, "w", encoding="utf-8") as out:
    sys.path.insert(0, ".")
    found = list(flatten(unittest.defaultTestLoader.discover("tests", top_level_dir=".")))
    for name in left_out:
        if all(test.id() != name for test in found):
            write(name, "named as out of scope, but not there")
    tests = unittest.TestSuite(test for test in found if test.id() not in left_out)
    result = unittest.TextTestRunner(resultclass=Report, verbosity=0).run(tests)
    # Failures outside of tests, such as that of a module's set-up.
    for test, trace in result.errors:
        if not isinstance(test, unittest.TestCase):
            write(str(test), trace)
