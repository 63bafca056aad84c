// SPDX-License-Identifier: Apache-2.0
//
// What whoever exports may not have thought of.
#include "deploy/planner.h"

#include "codegen/target.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

} // namespace

void Planner::remarkOnSchedules() {
    std::vector<std::pair<Target, std::string>> owners; // whom schedules may be decided for
    for (size_t i = 0; i < options_.targets.size(); ++i)
        owners.emplace_back(options_.form == BundleForm::CSource ? codegen::cTarget(options_.targets[i])
                                                                 : options_.targets[i],
                            manifest_.variants[i].tag);
    const Target here = codegen::nativeTarget();
    if (std::ranges::find(owners, here, &std::pair<Target, std::string>::first) == owners.end())
        owners.emplace_back(here, here.cpu);
    const auto remark = [&](size_t count, const std::string& owner) {
        std::vector<std::string> others;
        for (const ManifestVariant& variant : manifest_.variants)
            if (variant.tag != owner)
                others.push_back(options_.form == BundleForm::CSource ? "C source" : variant.tag);
        if (count > 0 && !others.empty())
            bundle_.plan.remarks.push_back(fmt::format("{} decided schedule{} for {}: {} {} the default ones", count,
                                                       count == 1 ? " is" : "s are", owner, fmt::join(others, ", "),
                                                       others.size() == 1 ? "has" : "have"));
    };
    size_t left = options_.decisions.kernels.size();
    for (const auto& [target, owner] : owners) {
        const size_t own = driver::forTarget(options_.decisions, target).kernels.size();
        remark(own, owner);
        left -= own;
    }
    remark(left, "other targets");
}

void Planner::addRemarks() {
    std::vector<std::string>& remarks = bundle_.plan.remarks;
    remarkOnSchedules();
    for (const auto& [name, range] : interface_.ranges)
        if (!range.most)
            remarks.push_back(fmt::format(
                "size '{}' has no upper bound, nor has the memory of a run: --symbol {}=1..MOST", name, name));
    const Limits& limits = options_.limits;
    if (limits.p50Ms > 0 || limits.p99Ms > 0 || limits.loadMs > 0 || limits.residentBytes > 0)
        remarks.push_back("limits of time and memory are not measured here: lathe bundle check and ./check hold them");
    if (options_.form == BundleForm::CSource)
        return;
    if (options_.form == BundleForm::Folder && options_.targets.size() == 1 &&
        codegen::requiredOf(options_.targets.front()).has("avx512f"))
        remarks.push_back(
            "it needs AVX-512, which many machines lack: --target x86-64-v4 --target x86-64-v3 serves both");
    std::error_code failed;
    uint64_t model = 0; // trace_->files has its own too
    for (const fs::path& file : trace_->files)
        if (fs::is_regular_file(file, failed))
            model += fs::file_size(file, failed);
    const uint64_t artifact = fs::file_size(variants_.front().first->path(), failed);
    constexpr uint64_t small = uint64_t{1} << 20;
    if (!failed && artifact > small && artifact * 2 > model * 3)
        remarks.push_back(fmt::format("the artifact takes {} bytes, the model {}: weights are stored in forms that are "
                                      "faster and larger (docs/deployment.md says how to trade that)",
                                      artifact, model));
}

void Planner::remarkOnExamples() {
    if (has(Part::Examples) && hasChoice(options_.form, Part::Examples) &&
        std::ranges::find(bundle_.plan.files, FileKind::Example, &PlannedFile::kind) == bundle_.plan.files.end())
        bundle_.plan.remarks.push_back("there are no examples: each runs a golden case, from C and C++ or from Python");
}

} // namespace lathe::deploy
