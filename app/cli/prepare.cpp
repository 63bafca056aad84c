// SPDX-License-Identifier: Apache-2.0
#include "app/cli/prepare.h"

#include "driver/tensor_files.h"
#include "runtime/abi.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace lathe::cli {
namespace {

namespace fs = std::filesystem;

bool isArtifact(const fs::path& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    lathe_trailer trailer{};
    if (!file || file.tellg() < static_cast<std::streamoff>(sizeof(trailer)))
        return false;
    file.seekg(-static_cast<std::streamoff>(sizeof(trailer)), std::ios::end);
    file.read(reinterpret_cast<char*>(&trailer), sizeof(trailer));
    return file && std::memcmp(trailer.magic, LATHE_TRAILER_MAGIC, sizeof(trailer.magic)) == 0;
}

} // namespace

Result<driver::Options> makeRunOptions(const Common& common) {
    LATHE_TRY(driver::Options options, makeOptions(common));
    LATHE_CHECKED(codegen::checkRunsHere(options.target));
    return options;
}

void reportWarnings(const driver::Trace& trace, const Common& common) {
    std::vector<Diagnostic> warnings;
    std::ranges::copy_if(trace.diagnostics, std::back_inserter(warnings),
                         [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::Error; });
    report(warnings, common);
}

Result<driver::Artifact> artifactFor(const std::string& model, const MemoryFile& memory, const Common& common,
                                     driver::Trace& trace) {
    if (isArtifact(model))
        return driver::Artifact{model, 0};
    LATHE_TRY(driver::Options options, makeRunOptions(common));
    // Sizes are for the run: one compilation serves all of them.
    options.shapes.clear();
    LATHE_TRY(driver::Decisions decisions, makeDecisions(common));
    auto artifact = driver::compileFile(model, memory.path(), decisions, options, trace, makeProgress(common));
    reportWarnings(trace, common);
    return artifact;
}

Result<driver::Tensors> readInputs(const std::vector<std::string>& arguments) {
    driver::Tensors tensors;
    for (const std::string& argument : arguments) {
        const size_t equals = argument.find('=');
        if (equals == std::string::npos)
            return failure(ErrorKind::Usage, fmt::format("malformed input '{}'", argument), "use NAME=FILE");
        LATHE_TRY(tensors[argument.substr(0, equals)], driver::readTensorFile(argument.substr(equals + 1)));
    }
    return tensors;
}

} // namespace lathe::cli
