// SPDX-License-Identifier: Apache-2.0
//
// Kernels over 1000 floats, written as text, for what builds, times and judges them.
#pragma once

#include "tir/text.h"
#include "tuning/kernel_maker.h"

#include <QtGlobal>
#include <map>
#include <string>

namespace lathe::testing {

inline tir::PrimFuncPtr parsedOrFatal(const std::string& text) {
    const auto parsed = tir::parsePrimFunc(text);
    if (!parsed)
        qFatal("%s", toString(parsed.error()).c_str());
    return *parsed;
}

/// Of 1000 floats: 4000 bytes, which neither a page nor a line of cache is.
inline tir::PrimFuncPtr kernelOf(const std::string& body) {
    return parsedOrFatal("primfunc f(X, Y) outputs 1 {\n  buffer X: float32[1000]\n  buffer Y: float32[1000]\n" + body +
                         "}\n");
}

/// Of n floats.
inline tir::PrimFuncPtr openKernelOf(const std::string& body) {
    return parsedOrFatal("primfunc f(X, Y, n) outputs 1 {\n  var n: index[1, 5000]\n  buffer X: float32[n]\n"
                         "  buffer Y: float32[n]\n" +
                         body + "}\n");
}

inline std::string loopTo(const std::string& extent, const std::string& statement) {
    return "  for i in " + extent + " {\n    " + statement + "\n  }\n";
}
inline std::string loop(const std::string& statement, int extent = 1000) {
    return loopTo(std::to_string(extent), statement);
}

/// More memory than a kernel may have.
inline std::string greedy() {
    return "  allocate t: float32[500000000]\n" + loop("t[i] = X[i]") + loop("Y[i] = t[i]");
}

/// Makes of each candidate the kernel that stands here for it.
class MadeUpKernels final : public tuning::KernelMaker {
public:
    /// The bodies are those of kernels as `kernel` makes them.
    MadeUpKernels(driver::Options options, std::string usual,
                  tir::PrimFuncPtr (*kernel)(const std::string& body) = kernelOf)
        : options_(std::move(options)), usual_(std::move(usual)), kernel_(kernel) {}

    std::map<std::string, std::string> bodies; // by name; else the usual one
    std::map<std::string, tuning::MadeKernel> refused;
    int failures = 0; // of the machine, before it works
    int asked = 0;
    std::vector<std::string> known = {}; // names of those that were compiled before, whoever asked for them

    Result<std::vector<tuning::MadeKernel>> make(const tune::Task&,
                                                 std::span<const tuning::WantedKernel> wanted) override {
        ++asked;
        if (failures-- > 0)
            return failure("no builder can be started");
        std::vector<tuning::MadeKernel> built;
        for (const tuning::WantedKernel& each : wanted) {
            if (each.isKnown)
                known.push_back(each.name);
            if (const auto found = refused.find(each.name); found != refused.end()) {
                built.push_back(found->second);
                continue;
            }
            const auto body = bodies.find(each.name);
            auto made = driver::compileKernelAlone(kernel_(body == bodies.end() ? usual_ : body->second), each.name,
                                                   false, {}, options_);
            if (!made)
                return Failure(made.error());
            built.push_back({*made, tune::Verdict::BuildError, {}});
        }
        return built;
    }

private:
    driver::Options options_;
    std::string usual_;
    tir::PrimFuncPtr (*kernel_)(const std::string& body);
};

} // namespace lathe::testing
