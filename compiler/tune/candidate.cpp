// SPDX-License-Identifier: Apache-2.0
#include "tune/candidate.h"

namespace lathe::tune {

const char* toString(Made made) {
    switch (made) {
    case Made::Default:
        return "default";
    case Made::Random:
        return "random";
    case Made::Changed:
        return "changed";
    case Made::Crossed:
        return "crossed";
    case Made::Enumerated:
        return "enumerated";
    }
    return "";
}

const char* toString(Verdict verdict) {
    switch (verdict) {
    case Verdict::BuildError:
        return "build error";
    case Verdict::Crashed:
        return "crashed";
    case Verdict::RunTimeout:
        return "run timeout";
    case Verdict::RunError:
        return "run error";
    case Verdict::Wrong:
        return "wrong";
    case Verdict::Slow:
        return "slow";
    case Verdict::Measured:
        return "measured";
    }
    return "";
}

} // namespace lathe::tune
