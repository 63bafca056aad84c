// SPDX-License-Identifier: Apache-2.0
//
// Runs what code generation makes: compiles a PrimFunc, links it with tables, loads it and calls it with a table of
// runtime functions that stands in for the runtime (threads included).
#pragma once

#include "abi/abi.h"
#include "codegen/codegen.h"
#include "codegen/target.h"
#include "tir/ir.h"

#include <memory>
#include <random>

namespace lathe::codegen::testing {

/// What a kernel goes through on the way to code.
struct Pipeline {
    bool optional = true; // the optional passes run
    Target target = nativeTarget();
};

/// The product's own pipeline (lower::lowerKernel), verified after each pass, from the loops that the test wrote.
tir::PrimFuncPtr lowered(const tir::PrimFuncPtr& function, const Pipeline& pipeline = {},
                         arith::Expr* workspaceBytes = nullptr);

/// A loaded kernel.
class Loaded {
public:
    /// Each function can be called by its name; the last one is the model's entry.
    Loaded(const std::vector<tir::PrimFuncPtr>& functions, const Target& target = nativeTarget());
    ~Loaded();
    Loaded(const Loaded&) = delete;

    /// Arguments: pointers and integers, in the order of the parameters.
    int32_t call(const std::string& name, const std::vector<int64_t>& args) const;
    const KernelCode& code(size_t i) const { return codes_[i]; }
    const std::vector<std::byte>& image() const { return image_; }
    const lathe_model_desc* model() const { return model_; }

private:
    std::vector<KernelCode> codes_;
    std::vector<std::byte> image_;
    std::string path_;
    void* handle_ = nullptr;
    const lathe_model_desc* model_ = nullptr;
    const lathe_functions* table_ = nullptr;
};

/// The stand-in for the runtime; `fail` notes call and status here.
struct FailureNote {
    int32_t call = -2, status = 0;
};
FailureNote& lastFailure();
int parallelRegions(); // since the program's start

template <class T>
int64_t address(std::vector<T>& data) {
    return reinterpret_cast<int64_t>(data.data());
}

/// Calls interpret() and the compiled function (with and without the optional passes) on copies of the same random
/// bytes; gives a message where a buffer differs by more than `tolerance`, else an empty string.
struct Case {
    tir::PrimFuncPtr function;            // with blocks or loops; buffers have the shape that `scalars` give
    std::vector<int64_t> scalars;         // values of the scalar parameters, in order
    double tolerance = 0;                 // relative to the largest of the buffer
    double low = -2, high = 2;            // of float inputs
    int64_t lowInt = -100, highInt = 100; // of integer inputs
    bool mixed = false;                   // every second value is small
    bool everyPattern = false;            // inputs count through all bit patterns
};
std::string compare(const Case& test);

} // namespace lathe::codegen::testing
