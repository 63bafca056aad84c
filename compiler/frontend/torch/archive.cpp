// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/archive.h"

#include "base/json.h"
#include "frontend/torch/json_reader.h"
#include "frontend/torch/saved_tensors.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch {
namespace {

constexpr std::string_view formatFile = "archive_format", programFolder = "models/", programEnding = ".json";
constexpr std::string_view oldProgram = "serialized_exported_program.json";
constexpr const char* exportAnew = "export the program again: torch.export.save(program, 'model.pt2')";

std::string_view bytesAsText(const model::Bytes& bytes) {
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
    if (!root) {
        LATHE_TRY(Archive old, openOld(std::move(members)));
        old.storages_ = Storages(bytes);
        return old;
    }
    LATHE_TRY(const model::Bytes format, members->read(*root + std::string(formatFile)));
    if (bytesAsText(format) != "pt2")
        return failure(fmt::format("the archive is of the format '{}', not of torch.export's 'pt2'",
                                   bytesAsText(format).substr(0, 80)),
                       exportAnew);
    Archive archive;
    archive.members_ = std::move(members);
    archive.root_ = *root;
    archive.storages_ = Storages(bytes);
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
    archive.program_ = fmt::format("{}{}{}", folder, archive.name_, programEnding);
    LATHE_CHECKED(archive.readEntries("data/weights/", "weights", archive.weights_));
    LATHE_CHECKED(archive.readEntries("data/constants/", "constants", archive.constants_));
    return archive;
}

/// Before 2.8: the program, and archives of torch.save beside it.
Result<Archive> Archive::openOld(std::shared_ptr<const Members> members) {
    Archive archive;
    archive.members_ = std::move(members);
    archive.program_ = oldProgram;
    LATHE_CHECKED(archive.readSaved("serialized_state_dict.pt", archive.weights_));
    LATHE_CHECKED(archive.readSaved("serialized_constants.pt", archive.constants_));
    return archive;
}

Result<void> Archive::readSaved(const std::string& file, Entries& entries) const {
    LATHE_TRY(const std::vector<std::string> names, members_->names());
    if (!std::ranges::binary_search(names, file))
        return {}; // a program need not have any
    LATHE_TRY(const model::Bytes bytes, members_->read(file));
    const std::shared_ptr<const Members> saved = membersIn(bytes);
    if (!saved)
        return failure(fmt::format("'{}' is no archive of torch.save", file), exportAnew);
    LATHE_TRY(auto tensors, savedTensors(*saved));
    for (auto& [name, tensor] : tensors)
        entries.emplace(name, Entry{std::move(tensor.file), std::move(tensor.meta), saved});
    return {};
}

Result<model::Bytes> Archive::program() const {
    LATHE_TRY(model::Bytes bytes, members_->read(program_));
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
        bytes.view.size() > limits::programBytes ? std::nullopt : parseJson(bytesAsText(bytes));
    if (!json)
        return failure(fmt::format("the list of {} is no JSON, or too long", kind), exportAnew);
    JsonReader reader;
    for (const auto& [name, entry] : reader.object(reader.field(*json, "config"), "the list of tensors").items()) {
        // Objects of other kinds than tensors are pickles, which are never read: whoever needs one is told that it is missing.
        if (reader.optional(entry, "use_pickle") == true || reader.optional(entry, "tensor_meta").is_null())
            continue;
        const std::string path = reader.text(reader.field(entry, "path_name"), "a file's name");
        LATHE_TRY(TensorMeta meta, readTensorMeta(reader.field(entry, "tensor_meta")));
        entries.emplace(name, Entry{root_ + folder + path, std::move(meta), members_});
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
    isComplex = entry.meta.isComplex;
    Result<model::TensorPtr> tensor = storages_.tensor(entry.members, entry.file, entry.meta, budget);
    if (!tensor)
        tensor.error().what = fmt::format("'{}': {}", name, tensor.error().what);
    return tensor;
}

} // namespace lathe::frontend::torch
