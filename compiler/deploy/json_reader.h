// SPDX-License-Identifier: Apache-2.0
//
// Fields of a JSON object from outside, each of the type that is expected, or a Diagnostic that names it.
#pragma once

#include "base/json.h"
#include "base/result.h"

#include <cmath>
#include <fmt/format.h>

namespace lathe::deploy {

/// Refers to the object; `where` is its path, for messages: "files[3]".
class FieldsOf {
public:
    FieldsOf(const nlohmann::json& object, std::string where) : object_(&object), where_(std::move(where)) {}

    Failure wrong(std::string_view field, std::string_view how) const {
        return failure(fmt::format("'{}{}{}' {}", where_, where_.empty() ? "" : ".", field, how));
    }
    bool isNull(const char* field) const {
        const auto at = object_->find(field);
        return at == object_->end() || at->is_null();
    }
    auto items() const { return object_->items(); }

    Result<void> text(const char* field, std::string& into) const {
        const auto at = object_->find(field);
        if (at == object_->end() || !at->is_string())
            return wrong(field, "is no text");
        into = at->get<std::string>();
        return {};
    }
    /// From 0 to 2^53.
    Result<void> number(const char* field, int64_t& into) const {
        const auto at = object_->find(field);
        const auto value = at == object_->end() ? std::nullopt : integer<int64_t>(*at);
        if (!value || *value < 0 || *value > int64_t{1} << 53)
            return wrong(field, "is no whole number from 0 to 2^53");
        into = *value;
        return {};
    }
    /// Not negative, finite.
    Result<void> real(const char* field, double& into) const {
        const auto at = object_->find(field);
        if (at == object_->end() || !at->is_number() || !std::isfinite(at->get<double>()) || at->get<double>() < 0)
            return wrong(field, "is no number from 0 on");
        into = at->get<double>();
        return {};
    }
    Result<FieldsOf> object(const char* field) const {
        const auto at = object_->find(field);
        if (at == object_->end() || !at->is_object())
            return wrong(field, "is no object");
        return FieldsOf(*at, path(field));
    }
    Result<const nlohmann::json*> array(const char* field) const {
        const auto at = object_->find(field);
        if (at == object_->end() || !at->is_array() || at->size() > most)
            return wrong(field, "is no list");
        return &*at;
    }
    /// Calls `read` with the fields of each object of a list.
    template <class Read>
    Result<void> each(const char* field, Read read) const {
        LATHE_TRY(const nlohmann::json* list, array(field));
        for (size_t i = 0; i < list->size(); ++i) {
            if (!(*list)[i].is_object())
                return wrong(field, "has something in it that is no object");
            LATHE_CHECKED(read(FieldsOf((*list)[i], fmt::format("{}[{}]", path(field), i))));
        }
        return {};
    }
    Result<void> texts(const char* field, std::vector<std::string>& into) const {
        LATHE_TRY(const nlohmann::json* list, array(field));
        for (const nlohmann::json& one : *list) {
            if (!one.is_string())
                return wrong(field, "has something in it that is no text");
            into.push_back(one.get<std::string>());
        }
        return {};
    }

private:
    static constexpr size_t most = 100'000; // of a list

    std::string path(const char* field) const { return where_.empty() ? field : where_ + "." + field; }

    const nlohmann::json* object_;
    std::string where_;
};

} // namespace lathe::deploy
