// SPDX-License-Identifier: Apache-2.0
#include "base/machine_model.h"

#include <iterator>
#include <string_view>

namespace lathe {
namespace {

/// What differs from what is usual, by LLVM's name of the CPU.
struct CpuRow {
    std::string_view cpu;
    double bytesPerMultiplyAdd;
};
/// MeasuredRates on Sapphire Rapids; the others have the same units, behind the same kind of mesh.
constexpr CpuRow cpus[] = {{"skylake-avx512", 0.12}, {"cascadelake", 0.12},    {"cooperlake", 0.12},
                           {"icelake-server", 0.12}, {"sapphirerapids", 0.12}, {"emeraldrapids", 0.12},
                           {"graniterapids", 0.12},  {"graniterapids-d", 0.12}};

} // namespace

double Peak::leastUs(double flops, double bytes) const {
    const double compute = gflops > 0 ? flops / gflops / 1e3 : 0;
    const double memory = gbs > 0 ? bytes / gbs / 1e3 : 0;
    return std::max(compute, memory);
}

double MachineModel::cacheBytes(size_t level) const {
    const std::array bytes = {target.l1Bytes, target.l2Bytes, target.l3Bytes};
    return static_cast<double>(bytes.at(level));
}

MachineModel machineModel(const Target& target, int threads, const MeasuredRates& measured) {
    MachineModel model{.target = target, .threads = threads};
    if (const auto row = std::ranges::find(cpus, target.cpu, &CpuRow::cpu); row != std::end(cpus))
        model.bytesPerMultiplyAdd = row->bytesPerMultiplyAdd;
    model.bytesPerMultiplyAdd = measured.bytesPerMultiplyAdd.value_or(model.bytesPerMultiplyAdd);
    model.gflops = measured.gflops.value_or(model.gflops);
    model.gbs = measured.gbs.value_or(model.gbs);
    return model;
}

} // namespace lathe
