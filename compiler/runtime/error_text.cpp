// SPDX-License-Identifier: Apache-2.0
//
// Turns (call, status) of a failed run into a sentence that names the model's node, by the artifact's tables.
#include "runtime/error_text.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace lathe::runtime {

namespace {

void print(char* text, size_t size, const char* format, va_list arguments) {
    const int length = std::vsnprintf(text, size, format, arguments);
    static constexpr char dots[] = "…";
    if (length >= 0 && static_cast<size_t>(length) >= size && size >= sizeof dots)
        std::memcpy(text + size - sizeof dots, dots, sizeof dots);
}

const char* defaultMessage(int32_t kind) {
    switch (kind) {
    case LATHE_CHECK_INDEX_OUT_OF_RANGE:
        return "index out of range";
    case LATHE_CHECK_DIVISION_BY_ZERO:
        return "integer division by zero";
    case LATHE_CHECK_SHAPE_MISMATCH:
        return "sizes contradict each other";
    case LATHE_CHECK_OUT_OF_MEMORY:
        return "out of memory";
    default:
        return "a value that the operator does not allow";
    }
}

lathe_status statusOf(int32_t kind) {
    switch (kind) {
    case LATHE_CHECK_OUT_OF_MEMORY:
        return LATHE_OUT_OF_MEMORY;
    case LATHE_CHECK_SHAPE_MISMATCH:
        return LATHE_MISMATCH;
    default:
        return LATHE_RUN_FAILED;
    }
}

} // namespace

lathe_status ErrorText::set(lathe_status status, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(text_, sizeof text_, format, arguments);
    va_end(arguments);
    return status;
}

void ErrorText::append(const char* format, ...) {
    const size_t length = std::strlen(text_);
    va_list arguments;
    va_start(arguments, format);
    print(text_ + length, sizeof text_ - length, format, arguments);
    va_end(arguments);
}

ErrorText& threadError() {
    thread_local ErrorText text;
    return text;
}

lathe_status describeFailure(const lathe_model_desc& desc, const Failure& failure, ErrorText& text, ErrorText& node) {
    node.clear();
    const int64_t ordinal = int64_t{failure.status} - 1;
    const bool ofCall = failure.call >= 0 && failure.call < desc.call_count;
    const lathe_call_desc* call = ofCall ? &desc.calls[failure.call] : nullptr;
    const lathe_kernel_desc* kernel = call ? &desc.kernels[call->kernel] : nullptr;
    if (ordinal < 0 || ordinal >= (kernel ? kernel->check_count : desc.entry_check_count))
        return kernel ? text.set(LATHE_INTERNAL, "kernel '%s' failed with status %d, which its tables do not explain",
                                 kernel->name ? kernel->name : "", failure.status)
                      : text.set(LATHE_INTERNAL, "the model failed with status %d, which its tables do not explain",
                                 failure.status);
    const lathe_check_desc& check = (kernel ? kernel->checks : desc.entry_checks)[ordinal];
    const char* message = check.message && *check.message ? check.message : defaultMessage(check.kind);
    const char* const* nodes = call ? call->nodes : desc.entry_nodes;
    const int32_t nodeCount = call ? call->origin_count : desc.entry_node_count;
    if (check.origin >= 0 && check.origin < nodeCount && nodes[check.origin] && *nodes[check.origin]) {
        node.set(LATHE_OK, "%s", nodes[check.origin]);
        return text.set(statusOf(check.kind), "node '%s': %s", node.c_str(), message);
    }
    if (call)
        return text.set(statusOf(check.kind), "function '%s': %s", call->function ? call->function : "", message);
    return text.set(statusOf(check.kind), "%s", message);
}

} // namespace lathe::runtime
