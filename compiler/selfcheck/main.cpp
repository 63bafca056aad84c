// SPDX-License-Identifier: Apache-2.0
//
// lathe-check: whether an unpacked bundle is whole, computes what it should on this machine, and how fast. A static program
// for devices that have nothing but a kernel: it needs no /proc, no home folder and writes no file.
#include "runtime/limits.h"
#include "selfcheck/arguments.h"
#include "selfcheck/check.h"
#include "selfcheck/report.h"

#include <cstdio>
#include <exception>
#include <string_view>

namespace {

constexpr const char* usage = "usage: lathe-check [--json] [--threads N] [--repeat N] [--timeout S] [BUNDLE]\n"
                              "  BUNDLE       the folder of an unpacked bundle; the current one if left out\n"
                              "  --json       an object a line instead of text\n"
                              "  --threads N  threads of a run; 0, the default: all\n"
                              "  --repeat N   timed runs at most; 50\n"
                              "  --timeout S  seconds that a step may take; 300\n"
                              "Exit code: 0 all is good, 1 something is not, 2 usage.\n";

} // namespace

int main(int argc, char** argv) {
    lathe::selfcheck::Wish wish;
    bool json = false, named = false;
    int seconds = 300;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const char* next = i + 1 < argc ? argv[i + 1] : "";
        bool good = true;
        if (word == "--help" || word == "-h") {
            std::fputs(usage, stdout);
            return 0;
        } else if (word == "--json") {
            json = true;
        } else if (word == "--threads") {
            good = lathe::selfcheck::number(next, 0, lathe::runtime::limits::threads, wish.threads), ++i;
        } else if (word == "--repeat") {
            good = lathe::selfcheck::number(next, 0, lathe::selfcheck::mostRepeats, wish.repeat), ++i;
        } else if (word == "--timeout") {
            good = lathe::selfcheck::number(next, 1, lathe::selfcheck::mostSeconds, seconds), ++i;
        } else if (word.starts_with("-") || named) {
            good = false;
        } else {
            wish.bundle = word, named = true;
        }
        if (!good) {
            std::fprintf(stderr, "lathe-check: '%s' is not understood\n%s", argv[i < argc ? i : argc - 1], usage);
            return 2;
        }
    }
    lathe::selfcheck::Report report(json, static_cast<unsigned>(seconds));
    try {
        lathe::selfcheck::checkBundle(wish, report);
    } catch (const std::bad_alloc&) {
        report.bad(lathe::error("this machine has too little memory for it"));
    } catch (const std::exception& problem) {
        report.bad(lathe::error(lathe::ErrorKind::Internal, problem.what(), "please report the bundle"));
    }
    return report.allGood() ? 0 : 1;
}
