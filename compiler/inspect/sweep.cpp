// SPDX-License-Identifier: Apache-2.0
#include "inspect/sweep.h"

#include "model/size_name.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::inspect {
namespace {

constexpr size_t mostSizesOfSweep = 1000;

Failure malformed(std::string_view text) {
    return failure(ErrorKind::Usage, fmt::format("malformed sizes '{}'", text),
                   "use NAME=FROM:TO, NAME=FROM:TO:STEP or NAME=1,2,4; sizes are at least 1");
}

/// Numbers of at least 1 between separators.
std::optional<std::vector<int64_t>> numbersOf(std::string_view text, char separator) {
    std::vector<int64_t> numbers;
    for (const char *at = text.data(), *end = text.data() + text.size();; ++at) {
        int64_t number = 0;
        const auto [next, status] = std::from_chars(at, end, number);
        if (status != std::errc() || number < 1)
            return std::nullopt;
        numbers.push_back(number);
        if (next == end)
            return numbers;
        if (*next != separator)
            return std::nullopt;
        at = next;
    }
}

/// As it stands in RunnerValue::dims.
Result<int64_t> symbolNamed(const device::RunnerModel& loaded, const std::string& name) {
    if (const auto meant = model::sizeMeant(loaded.symbols, name))
        return -static_cast<int64_t>(std::ranges::find(loaded.symbols, *meant) - loaded.symbols.begin()) - 1;
    std::vector<std::string> open = loaded.symbols;
    for (const device::RunnerValue& input : loaded.inputs)
        for (size_t dim = 0; dim < input.dims.size(); ++dim)
            if (device::isSymbol(input.dims[dim])) {
                open.push_back(fmt::format("{}[{}]", input.name, dim));
                if (open.back() == name)
                    return input.dims[dim];
            }
    return failure(ErrorKind::Usage, fmt::format("the compiled model has no size '{}'", name),
                   open.empty() ? std::string("all of its sizes are fixed")
                                : fmt::format("it leaves open: {}", fmt::join(open, ", ")));
}

/// Of the given tensors those that serve all sizes: where an input has the swept one, others are drawn.
Tensors withoutSize(Tensors given, const device::RunnerModel& loaded, int64_t symbol) {
    for (const device::RunnerValue& input : loaded.inputs)
        if (std::ranges::find(input.dims, symbol) != input.dims.end())
            given.erase(input.name);
    return given;
}

} // namespace

Result<SweepQuestion> parseSweep(std::string_view text) {
    // Names of inputs may have an equals sign, sizes have none.
    const size_t equals = text.rfind('=');
    if (equals == std::string_view::npos || equals == 0)
        return malformed(text);
    SweepQuestion question{std::string(text.substr(0, equals)), {}};
    const std::string_view sizes = text.substr(equals + 1);
    if (sizes.find(':') == std::string_view::npos) {
        auto list = numbersOf(sizes, ',');
        if (!list)
            return malformed(text);
        question.sizes = *std::move(list);
    } else {
        const auto range = numbersOf(sizes, ':');
        if (!range || range->size() > 3)
            return malformed(text);
        const int64_t from = (*range)[0], to = (*range)[1], step = range->size() > 2 ? (*range)[2] : 1;
        if (from > to)
            return malformed(text);
        // Counted first: the last size plus a step need not fit.
        const auto steps = static_cast<uint64_t>(to - from) / static_cast<uint64_t>(step);
        for (uint64_t i = 0; i <= std::min<uint64_t>(steps, mostSizesOfSweep); ++i)
            question.sizes.push_back(from + static_cast<int64_t>(i) * step);
    }
    if (question.sizes.size() > mostSizesOfSweep)
        return failure(ErrorKind::Usage, fmt::format("'{}' are more than {} sizes", text, mostSizesOfSweep),
                       "choose a larger step");
    return question;
}

std::string toString(const SweepQuestion& question) {
    return fmt::format("{}={}", question.name, fmt::join(question.sizes, ","));
}

Result<driver::Shapes> shapesAt(const device::RunnerModel& loaded, const std::string& name, int64_t size,
                                const Tensors& given, const driver::Shapes& asked) {
    LATHE_TRY(const int64_t symbol, symbolNamed(loaded, name));
    LATHE_TRY(driver::Shapes shapes, inputShapes(loaded.inputs, given, asked));
    for (size_t i = 0; i < shapes.size(); ++i)
        for (size_t dim = 0; dim < shapes[i].second.size(); ++dim)
            if (loaded.inputs[i].dims[dim] == symbol)
                shapes[i].second[dim] = size;
    return shapes;
}

Result<std::vector<std::string>> sizesTakenAsOne(const device::RunnerModel& loaded, const std::string& name,
                                                 const Tensors& given, const driver::Shapes& asked) {
    LATHE_TRY(const int64_t symbol, symbolNamed(loaded, name));
    std::vector<std::string> names = sizesTakenAsOne(loaded.inputs, given, asked);
    for (const device::RunnerValue& input : loaded.inputs)
        for (size_t dim = 0; dim < input.dims.size(); ++dim)
            if (input.dims[dim] == symbol)
                std::erase(names, nameOfSize(input, dim));
    return names;
}

Result<Sweep> sweep(device::RunnerClient& runner, const device::RunnerModel& loaded, const SweepQuestion& question,
                    const Tensors& given, const driver::Shapes& asked, uint64_t seed, const Measuring& measuring,
                    const driver::Progress& progress) {
    LATHE_TRY(const int64_t symbol, symbolNamed(loaded, question.name));
    const Tensors kept = withoutSize(given, loaded, symbol);
    Sweep result{question.name, {}, runner.options().threads, drawnInputs(loaded.inputs, kept)};
    for (const int64_t size : question.sizes) {
        LATHE_TRY(const driver::Shapes shapes, shapesAt(loaded, question.name, size, given, asked));
        const auto measured = [&]() -> Result<Profile> {
            LATHE_CHECKED(setInputs(runner, loaded, kept, shapes, seed, progress.cancelled));
            driver::Progress part = progress;
            const double before = static_cast<double>(result.points.size());
            if (progress.report)
                part.report = [&](std::string_view /*stage*/, double fraction) {
                    progress.report(fmt::format("{} = {}", question.name, size),
                                    (before + fraction) / static_cast<double>(question.sizes.size()));
                };
            return profile(runner, loaded, {}, shapes, measuring, part);
        }();
        if (!measured) {
            Diagnostic problem = measured.error();
            problem.what = fmt::format("at {} = {}: {}", question.name, size, problem.what);
            return Failure(std::move(problem));
        }
        result.points.push_back(
            {size, measured->leastMs, measured->medianMs, measured->lowMs, measured->highMs, measured->runs});
    }
    return result;
}

} // namespace lathe::inspect
