// SPDX-License-Identifier: Apache-2.0
//
// Reads fields of JSON from outside, which need not be there nor of their kind. The first fault is kept, after it everything
// is neutral, so whoever reads asks once.
#pragma once

#include "base/json.h"
#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lathe::frontend::torch {

class JsonReader {
public:
    /// The field; null, and a fault, if it is not there.
    const nlohmann::json& field(const nlohmann::json& object, const char* key);
    /// The field; null if it is not there.
    const nlohmann::json& optional(const nlohmann::json& object, const char* key) const;
    /// An array, or an empty one and a fault.
    const nlohmann::json& array(const nlohmann::json& value, const char* what);
    /// An object, or an empty one and a fault.
    const nlohmann::json& object(const nlohmann::json& value, const char* what);
    std::string text(const nlohmann::json& value, const char* what);
    int64_t number(const nlohmann::json& value, const char* what);
    bool flag(const nlohmann::json& value, const char* what);
    /// A number, or one of the texts that stand for those which JSON has not.
    double real(const nlohmann::json& value);
    /// The one member of a union: its name and value.
    std::pair<std::string_view, const nlohmann::json*> member(const nlohmann::json& value, const char* what);

    void fail(Diagnostic fault) {
        if (!fault_)
            fault_ = std::move(fault);
    }
    void fail(std::string what) { fail(error(std::move(what), "the file is damaged; export the program again")); }
    bool failed() const { return fault_.has_value(); }
    const std::optional<Diagnostic>& fault() const { return fault_; }

private:
    std::optional<Diagnostic> fault_;
};

} // namespace lathe::frontend::torch
