// SPDX-License-Identifier: Apache-2.0
//
// What the floating point unit does on a thread while a model runs there. Intel computes subnormal results by microcode,
// some 150 cycles a vector, so a softmax under a mask takes many times as long as one without; a model says whether it wants
// them.
#pragma once

namespace lathe::runtime {

#if defined(__x86_64__)

/// While it lives, float results of this thread that are below the smallest normal number are 0, or all are computed as IEEE
/// 754 has them, whatever the caller's mode is. What is only read, compared or moved keeps its bits.
class FloatMode {
public:
    explicit FloatMode(bool flushesSubnormals) : before_(__builtin_ia32_stmxcsr()) {
        __builtin_ia32_ldmxcsr((before_ & ~(flushToZero | subnormalsAreZero)) | (flushesSubnormals ? flushToZero : 0));
    }
    ~FloatMode() { __builtin_ia32_ldmxcsr(before_); }
    FloatMode(const FloatMode&) = delete;
    FloatMode& operator=(const FloatMode&) = delete;

private:
    static constexpr unsigned flushToZero = 1U << 15, subnormalsAreZero = 1U << 6; // of MXCSR

    unsigned before_;
};

#else

/// Subnormals are computed there.
class FloatMode {
public:
    explicit FloatMode(bool /*flushesSubnormals*/) {}
    ~FloatMode() {} // so that one which is only there for its scope is no unused variable
    FloatMode(const FloatMode&) = delete;
    FloatMode& operator=(const FloatMode&) = delete;
};

#endif

} // namespace lathe::runtime
