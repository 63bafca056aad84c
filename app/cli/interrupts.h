// SPDX-License-Identifier: Apache-2.0
//
// Ctrl+C during long work, or another wish that the program end: the first one asks for the end of the work, so that nothing
// half-done is left; a second one ends the program, unless it comes with the first and from no key.
#pragma once

#include <array>

namespace lathe::cli {

/// While it lives, SIGINT (Ctrl+C), SIGTERM and SIGHUP (a terminal that is closed; unless it is ignored, as by nohup) ask for the
/// end. One at a time.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    /// From any thread.
    static bool asked();
    /// What the program ends with then, as shells say it of one that the signal has ended: 130 for Ctrl+C.
    static int code();

private:
    using Handler = void (*)(int);
    std::array<Handler, 3> before_;
};

} // namespace lathe::cli
