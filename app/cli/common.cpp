// SPDX-License-Identifier: Apache-2.0
//
// What all commands share: options from arguments, progress, diagnostics.
#include "app/cli/commands.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"

#include "base/diagnostics.h"
#include "base/json.h"
#include "base/new_file.h"
#include "codegen/target.h"
#include "driver/option_words.h"
#include "inspect/machine_peaks.h"
#include "records/best.h"
#include "records/near.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <span>
#include <unistd.h>

namespace lathe::cli {

Result<driver::Options> makeOptions(const Common& common, driver::Options options) {
    LATHE_TRY(options.target, codegen::parseTarget(common.target));
    options.bytesPerMultiplyAdd = inspect::measuredBalance(common.target);
    options.threads = common.threads;
    if (common.numerics) {
        LATHE_TRY(options.numerics, driver::parseNumerics(*common.numerics));
    }
    LATHE_TRY(const std::vector<driver::FoundPlugin> plugins, pluginsOf(common));
    options.extensions = driver::extensionsOf(plugins);
    if (!common.signature.empty())
        options.signature = common.signature;
    if (!common.inputs.empty())
        options.cut.inputs = common.inputs;
    if (!common.outputs.empty())
        options.cut.outputs = common.outputs;
    if (!common.types.empty())
        options.types.clear();
    for (const std::string& text : common.types)
        LATHE_CHECKED(driver::addType(text, options));
    if (!common.arguments.empty())
        options.arguments.clear();
    for (const std::string& text : common.arguments)
        LATHE_CHECKED(driver::addArgument(text, options));
    options.verify |= common.verify;
    options.cache = !common.noCache;
    if (!common.shapes.empty()) {
        options.shapes.clear();
        options.sizeNames.clear();
    }
    for (const std::string& text : common.shapes)
        LATHE_CHECKED(driver::addShape(text, options));
    return options;
}

Result<driver::Options> makeSourceOptions(const Common& common) {
    Common plain = common;
    if (plain.target == "native")
        plain.target = "x86-64-v2"; // vectors of 128 bits, 16 registers, caches of usual sizes
    LATHE_TRY(driver::Options options, makeOptions(plain));
    options.target = codegen::cTarget(options.target);
    options.form = driver::Form::CSource;
    return options;
}

namespace {

std::filesystem::path recordsPath(const std::string& named) {
    return named.empty() ? records::defaultFile() : std::filesystem::path(named);
}

Result<void> addRecorded(driver::Decisions& decisions, const Common& common) {
    LATHE_TRY(const driver::Options options, makeOptions(common));
    const records::Setting setting = records::settingHere(options.threads, driver::toString(options.numerics));
    records::Offered offered, shipped;
    if (common.tunedFrom.empty()) {
        LATHE_TRY(const auto file, records::shippedFor(records::shippedFolder(), setting));
        if (file) {
            LATHE_TRY(shipped, records::offeredFor(*file, setting));
        }
    }
    const std::filesystem::path path = recordsPath(common.tunedFrom);
    std::error_code ignored;
    if (shipped.schedules.empty() || std::filesystem::exists(path, ignored)) {
        LATHE_TRY(const records::File file, openRecords(common.tunedFrom, records::File::Access::Read, common));
        LATHE_TRY(offered, records::offeredFor(file, setting));
    }
    offered.schedules.merge(shipped.schedules); // one's own go before
    decisions.recorded = std::move(offered.schedules);
    if (decisions.recorded.empty()) {
        Diagnostic& none = offered.warnings.emplace_back(error(
            "nothing is recorded that is faster than the default, for this machine, these threads and these numerics",
            "lathe tune with the same --threads and --numerics looks for some"));
        none.severity = Severity::Warning;
        none.file = path.string();
    }
    report(offered.warnings, common);
    return {};
}

} // namespace

Result<records::File> openRecords(const std::string& named, records::File::Access access, const Common& common) {
    LATHE_CHECKED(isFile(named));
    const std::filesystem::path path = recordsPath(named);
    if (path.empty())
        return failure(ErrorKind::Usage, "there is no folder for records", "name a file by --records");
    LATHE_TRY(records::File file, records::File::open(path, access));
    report(file.warnings(), common);
    return file;
}

Result<driver::Decisions> makeDecisions(const Common& common) {
    driver::Decisions decisions;
    if (!common.decisionsFile.empty()) {
        LATHE_CHECKED(isFile(common.decisionsFile));
        std::error_code failed;
        if (std::filesystem::exists(common.decisionsFile, failed) &&
            !std::filesystem::is_regular_file(common.decisionsFile, failed)) // a pipe may never end
            return failure(fmt::format("'{}' is no regular file", common.decisionsFile), "name a file of decisions");
        std::ifstream file(common.decisionsFile);
        if (!file)
            return failure(fmt::format("cannot read '{}': {}", common.decisionsFile, std::strerror(errno)));
        std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        auto parsed = driver::parseDecisions(text);
        if (!parsed) {
            Diagnostic diagnostic = parsed.error();
            diagnostic.file = common.decisionsFile;
            return Failure(diagnostic);
        }
        decisions = *std::move(parsed);
    }
    if (common.optionalLimit >= 0)
        decisions.optionalLimit = common.optionalLimit;
    if (common.tuned || !common.tunedFrom.empty() || common.nearRecords)
        LATHE_CHECKED(addRecorded(decisions, common));
    return decisions;
}

Result<void> addNearRecords(driver::Decisions& decisions, const std::string& model, const driver::Options& options,
                            const Common& common) {
    if (!common.nearRecords)
        return {};
    driver::Options withoutCode = options;
    withoutCode.emitCode = false;
    driver::Trace trace;
    if (!driver::compileFile(model, {}, decisions, withoutCode, trace))
        return {}; // which the compilation itself will say
    const records::Setting setting = records::settingHere(options.threads, driver::toString(options.numerics));
    LATHE_TRY(const records::File file, openRecords(common.tunedFrom, records::File::Access::Read, common));
    LATHE_TRY(const records::NearRecords near, records::NearRecords::of(file, setting, options.target));
    for (const driver::KernelRecord& kernel : trace.kernels)
        if (kernel.schedulable && !decisions.kernels.contains(kernel.workload) &&
            !decisions.recorded.contains(kernel.workload))
            if (auto schedule = near.scheduleFor(kernel.stages.front().second))
                decisions.recorded[kernel.workload] = std::move(*schedule);
    return {};
}

void markStale(const driver::Trace& trace, const Common& common) {
    std::vector<std::string> stale;
    for (const driver::KernelRecord& kernel : trace.kernels)
        if (kernel.schedule.isStale)
            stale.push_back(kernel.workload);
    if (stale.empty())
        return;
    const auto options = makeOptions(common);
    auto file = records::File::open(recordsPath(common.tunedFrom), records::File::Access::Write);
    if (options && file) // a file that may not be written stays as it is: the warning comes again
        (void)records::markStale(*file, records::settingHere(options->threads, driver::toString(options->numerics)),
                                 stale);
}

Result<void> isFile(const std::string& path) {
    if (path != "-")
        return {};
    return failure(ErrorKind::Usage, "'-' is no file: only a model is read from standard input",
                   "use ./- if it is called so");
}

Result<void> keepsFiles(const std::string& out, const std::vector<std::string>& files, const std::string& named) {
    LATHE_CHECKED(isFile(out));
    std::error_code ignored; // what is not there is not lost
    const auto whole = [&](const std::string& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
    };
    const auto isOut = [&](const std::string& path) {
        return !out.empty() && !path.empty() &&
               (std::filesystem::equivalent(path, out, ignored) || (!whole(out).empty() && whole(path) == whole(out)));
    };
    for (const std::string& file : files) {
        const auto input = parseInput(file);
        if (isOut(file) || (input && isOut(input->second)))
            return failure(ErrorKind::Usage, fmt::format("'{}' is a file that is read here", out),
                           "name another file for the result");
    }
    // Read or not, named or not: nothing makes them again but tuning.
    for (const std::string& each : {records::defaultFile().string(), named})
        for (const char* beside : {"", "-wal", "-shm"})
            if (!each.empty() && isOut(each + beside))
                return failure(ErrorKind::Usage, fmt::format("'{}' is of the records", out),
                               "name another file for the result");
    return {};
}

Result<void> writeText(const std::filesystem::path& path, const std::string& text) {
    NewFile file(path, NewFile::Kind::Text);
    if (!(file.write(std::as_bytes(std::span(text))) && file.keep()))
        return Failure(file.problem());
    return {};
}

std::vector<std::string> filesOf(const RunArgs& args, const Common& common) {
    std::vector<std::string> files = args.inputs.files;
    files.insert(files.end(), {args.model, common.decisionsFile});
    return files;
}

driver::Progress makeProgress(const Common& common) {
    driver::Progress progress;
    if (common.progress)
        progress.report = [before = std::string(), percent = 0](std::string_view stage, double fraction) mutable {
            const int now = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100);
            if (stage == before && now == percent)
                return;
            before = stage;
            percent = now;
            printStderr("{}\n", dump({{"progress", stage}, {"fraction", fraction}}));
        };
    else if (!common.quiet && isatty(STDERR_FILENO))
        progress.report = [](std::string_view stage, double fraction) {
            printStderr("\r\033[K{} {:.0f} %", stage, fraction * 100);
            if (stage == "write")
                printStderr("\r\033[K");
        };
    return progress;
}

Diagnostic inFile(Diagnostic diagnostic, const std::string& file) {
    if (diagnostic.file.empty())
        diagnostic.file = file;
    return diagnostic;
}

int report(const std::vector<Diagnostic>& diagnostics, const Common& common) {
    int code = 1;
    for (const Diagnostic& diagnostic : diagnostics) {
        if (diagnostic.kind == ErrorKind::Internal)
            code = 3;
        else if (diagnostic.kind == ErrorKind::Usage && code == 1)
            code = 2;
        if (common.json) {
            printStderr("{}\n", toJson(diagnostic));
        } else if (!common.quiet || diagnostic.severity == Severity::Error) {
            printStderr("{}\n", toString(diagnostic));
        }
    }
    return code;
}

} // namespace lathe::cli
