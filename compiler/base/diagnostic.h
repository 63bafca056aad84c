// SPDX-License-Identifier: Apache-2.0
//
// What is said to the user when something goes wrong: where, what, and what to do. Programs decide by the kind (exit
// codes, whether a window says "cancelled" or asks for a report); the texts are for people alone.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace lathe {

enum class Severity { Note, Warning, Error };
std::string_view toString(Severity severity); // "note", "warning", "error"

/// What sort of failure an error is.
enum class ErrorKind {
    Invalid,     // a file, an input or a machine is not as it must be: the default
    Unsupported, // it is right, but Lathe does not handle it
    Usage,       // a setting or an argument of the user
    Cancelled,   // the user did not want the result any more
    Internal,    // a bug of Lathe: please report it
};
std::string_view toString(ErrorKind kind); // "invalid", "unsupported", "usage", "cancelled", "internal"

struct Diagnostic {
    Severity severity = Severity::Error;
    ErrorKind kind = ErrorKind::Invalid;
    std::string file; // as the user named it; empty if none
    std::string node; // the model node's name (or "#id" if it has none); empty if none
    std::string op;   // "domain.Name-version", for example "ai.onnx.Conv-11"
    int line = 0;     // of IR text, 1-based; 0 if none
    std::string what; // one sentence: what is wrong
    std::string hint; // what to do about it; may be empty
    int nodeId = -1;  // ModelGraph node id, for views; -1 if none

    bool operator==(const Diagnostic&) const = default;
};

/// "error: file: node 'x' (ai.onnx.Conv-11): what (hint)", one line whatever names hold (base/printable.h). An error of kind
/// Internal begins "internal error: ".
std::string toString(const Diagnostic& diagnostic);

/// An error that says only what is wrong; callers further out add file, node and operator.
Diagnostic error(ErrorKind kind, std::string what, std::string hint = {});
inline Diagnostic error(std::string what, std::string hint = {}) {
    return error(ErrorKind::Invalid, std::move(what), std::move(hint));
}

} // namespace lathe
