// SPDX-License-Identifier: Apache-2.0
//
// How things go wrong. The user's fault is a Diagnostic in a Result: it names file, node and operator, says what is
// wrong and what to do. A broken invariant of ours is an InternalError, thrown and caught once, in base/guarded.h.
#pragma once

#include "base/diagnostic.h"

#include <expected>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lathe {

template <class T>
using Result = std::expected<T, Diagnostic>;
using Failure = std::unexpected<Diagnostic>;

inline Failure failure(std::string what, std::string hint = {}) {
    return Failure(error(std::move(what), std::move(hint)));
}
inline Failure failure(ErrorKind kind, std::string what, std::string hint = {}) {
    return Failure(error(kind, std::move(what), std::move(hint)));
}

/// A bug in Lathe itself.
class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn]] void internalError(const char* file, int line, const char* condition, const std::string& message);

} // namespace lathe

#define LATHE_ASSERT(condition, message)                                                                               \
    (static_cast<bool>(condition) ? void() : ::lathe::internalError(__FILE__, __LINE__, #condition, message))

#define LATHE_CONCAT_INNER(a, b) a##b
#define LATHE_CONCAT(a, b) LATHE_CONCAT_INNER(a, b)

/// LATHE_TRY(auto x, fallible()); returns the Diagnostic from the enclosing function on failure.
#define LATHE_TRY(declaration, expression)                                                                             \
    auto LATHE_CONCAT(latheTry, __LINE__) = (expression);                                                              \
    if (!LATHE_CONCAT(latheTry, __LINE__))                                                                             \
        return std::unexpected(std::move(LATHE_CONCAT(latheTry, __LINE__)).error());                                   \
    declaration = *std::move(LATHE_CONCAT(latheTry, __LINE__))

/// LATHE_CHECKED(fallible()); for a Result<void>, or one whose value is not wanted.
#define LATHE_CHECKED(expression)                                                                                      \
    if (auto latheChecked = (expression); !latheChecked)                                                               \
    return std::unexpected(std::move(latheChecked).error())
