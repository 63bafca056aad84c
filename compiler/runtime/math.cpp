// SPDX-License-Identifier: Apache-2.0
//
// Both widths share one switch, so that no function can be there for one and missing for the other.
#include "runtime/math.h"

#include "abi/abi.h"

#include <cmath>
#include <limits>

namespace lathe::runtime {

namespace {

template <class T>
T evaluate(int32_t function, T a, T b, T c) {
    switch (function) {
    case LATHE_MATH_EXP:
        return std::exp(a);
    case LATHE_MATH_LOG:
        return std::log(a);
    case LATHE_MATH_SIN:
        return std::sin(a);
    case LATHE_MATH_COS:
        return std::cos(a);
    case LATHE_MATH_TAN:
        return std::tan(a);
    case LATHE_MATH_ASIN:
        return std::asin(a);
    case LATHE_MATH_ACOS:
        return std::acos(a);
    case LATHE_MATH_ATAN:
        return std::atan(a);
    case LATHE_MATH_SINH:
        return std::sinh(a);
    case LATHE_MATH_COSH:
        return std::cosh(a);
    case LATHE_MATH_TANH:
        return std::tanh(a);
    case LATHE_MATH_ASINH:
        return std::asinh(a);
    case LATHE_MATH_ACOSH:
        return std::acosh(a);
    case LATHE_MATH_ATANH:
        return std::atanh(a);
    case LATHE_MATH_ERF:
        return std::erf(a);
    case LATHE_MATH_POW:
        return std::pow(a, b);
    case LATHE_MATH_FMOD:
        return std::fmod(a, b);
    case LATHE_MATH_LOG1P:
        return std::log1p(a);
    case LATHE_MATH_EXPM1:
        return std::expm1(a);
    case LATHE_MATH_FLOOR:
        return std::floor(a);
    case LATHE_MATH_CEIL:
        return std::ceil(a);
    case LATHE_MATH_TRUNC:
        return std::trunc(a);
    case LATHE_MATH_ROUND_EVEN:
        return std::nearbyint(a); // the runtime never leaves round-to-nearest-even
    case LATHE_MATH_FMA:
        return std::fma(a, b, c);
    default:
        return std::numeric_limits<T>::quiet_NaN();
    }
}

} // namespace

float math32(int32_t function, float a, float b, float c) {
    return evaluate(function, a, b, c);
}
double math64(int32_t function, double a, double b, double c) {
    return evaluate(function, a, b, c);
}

} // namespace lathe::runtime
