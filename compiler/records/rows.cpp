// SPDX-License-Identifier: Apache-2.0
#include "records/rows.h"

#include "base/json.h"
#include "codegen/target.h"
#include "inspect/machine_peaks.h"
#include "lower/workload.h"
#include "tune/features.h"
#include "tuning/study_device.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <thread>
#include <tuple>

namespace lathe::records {
namespace {

constexpr int mostRoundsRead = 1'000'000; // a list has a place for each
constexpr std::string_view templates = "template", inSpace = " in ", atSizes = " --sizes ";

/// The text with one '#' for each number: equal for computations that differ in sizes alone.
std::string withoutNumbers(std::string_view text) {
    std::string result;
    bool inName = false, inNumber = false; // the 0 of "v0" is no size
    for (const char c : text) {
        const bool digit = c >= '0' && c <= '9';
        if (digit && !inName) {
            if (!inNumber)
                result += '#';
            inNumber = true;
            continue;
        }
        inNumber = false;
        inName = digit || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        result += c;
    }
    return result;
}

/// Answers as textOf writes them, unless a name has a letter that JSON would write otherwise: a file may have a hundred
/// thousand of them, and this is a tenth of the work. Nothing: who reads JSON says what it is.
std::optional<schedule::Answers> plainAnswers(std::string_view text) {
    const auto skip = [&](char c) {
        const bool there = text.starts_with(c);
        text.remove_prefix(there ? 1 : 0);
        return there;
    };
    schedule::Answers answers;
    if (!skip('{'))
        return std::nullopt;
    do {
        if (!skip('"'))
            return std::nullopt;
        const size_t end = text.find('"');
        const std::string_view name = text.substr(0, end);
        if (end == std::string_view::npos ||
            std::ranges::any_of(name, [](char c) { return c < ' ' || c > '~' || c == '\\'; }))
            return std::nullopt;
        text.remove_prefix(end + 1);
        const auto [answer, isNew] = answers.try_emplace(std::string(name));
        if (!isNew || !skip(':') || !skip('['))
            return std::nullopt;
        do {
            int64_t number = 0;
            const auto [after, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
            const std::string_view digits(text.data(), after);
            if (failed != std::errc() || digits != std::to_string(number))
                return std::nullopt;
            answer->second.push_back(number);
            text.remove_prefix(digits.size());
        } while (skip(','));
        if (!skip(']'))
            return std::nullopt;
    } while (skip(','));
    return text == "}" ? std::optional(std::move(answers)) : std::nullopt;
}

} // namespace

Setting settingHere(int threads, std::string_view numerics) {
    Setting setting;
    setting.machine = fmt::format("{}; {}", inspect::cpuName(), toString(codegen::nativeTarget()));
    setting.threads = threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    setting.numerics = numerics;
    return setting;
}

Setting settingOn(const tuning::StudyDevice& device, const Target& target, int threads, std::string_view numerics) {
    return {.machine = fmt::format("{}; {}", device.processor, toString(target)),
            .threads = threads > 0 ? threads : device.cores,
            .numerics = std::string(numerics)};
}

Workload workloadOf(const tir::PrimFunc& computation, const Target& target) {
    Workload workload;
    workload.key = toString(lower::workloadOf(computation, target));
    workload.target = toString(target);
    workload.kernel = computation.name;
    workload.text = lower::workloadText(computation);
    const std::string alike = withoutNumbers(workload.text);
    workload.family = toString(hashBytes(std::as_bytes(std::span(alike))));
    return workload;
}

const char* toString(StudyState state) {
    switch (state) {
    case StudyState::Running:
        return "running";
    case StudyState::Ended:
        return "ended";
    case StudyState::Failed:
        return "failed";
    }
    return "";
}

std::string textOfSearch(std::string_view search, std::string_view space, std::string_view sizes) {
    if (space == templates && sizes.empty())
        return std::string(search);
    return fmt::format("{}{}{}{}{}", search, inSpace, space, sizes.empty() ? "" : atSizes, sizes);
}

std::string spaceOf(std::string_view search) {
    const size_t at = search.find(inSpace);
    return std::string(at == std::string_view::npos ? templates : search.substr(at + inSpace.size()));
}

std::string sizesOf(std::string_view search) {
    const size_t at = search.find(atSizes);
    return std::string(at == std::string_view::npos ? "" : search.substr(at + atSizes.size()));
}

std::string textOf(const schedule::Answers& answers) {
    return dump(nlohmann::json(answers));
}

Result<schedule::Answers> parseAnswers(std::string_view text) {
    if (auto answers = plainAnswers(text))
        return *std::move(answers);
    const auto value = parseJson(text);
    const Failure malformed = failure(fmt::format("'{}' are no answers", text.substr(0, 80)));
    if (!value || !value->is_object())
        return malformed;
    schedule::Answers answers;
    for (const auto& [name, numbers] : value->items()) {
        if (!numbers.is_array())
            return malformed;
        for (const auto& number : numbers) {
            const auto integral = integer<int64_t>(number);
            if (!integral)
                return malformed;
            answers[name].push_back(*integral);
        }
    }
    return answers;
}

bool isPossible(const Trial& row) {
    const tune::Interval& ratio = row.ratio;
    const bool ordered = 0 <= ratio.low && ratio.low <= ratio.middle && ratio.middle <= ratio.high && ratio.high <= 1e9;
    const bool measured = row.verdict == tune::Verdict::Measured;
    return ordered && 0 <= row.us && row.us <= 1e12 && (!measured || (row.us > 0 && ratio.low > 0)) &&
           (!row.accepted || measured) && (row.inPlace == InPlace::Unknown || row.accepted);
}

std::span<const Trial> sinceItBegan(std::span<const Trial> rows) {
    for (size_t i = rows.size(); i > 0; --i)
        if (rows[i - 1].made == tune::Made::Default)
            return rows.subspan(i - 1);
    return rows;
}

std::optional<Hash128> parseHash(std::string_view text) {
    Hash128 hash;
    if (text.size() != 32 || text.find_first_not_of("0123456789abcdef") != std::string_view::npos)
        return std::nullopt;
    std::from_chars(text.data(), text.data() + 16, hash.high, 16);
    std::from_chars(text.data() + 16, text.data() + 32, hash.low, 16);
    return hash;
}

std::vector<Round> rowsOf(const tune::Judgement& judgement, const std::string& study, const std::string& workload,
                          int number) {
    std::vector<Round> rows;
    for (const auto& [of, asked, quality] : {std::tuple("prior", tune::Opinion::Prior, &judgement.prior),
                                             {"model", tune::Opinion::Model, &judgement.model}})
        rows.push_back({study, workload, number, of, judgement.asked == asked, *quality});
    rows.push_back({study, workload, number, "random", false, judgement.random});
    return rows;
}

std::vector<tune::Judgement> judgementsOf(const std::vector<Round>& rows) {
    std::vector<tune::Judgement> judgements;
    for (const Round& row : rows) {
        if (row.number < 1 || row.number > mostRoundsRead)
            continue;
        judgements.resize(std::max(judgements.size(), static_cast<size_t>(row.number)));
        tune::Judgement& judgement = judgements[static_cast<size_t>(row.number) - 1];
        if (row.of == "prior")
            judgement.prior = row.quality;
        else if (row.of == "model")
            judgement.model = row.quality;
        else
            judgement.random = row.quality;
        if (row.asked)
            judgement.asked = row.of == "prior" ? tune::Opinion::Prior : tune::Opinion::Model;
    }
    return judgements;
}

std::string modelKey(const Setting& setting) {
    return fmt::format("trees of features {}; {}; {}", tune::featureVersion,
                       setting.threads == 1 ? "one thread" : "several threads", setting.machine);
}

Trial rowOf(const tune::Trial& trial, std::string study, std::string workload, int64_t number) {
    const tune::Candidate& candidate = trial.candidate;
    return {.study = std::move(study),
            .workload = std::move(workload),
            .number = number,
            .program = toString(candidate.program),
            .answers = textOf(candidate.answers),
            .trace = schedule::print(candidate.trace),
            .made = candidate.made,
            .parent = candidate.parent ? toString(*candidate.parent) : std::string(),
            .round = trial.round,
            .verdict = trial.verdict,
            .message = trial.message,
            .us = trial.us,
            .ratio = trial.ratio,
            .accepted = trial.accepted,
            .seconds = trial.seconds,
            .prior = candidate.prior,
            .predicted = candidate.predicted,
            .inPlace = trial.inPlace};
}

Result<tune::Trial> trialOf(const Trial& row) {
    tune::Trial trial;
    const auto program = parseHash(row.program);
    if (!program)
        return failure(fmt::format("'{}' is no hash", row.program.substr(0, 80)));
    trial.candidate.program = *program;
    LATHE_TRY(trial.candidate.answers, parseAnswers(row.answers));
    if (!isPossible(row))
        return failure("its figures are none that a measurement gives");
    trial.candidate.made = row.made;
    trial.candidate.parent = parseHash(row.parent);
    trial.verdict = row.verdict;
    trial.message = row.message;
    trial.us = row.us;
    trial.ratio = row.ratio;
    trial.accepted = row.accepted;
    trial.round = row.round;
    trial.seconds = row.seconds;
    trial.candidate.prior = row.prior;
    trial.candidate.predicted = row.predicted;
    return trial;
}

} // namespace lathe::records
