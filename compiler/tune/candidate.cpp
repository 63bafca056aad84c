// SPDX-License-Identifier: Apache-2.0
#include "tune/candidate.h"

#include "base/named.h"

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
    case Made::Recorded:
        return "recorded";
    }
    return "";
}

std::optional<Made> madeOf(std::string_view text) {
    return named(text, Made::Recorded);
}

const char* toString(Verdict verdict) {
    switch (verdict) {
    case Verdict::BuildError:
        return "build error";
    case Verdict::BuildTimeout:
        return "build timeout";
    case Verdict::BuildMemory:
        return "build memory";
    case Verdict::Crashed:
        return "crashed";
    case Verdict::RunTimeout:
        return "run timeout";
    case Verdict::RunMemory:
        return "run memory";
    case Verdict::RunError:
        return "run error";
    case Verdict::Wrong:
        return "wrong";
    case Verdict::Disturbed:
        return "disturbed";
    case Verdict::Slow:
        return "slow";
    case Verdict::Measured:
        return "measured";
    }
    return "";
}

std::optional<Verdict> verdictOf(std::string_view text) {
    return named(text, Verdict::Measured);
}

const char* toString(InPlace inPlace) {
    switch (inPlace) {
    case InPlace::Unknown:
        return "unknown";
    case InPlace::Kept:
        return "kept";
    case InPlace::TakenBack:
        return "taken back";
    }
    return "";
}

} // namespace lathe::tune
