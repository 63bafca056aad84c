// SPDX-License-Identifier: Apache-2.0
//
// Where strings cross the border of a context: elements of the interface become handles before a run, and handles elements
// after it.
#include "runtime/context.h"
#include "runtime/dtype.h"

#include <algorithm>
#include <cstring>

namespace lathe::runtime {

namespace {

constexpr auto textBytes = static_cast<int64_t>(sizeof(lathe_string)),
               handleBytes = static_cast<int64_t>(sizeof(uint64_t));

std::string_view viewOf(const lathe_string& text) {
    return text.size > 0 ? std::string_view(text.data, text.size) : std::string_view();
}

} // namespace

lathe_status Context::checkStrings(int32_t index, const void* data, int64_t bytes) {
    const auto* texts = static_cast<const lathe_string*>(data);
    for (int64_t i = 0; i < bytes / textBytes; ++i)
        if (!texts[i].data && texts[i].size > 0)
            return error_.set(LATHE_INVALID_ARGUMENT, "input '%s': string %lld has %llu bytes, but no data",
                              model_->desc().inputs[index].name, static_cast<long long>(i),
                              static_cast<unsigned long long>(texts[i].size));
    return LATHE_OK;
}

void* Context::copyStrings(Input& input) {
    const int64_t count = input.bytes / textBytes;
    const auto* given = static_cast<const lathe_string*>(input.own.data());
    int64_t bytes = input.bytes;
    for (int64_t i = 0; i < count; ++i)
        if (__builtin_add_overflow(bytes, viewOf(given[i]).size(), &bytes))
            return nullptr;
    auto* texts = static_cast<lathe_string*>(input.own.grow(bytes));
    if (!texts)
        return nullptr;
    auto* to = reinterpret_cast<char*>(texts + count);
    for (int64_t i = 0; i < count; ++i) {
        const std::string_view text = viewOf(texts[i]);
        if (!text.empty())
            std::memcpy(to, text.data(), text.size());
        texts[i] = {to, text.size()};
        to += text.size();
    }
    return texts;
}

bool Context::readInputs() {
    for (size_t i = 0; i < inputs_.size(); ++i) {
        Input& input = inputs_[i];
        input.read = input.data;
        if (!isString(model_->inputTypes()[i]))
            continue;
        const int64_t count = input.bytes / textBytes;
        auto* handles = static_cast<uint64_t*>(input.handles.reserve(count * handleBytes));
        if (!handles)
            return false;
        const auto* texts = static_cast<const lathe_string*>(input.data);
        for (int64_t k = 0; k < count; ++k)
            handles[k] = strings_.intern(viewOf(texts[k]));
        input.read = handles;
    }
    return !strings_.lacked();
}

void Context::writeStrings() {
    for (size_t i = 0; i < outputs_.size(); ++i) {
        if (!isString(model_->outputTypes()[i]))
            continue;
        const auto* handles = static_cast<const uint64_t*>(outputs_[i].handles.data());
        auto* texts = static_cast<lathe_string*>(outputs_[i].data);
        for (int64_t k = 0; k < outputs_[i].bytes / handleBytes; ++k) {
            const std::string_view text = StringTable::textOf(handles[k]);
            texts[k] = {text.data(), text.size()};
        }
    }
}

} // namespace lathe::runtime
