// SPDX-License-Identifier: Apache-2.0
//
// Ctrl+C during long work: the first one asks for its end, so that nothing half-done is left; a second one ends the program.
#pragma once

namespace lathe::cli {

/// As shells say it of a program that Ctrl+C has ended.
inline constexpr int interruptedCode = 130;

/// While it lives, Ctrl+C asks for the end. One at a time.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    /// From any thread.
    static bool asked();

private:
    void (*before_)(int);
};

} // namespace lathe::cli
