#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The check of lengths counts each function, whatever is in it, and nothing that is none."""
import unittest

from check_lengths import functions

TEXT = """namespace lathe {
namespace {
constexpr Row table[] = {
    {1, f(2)},
};
class Inner {
public:
    explicit Inner(int a)
        : a_(a),
          b_([] { return 1; }) {
        one();
    }
    ~Inner() = default;
    int get() const { return a_; }
    void many() {
        if (a_) {
            two();
        }
    }

private:
    int a_ = 0;
};
} // namespace
Outer::Outer(int a)
    : a_(a) {
}
static std::vector<Var>
varsOf(const Rhs& rhs) {
    for (int a : b) {
    }
    std::visit(Overloaded{
                   [](const Call& call) {
                       return call.args;
                   },
               },
               rhs);
}
} // namespace lathe
"""


class CheckLengths(unittest.TestCase):
    def test_functions(self):
        self.assertEqual(sorted(functions(TEXT.splitlines())),
                         [("Inner", 5), ("Outer", 3), ("many", 5), ("varsOf", 10)])


if __name__ == "__main__":
    unittest.main()
