// SPDX-License-Identifier: Apache-2.0
//
// How code generation of one function is ended before its end. Nothing may be thrown through LLVM's frames without losing
// what they hold, but LLVM asks before each optional pass whether it shall run. Once the checkpoint has thrown, none does:
// instruction selection and what must follow run in their cheapest form, and what they made is thrown away.
#pragma once

#include <exception>
#include <functional>
#include <llvm/IR/OptBisect.h>
#include <llvm/IR/PassInstrumentation.h>
#include <utility>

namespace lathe::codegen {

class Interruption : public llvm::OptPassGate {
public:
    /// `checkpoint` throws to end the work; may be empty.
    explicit Interruption(std::function<void()> checkpoint) : checkpoint_(std::move(checkpoint)) {
        callbacks_.registerShouldRunOptionalPassCallback([this](llvm::StringRef, llvm::Any) { return goesOn(); });
    }
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    /// For LLVM's passes over IR; those of its backend ask the gate that their context has.
    llvm::PassInstrumentationCallbacks& callbacks() { return callbacks_; }
    /// Asks, and throws on what the checkpoint threw, now or earlier.
    void check() {
        if (!goesOn())
            std::rethrow_exception(thrown_);
    }

    bool isEnabled() const override { return static_cast<bool>(checkpoint_); }
    bool shouldRunPass(llvm::StringRef, llvm::StringRef) override { return goesOn(); }

private:
    bool goesOn() noexcept {
        if (checkpoint_ && !thrown_) {
            try {
                checkpoint_();
            } catch (...) {
                thrown_ = std::current_exception();
            }
        }
        return !thrown_;
    }

    std::function<void()> checkpoint_;
    llvm::PassInstrumentationCallbacks callbacks_;
    std::exception_ptr thrown_;
};

} // namespace lathe::codegen
