// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/archive.h"

#include "base/json.h"
#include "frontend/torch/json_reader.h"
#include "frontend/torch/tensors.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch {
namespace {

constexpr std::string_view formatFile = "archive_format", programFolder = "models/", programEnding = ".json";
constexpr std::string_view oldProgram = "serialized_exported_program.json";
constexpr const char* exportAnew = "export the program again: torch.export.save(program, 'model.pt2')";

std::string_view textIn(const model::Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.view.data()), bytes.view.size()};
}

/// The folder that holds archive_format: "model/"; nothing if there is none.
std::optional<std::string> rootOf(const std::vector<std::string>& names) {
    for (const std::string& name : names)
        if (name == formatFile || name.ends_with(fmt::format("/{}", formatFile)))
            return name.substr(0, name.size() - formatFile.size());
    return std::nullopt;
}

} // namespace

bool Archive::isOne(const std::vector<std::string>& names) {
    return rootOf(names) || std::ranges::find(names, oldProgram) != names.end();
}

Result<Archive> Archive::open(std::shared_ptr<const Members> members, size_t bytes) {
    LATHE_TRY(const std::vector<std::string> names, members->names());
    const std::optional<std::string> root = rootOf(names);
    if (!root)
        return failure(ErrorKind::Unsupported,
                       "the archive has the layout of PyTorch before 2.8, which is not supported yet",
                       "load it and save it again, with PyTorch 2.8 or newer");
    LATHE_TRY(const model::Bytes format, members->read(*root + std::string(formatFile)));
    if (textIn(format) != "pt2")
        return failure(
            fmt::format("the archive is of the format '{}', not of torch.export's 'pt2'", textIn(format).substr(0, 80)),
            exportAnew);
    Archive archive;
    archive.members_ = std::move(members);
    archive.root_ = *root;
    archive.bytes_ = bytes;
    const std::string folder = *root + std::string(programFolder);
    std::vector<std::string> programs;
    for (const std::string& name : names)
        if (name.starts_with(folder) && name.ends_with(programEnding) &&
            name.size() > folder.size() + programEnding.size())
            programs.push_back(name.substr(folder.size(), name.size() - folder.size() - programEnding.size()));
    if (programs.empty() && std::ranges::any_of(names, [](const auto& name) { return name.contains("aotinductor/"); }))
        return failure(ErrorKind::Unsupported, "the archive holds a program compiled by AOTInductor, and no graph",
                       exportAnew);
    if (programs.empty())
        return failure("the archive holds no program", exportAnew);
    if (programs.size() > 1)
        return failure(ErrorKind::Unsupported, fmt::format("the archive holds {} programs", programs.size()),
                       "save the one that is wanted in an archive of its own");
    archive.name_ = programs.front();
    LATHE_CHECKED(archive.readEntries("data/weights/", "weights", archive.weights_));
    LATHE_CHECKED(archive.readEntries("data/constants/", "constants", archive.constants_));
    return archive;
}

Result<model::Bytes> Archive::program() const {
    LATHE_TRY(model::Bytes bytes, members_->read(fmt::format("{}{}{}{}", root_, programFolder, name_, programEnding)));
    if (bytes.view.size() > limits::programBytes)
        return failure(ErrorKind::Unsupported,
                       fmt::format("the program is a text of more than {} bytes", limits::programBytes),
                       "split the model");
    return bytes;
}

Result<void> Archive::readEntries(const std::string& folder, const char* kind, Entries& entries) const {
    LATHE_TRY(const std::vector<std::string> names, members_->names());
    const std::string file = fmt::format("{}{}{}_{}_config.json", root_, folder, name_, kind);
    if (!std::ranges::binary_search(names, file))
        return {}; // a program need not have any
    LATHE_TRY(const model::Bytes bytes, members_->read(file));
    const std::optional<nlohmann::json> json =
        bytes.view.size() > limits::programBytes ? std::nullopt : parseJson(textIn(bytes));
    if (!json)
        return failure(fmt::format("the list of {} is no JSON, or too long", kind), exportAnew);
    JsonReader reader;
    for (const auto& [name, entry] : reader.object(reader.field(*json, "config"), "the list of tensors").items()) {
        // Objects of other kinds than tensors are pickles, which are never read: whoever needs one is told that it is missing.
        if (reader.optional(entry, "use_pickle") == true || reader.optional(entry, "tensor_meta").is_null())
            continue;
        const std::string path = reader.text(reader.field(entry, "path_name"), "a file's name");
        LATHE_TRY(TensorMeta meta, readTensorMeta(reader.field(entry, "tensor_meta")));
        entries.emplace(name, Entry{root_ + folder + path, std::move(meta)});
    }
    if (reader.failed())
        return Failure(*reader.fault());
    return {};
}

Result<model::TensorPtr> Archive::tensor(const std::string& name, bool isStored, bool& isComplex, Budget& budget) {
    const Entries& entries = isStored ? weights_ : constants_;
    const auto found = entries.find(name);
    if (found == entries.end())
        return failure(fmt::format("the archive holds no tensor '{}'", name), exportAnew);
    const Entry& entry = found->second;
    auto storage = storages_.find(entry.file);
    if (storage == storages_.end()) {
        LATHE_TRY(model::Bytes bytes, members_->read(entry.file));
        unpacked_ += bytes.view.size();
        if (bytes_ > 0 && unpacked_ > limits::zipExpansion * bytes_)
            return failure(
                ErrorKind::Unsupported,
                fmt::format("the archive's tensors are packed to less than 1/{} of their size", limits::zipExpansion),
                exportAnew);
        storage = storages_.emplace(entry.file, std::move(bytes)).first;
    }
    isComplex = entry.meta.isComplex;
    Result<model::TensorPtr> tensor = makeTensor(entry.meta, storage->second, budget);
    if (!tensor)
        tensor.error().what = fmt::format("'{}': {}", name, tensor.error().what);
    return tensor;
}

} // namespace lathe::frontend::torch
