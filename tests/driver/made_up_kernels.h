// SPDX-License-Identifier: Apache-2.0
//
// Kernels over 1000 floats, written as text, for what builds, times and judges them.
#pragma once

#include "driver/kernel_maker.h"
#include "tir/text.h"

#include <QtGlobal>
#include <map>
#include <string>

namespace lathe::testing {

/// Of 1000 floats: 4000 bytes, which neither a page nor a line of cache is.
inline tir::PrimFuncPtr kernelOf(const std::string& body) {
    const auto parsed = tir::parsePrimFunc("primfunc f(X, Y) outputs 1 {\n  buffer X: float32[1000]\n"
                                           "  buffer Y: float32[1000]\n" +
                                           body + "}\n");
    if (!parsed)
        qFatal("%s", toString(parsed.error()).c_str());
    return *parsed;
}

inline std::string loop(const std::string& statement, int extent = 1000) {
    return "  for i in " + std::to_string(extent) + " {\n    " + statement + "\n  }\n";
}

/// More memory than a kernel may have.
inline std::string greedy() {
    return "  allocate t: float32[500000000]\n" + loop("t[i] = X[i]") + loop("Y[i] = t[i]");
}

/// Makes of each candidate the kernel that stands here for it.
class MadeUpKernels final : public driver::KernelMaker {
public:
    MadeUpKernels(driver::Options options, std::string usual)
        : options_(std::move(options)), usual_(std::move(usual)) {}

    std::map<std::string, std::string> bodies; // by name; else the usual one
    std::map<std::string, driver::MadeKernel> refused;
    int failures = 0; // of the machine, before it works
    int asked = 0;
    std::vector<std::string> known = {}; // names of those that were compiled before, whoever asked for them

    Result<std::vector<driver::MadeKernel>> make(const tune::Task&,
                                                 std::span<const driver::WantedKernel> wanted) override {
        ++asked;
        if (failures-- > 0)
            return failure("no builder can be started");
        std::vector<driver::MadeKernel> built;
        for (const driver::WantedKernel& each : wanted) {
            if (each.isKnown)
                known.push_back(each.name);
            if (const auto found = refused.find(each.name); found != refused.end()) {
                built.push_back(found->second);
                continue;
            }
            const auto body = bodies.find(each.name);
            auto made = driver::compileKernelAlone(kernelOf(body == bodies.end() ? usual_ : body->second), each.name,
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
};

} // namespace lathe::testing
