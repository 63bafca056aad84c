// SPDX-License-Identifier: Apache-2.0
//
// `lathe run` and `lathe profile`: a model once, or timed by fused function.
#include "app/cli/session.h"
#include "arith/analysis.h"
#include "driver/compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace lathe::cli {
namespace {

driver::RunnerOptions runnerOptions(const RunArgs& args, const Common& common) {
    driver::RunnerOptions options;
    options.threads = common.threads;
    options.seed = args.seed;
    options.timeout = std::chrono::milliseconds(static_cast<int64_t>(args.timeout * 1000));
    options.processBytes = args.memoryMegabytes * (int64_t{1} << 20);
    return options;
}

struct Prepared {
    driver::RunnerModel loaded;
    double compileSeconds = 0;
    Shapes shapes; // of the inputs
};

Result<Prepared> prepare(driver::RunnerClient& runner, const RunArgs& args, const Common& common,
                         const MemoryFile& memory, driver::Trace& trace) {
    Prepared prepared;
    LATHE_TRY(std::filesystem::path path, artifactFor(args.model, memory, common, trace, prepared.compileSeconds));
    LATHE_TRY(prepared.loaded, runner.load(path));
    LATHE_TRY(driver::Options options, makeOptions(common));
    LATHE_TRY(prepared.shapes, setInputs(runner, prepared.loaded, args.inputs, args.seed, options.shapes));
    return prepared;
}

/// A node that ONNX defines by a body stands once for each origin in that body.
std::vector<std::string> distinct(const std::vector<std::string>& names) {
    std::vector<std::string> result;
    for (const std::string& name : names)
        if (std::ranges::find(result, name) == result.end())
            result.push_back(name);
    return result;
}

/// For a line of the terminal: some origins, of each its first node (a shared constant is of many). --json has them all.
std::string firstOf(const std::vector<std::string>& origins) {
    constexpr size_t shown = 4;
    std::vector<std::string> names;
    for (const std::string& origin : origins) {
        if (names.size() == shown)
            return fmt::format("{}, … {} more", fmt::join(names, ", "), origins.size() - shown);
        const size_t end = origin.find(", ");
        names.push_back(end == std::string::npos ? origin : origin.substr(0, end) + " …");
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

int fail(Diagnostic diagnostic, const driver::Trace& trace, const std::string& file, const Common& common) {
    if (diagnostic.file.empty())
        diagnostic.file = file;
    std::vector<Diagnostic> all;
    for (const Diagnostic& other : trace.diagnostics)
        if (!(other == diagnostic))
            all.push_back(other);
    all.push_back(diagnostic);
    return report(all, common);
}

} // namespace

int runCommand(const RunArgs& args, const Common& common) {
    const MemoryFile memory("lathe-model");
    driver::Trace trace;
    driver::RunnerClient runner(runnerOptions(args, common));
    auto prepared = prepare(runner, args, common, memory, trace);
    if (!prepared)
        return fail(prepared.error(), trace, args.model, common);
    auto times = runner.run(1);
    if (!times)
        return fail(times.error(), trace, args.model, common);
    auto outputs = runner.outputs();
    if (!outputs)
        return fail(outputs.error(), trace, args.model, common);
    for (size_t i = 0; i < outputs->size(); ++i) {
        const model::HostTensor& tensor = (*outputs)[i];
        const std::string& name = prepared->loaded.outputs[i].name;
        std::vector<double> values = driver::toDoubles(tensor);
        std::vector<double> head(values.begin(),
                                 values.begin() + static_cast<int64_t>(std::min<size_t>(values.size(), 6)));
        if (common.json) {
            nlohmann::json line = {{"output", name}, {"dtype", toString(tensor.dtype)}, {"shape", tensor.shape}};
            for (double value : head)
                line["first"].push_back(std::isfinite(value) ? nlohmann::json(value)
                                                             : nlohmann::json(fmt::format("{}", value)));
            line["ms"] = static_cast<double>(times->ns.front()) / 1e6;
            line["arena_peak"] = times->arenaPeak;
            fmt::print("{}\n", line.dump());
        } else {
            fmt::print("{}: {}[{}] {:.6g}{}\n", name, toString(tensor.dtype), fmt::join(tensor.shape, ","),
                       fmt::join(head, " "), values.size() > head.size() ? " …" : "");
        }
        if (!args.save.empty()) {
            std::error_code failed;
            std::filesystem::create_directories(args.save, failed);
            std::string file = name;
            std::replace(file.begin(), file.end(), '/', '_');
            if (auto written = writeNpy(std::filesystem::path(args.save) / (file + ".npy"), tensor); !written)
                return fail(written.error(), trace, args.model, common);
        }
    }
    if (!common.json && !common.quiet)
        fmt::print("{:.3f} ms, {:.1f} MB of intermediate values at the peak\n",
                   static_cast<double>(times->ns.front()) / 1e6, static_cast<double>(times->arenaPeak) / 1e6);
    return 0;
}

int profileCommand(const RunArgs& args, const Common& common) {
    const MemoryFile memory("lathe-model");
    driver::Trace trace;
    driver::RunnerClient runner(runnerOptions(args, common));
    auto prepared = prepare(runner, args, common, memory, trace);
    if (!prepared)
        return fail(prepared.error(), trace, args.model, common);
    constexpr int warmUp = 1, runs = 3;
    auto measure = [&]() -> Result<driver::RunnerProfile> {
        LATHE_CHECKED(runner.run(warmUp));
        LATHE_CHECKED(runner.startProfile());
        LATHE_CHECKED(runner.run(runs));
        return runner.readProfile();
    };
    auto profile = measure();
    if (!profile)
        return fail(profile.error(), trace, args.model, common);
    double total = 0;
    std::vector<std::pair<double, size_t>> order;
    for (size_t i = 0; i < profile->calls.size(); ++i) {
        double ms = static_cast<double>(profile->calls[i].totalNs) / 1e6 / runs;
        total += ms;
        order.emplace_back(ms, i);
    }
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return a.first > b.first || (a.first == b.first && a.second < b.second);
    });
    // What was compiled here is known at these sizes; an artifact has the numbers that need none.
    std::unordered_map<const arith::ExprNode*, int64_t> symbols;
    if (!trace.passes.empty() && trace.passes.front().after)
        symbols = symbolValues(trace.passes.front().after->main(), prepared->shapes);
    if (!common.json)
        fmt::print("{:>9} {:>6} {:>8} {:>7}  {}\n", "ms", "share", "GFLOP/s", "GB/s", "function  (nodes)");
    for (const auto& [ms, i] : order) {
        if (profile->calls[i].count == 0)
            continue;
        const driver::RunnerCall& call = prepared->loaded.calls[i];
        auto estimate = [&](const arith::Expr driver::CallRecord::* field, double constant) {
            auto value = i < trace.calls.size() ? arith::evaluate(trace.calls[i].*field, symbols) : std::nullopt;
            return value ? static_cast<double>(*value) : constant;
        };
        const std::vector<std::string> nodes = distinct(call.nodes);
        double flops = estimate(&driver::CallRecord::flops, call.flops);
        double bytes = estimate(&driver::CallRecord::bytes, call.bytes);
        double gflops = ms > 0 ? flops / ms / 1e6 : 0, gbs = ms > 0 ? bytes / ms / 1e6 : 0;
        double share = total > 0 ? ms / total : 0;
        if (common.json)
            fmt::print("{}\n", nlohmann::json{{"function", call.function},
                                              {"kernel", call.kernel},
                                              {"ms", ms},
                                              {"share", share},
                                              {"gflops", gflops},
                                              {"gbs", gbs},
                                              {"nodes", nodes}}
                                   .dump());
        else
            fmt::print("{:9.4f} {:5.1f}% {:8.1f} {:7.1f}  {}  ({})\n", ms, share * 100, gflops, gbs, call.function,
                       firstOf(nodes));
    }
    if (!common.json)
        fmt::print("{:9.4f} ms in {} calls\n", total, profile->calls.size());
    return 0;
}

} // namespace lathe::cli
