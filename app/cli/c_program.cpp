// SPDX-License-Identifier: Apache-2.0
//
// Tensors go in and out by files, as the program NAME_main.c takes them (codegen/c/emit_program.cpp).
#include "app/cli/c_program.h"

#include "base/child_process.h"
#include "base/new_file.h"
#include "base/printable.h"
#include "inspect/inputs.h"
#include "relay/type_map.h"

#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>

namespace lathe::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t longestOutput = size_t{1} << 22;

std::vector<device::RunnerValue> outputsOf(const relay::Function& main) {
    std::vector<device::RunnerValue> outputs;
    for (const relay::Type& type : relay::outputTypes(main)) {
        const relay::TensorType* tensor = relay::asTensor(type);
        LATHE_ASSERT(tensor, "outputs of a model are tensors");
        const size_t i = outputs.size();
        outputs.push_back(
            {i < main.outputNames.size() ? main.outputNames[i] : fmt::format("output{}", i), tensor->dtype, {}});
    }
    return outputs;
}

Result<void> writeBytes(const fs::path& path, std::span<const std::byte> bytes) {
    NewFile file(path, NewFile::Kind::Text);
    if (!file.write(bytes) || !file.keep())
        return Failure(file.problem());
    return {};
}

/// The beginning of what a compiler says, on one line.
std::string firstWords(const std::string& text) {
    const size_t at = text.find("error");
    const std::string_view from = std::string_view(text).substr(at == std::string::npos ? 0 : text.rfind('\n', at) + 1);
    return printable(from.substr(0, 300));
}

} // namespace

CProgram::Folder::~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

Result<CProgram> CProgram::make(const fs::path& model, const driver::Decisions& decisions,
                                const driver::Options& options, driver::Trace& trace,
                                std::chrono::milliseconds timeout) {
    CProgram program;
    program.timeout_ = timeout;
    std::string path = (fs::temp_directory_path() / "lathe-c-XXXXXX").string();
    if (!mkdtemp(path.data()))
        return failure(fmt::format("no folder can be made in '{}'", fs::temp_directory_path().string()),
                       "set TMPDIR to a folder");
    program.folder_ = std::make_shared<Folder>(path);
    driver::Options source = options;
    source.form = driver::Form::CSource;
    source.target = codegen::cTarget(source.target);
    LATHE_CHECKED(driver::compileFile(model, path, decisions, source, trace));
    program.name_ = codegen::cIdentifier(source.name.empty() ? model.stem().string() : source.name);
    program.hasWeights_ = fs::exists(fs::path(path) / (program.name_ + ".weights"));
    for (auto pass = trace.passes.rbegin(); pass != trace.passes.rend() && program.model_.outputs.empty(); ++pass)
        if (pass->after) {
            program.model_.inputs = inspect::inputsOf(pass->after->main());
            program.model_.outputs = outputsOf(pass->after->main());
        }
    return program;
}

Result<void> CProgram::build(const std::string& compiler) {
    outcome_ = device::RunnerOutcome::Refused;
    ChildProcess child;
    LATHE_CHECKED(child.start(
        "/bin/sh", {"-c", "exec 2>&1; cd \"$0\" && " + compiler + " *.c -o program -lm", folder_->path.string()}));
    child.endInput();
    std::string said;
    if (child.readToEnd(said, longestOutput, std::chrono::steady_clock::now() + timeout_) != ChildProcess::Io::Done) {
        child.kill();
        outcome_ = device::RunnerOutcome::Timeout;
        return failure(fmt::format("'{}' did not end within {} s", compiler, double(timeout_.count()) / 1000));
    }
    const std::string ended = child.reap();
    if (!child.succeeded())
        return failure(
            fmt::format("'{}' does not take the C source: {}", compiler, said.empty() ? ended : firstWords(said)));
    outcome_ = device::RunnerOutcome::Good;
    return {};
}

Result<std::vector<model::HostTensor>> CProgram::run(const std::vector<model::HostTensor>& inputs) const {
    outcome_ = device::RunnerOutcome::Refused;
    const fs::path folder = folder_->path;
    std::vector<std::string> arguments, outputs;
    if (hasWeights_)
        arguments.push_back((folder / (name_ + ".weights")).string());
    std::vector<int64_t> symbols;
    for (size_t i = 0; i < inputs.size(); ++i)
        for (size_t axis = 0; axis < model_.inputs[i].dims.size() && axis < inputs[i].shape.size(); ++axis)
            if (const int64_t dim = model_.inputs[i].dims[axis]; device::isSymbol(dim)) {
                const auto symbol = static_cast<size_t>(-(dim + 1));
                symbols.resize(std::max(symbols.size(), symbol + 1));
                symbols[symbol] = inputs[i].shape[axis];
            }
    for (const int64_t symbol : symbols)
        arguments.push_back(fmt::format("{}", symbol));
    for (size_t i = 0; i < inputs.size(); ++i) {
        arguments.push_back((folder / fmt::format("input{}", i)).string());
        LATHE_CHECKED(writeBytes(arguments.back(), inputs[i].bytes));
    }
    for (size_t i = 0; i < model_.outputs.size(); ++i) {
        outputs.push_back((folder / fmt::format("output{}", i)).string());
        arguments.push_back(outputs.back());
    }
    std::vector<std::string> command = {"-c", "exec 2>&1; exec \"$0\" \"$@\"", (folder / "program").string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ChildProcess child;
    LATHE_CHECKED(child.start("/bin/sh", command));
    child.endInput();
    std::string said;
    if (child.readToEnd(said, longestOutput, std::chrono::steady_clock::now() + timeout_) != ChildProcess::Io::Done) {
        child.kill();
        outcome_ = device::RunnerOutcome::Timeout;
        return failure(fmt::format("the program did not end within {} s", double(timeout_.count()) / 1000));
    }
    const std::string ended = child.reap();
    if (child.signal()) {
        outcome_ = device::RunnerOutcome::Crashed;
        return failure("the program " + ended);
    }
    if (!child.succeeded())
        return failure("the program says: " + printable(std::string_view(said).substr(0, 300)));
    std::vector<model::HostTensor> results;
    size_t at = 0;
    for (size_t i = 0; i < outputs.size(); ++i) { // "output 0: 1 10"
        model::HostTensor& tensor = results.emplace_back();
        tensor.dtype = model_.outputs[i].dtype;
        const std::string head = fmt::format("output {}:", i);
        if (said.compare(at, head.size(), head) != 0)
            return failure("the program does not say what it wrote");
        at += head.size();
        for (; at < said.size() && said[at] == ' ';) {
            int64_t dim = 0;
            const auto [next, status] = std::from_chars(said.data() + at + 1, said.data() + said.size(), dim);
            if (status != std::errc())
                return failure("the program does not say what it wrote");
            at = static_cast<size_t>(next - said.data());
            tensor.shape.push_back(dim);
        }
        ++at;
        std::ifstream file(outputs[i], std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        const auto expected = model::byteSize(tensor.dtype, tensor.shape);
        if (!expected || static_cast<int64_t>(bytes.size()) != *expected)
            return failure(fmt::format("output {} has {} bytes, which its dims do not make", i, bytes.size()));
        const auto view = std::as_bytes(std::span(bytes));
        tensor.bytes.assign(view.begin(), view.end());
    }
    outcome_ = device::RunnerOutcome::Good;
    return results;
}

} // namespace lathe::cli
