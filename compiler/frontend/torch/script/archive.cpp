// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/archive.h"

#include "base/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace lathe::frontend::torch::script {
namespace {

constexpr const char* saveAgain = "save the model again: torch.jit.save(torch.jit.script(model), 'model.pt')";
constexpr std::string_view objectsFile = "data.pkl", constantsFile = "constants.pkl", codeFolder = "code/";
constexpr int64_t newestVersion = 10;

/// What pickles of TorchScript name beside the program's own classes. Nothing of it is ever called.
constexpr auto knownGlobals = std::to_array<std::string_view>({
    "collections OrderedDict",
    "torch device",
    "torch per_channel_affine",
    "torch per_channel_affine_float_qparams",
    "torch per_tensor_affine",
    "torch._utils _rebuild_parameter",
    "torch._utils _rebuild_qtensor",
    "torch._utils _rebuild_tensor_v2",
    "torch.jit._pickle build_boollist",
    "torch.jit._pickle build_doublelist",
    "torch.jit._pickle build_intlist",
    "torch.jit._pickle build_tensorlist",
    "torch.jit._pickle restore_type_tag",
});

bool isKnownGlobal(std::string_view name) {
    return name.starts_with("__torch__ ") || name.starts_with("__torch__.") ||
           std::ranges::find(knownGlobals, name) != knownGlobals.end() ||
           (name.starts_with("torch ") && name.ends_with("Storage"));
}

bool isBelow(std::string_view name, std::string_view file) {
    const size_t slash = name.find('/');
    return slash != std::string_view::npos && name.substr(slash + 1) == file;
}

std::string_view textOf(const model::Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.view.data()), bytes.view.size()};
}

Diagnostic within(const std::string& file, Diagnostic fault) {
    fault.what = fmt::format("{}: {}", file, fault.what);
    return fault;
}

/// "3\n"
Result<int64_t> versionIn(const model::Bytes& bytes) {
    const std::string_view text = textOf(bytes);
    int64_t version = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), version);
    if (read.ec != std::errc() || version < 0)
        return failure("the archive's version is no number", saveAgain);
    if (version > newestVersion)
        return failure(ErrorKind::Unsupported,
                       fmt::format("the archive is of version {}, newer than {}", version, newestVersion),
                       "save the model by a version of PyTorch that is known");
    return version;
}

} // namespace

bool ScriptArchive::isOne(const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [](std::string_view name) {
        const size_t slash = name.find('/');
        return slash != std::string_view::npos &&
               (name.substr(slash + 1).starts_with(codeFolder) || isBelow(name, constantsFile));
    });
}

Result<ScriptArchive> ScriptArchive::open(std::shared_ptr<const Members> members, size_t bytes) {
    ScriptArchive archive;
    LATHE_TRY(archive.names_, members->names());
    archive.members_ = std::move(members);
    archive.storages_ = Storages(bytes);
    const std::vector<std::string>& names = archive.names_;
    const auto objects = std::ranges::find_if(names, [](const auto& name) { return isBelow(name, objectsFile); });
    if (objects == names.end())
        return std::ranges::any_of(names, [](const auto& name) { return isBelow(name, "model.json"); })
                   ? failure(ErrorKind::Unsupported,
                             "the archive is of PyTorch before 1.4, which kept objects in model.json",
                             "load the model by PyTorch 1.4 to 2.0 and save it again")
                   : failure("the TorchScript archive holds no data.pkl, which tells of a model's objects", saveAgain);
    archive.root_ = objects->substr(0, objects->size() - objectsFile.size());
    const auto isCode = [&](const std::string& name) {
        return name.starts_with(archive.root_ + std::string(codeFolder)) && name.ends_with(".py");
    };
    if (std::ranges::none_of(names, isCode))
        return failure(ErrorKind::Unsupported, "the archive holds weights only, no program: there is nothing in code/",
                       saveAgain);
    const auto has = [&](const std::string& file) { return std::ranges::binary_search(names, archive.root_ + file); };
    if (has("version")) {
        LATHE_TRY(const model::Bytes version, archive.members_->read(archive.root_ + "version"));
        LATHE_TRY(archive.version_, versionIn(version));
    }
    if (has("byteorder")) {
        LATHE_TRY(const model::Bytes order, archive.members_->read(archive.root_ + "byteorder"));
        if (textOf(order) != "little")
            return failure(ErrorKind::Unsupported, "the tensors are saved with the highest byte first",
                           "save them on a machine with the lowest byte first");
    }
    LATHE_TRY(archive.objects_, archive.read(std::string(objectsFile)));
    if (has(std::string(constantsFile))) {
        LATHE_TRY(archive.constants_, archive.read(std::string(constantsFile)));
    }
    return archive;
}

Result<Pickle> ScriptArchive::read(const std::string& file) const {
    LATHE_TRY(const model::Bytes bytes, members_->read(root_ + file));
    Result<Pickle> pickle = readPickle(bytes.view);
    if (!pickle)
        return Failure(within(file, std::move(pickle).error()));
    for (const PickleValue& value : pickle->values)
        if (value.kind == PickleValue::Kind::Global && !isKnownGlobal(value.text))
            return failure(ErrorKind::Unsupported,
                           fmt::format("{} names '{}', which no TorchScript program needs; nothing of it was called",
                                       file, value.text.substr(0, 80)),
                           "do not trust the file; save the model again by torch.jit.save");
    return pickle;
}

Result<model::TensorPtr> ScriptArchive::tensor(const PickleValue& value, bool isConstant, bool& isComplex,
                                               Budget& budget) {
    LATHE_TRY(SavedTensor saved, savedTensor(value, root_ + (isConstant ? "constants/" : "data/")));
    isComplex = saved.meta.isComplex;
    Result<model::TensorPtr> tensor = storages_.tensor(members_, saved.file, saved.meta, budget);
    if (!tensor)
        return Failure(within(saved.file, std::move(tensor).error()));
    return tensor;
}

// ---- code

Result<const ScriptArchive::Code*> ScriptArchive::code(const std::string& path) {
    if (const auto known = code_.find(path); known != code_.end())
        return &known->second;
    std::string file = path;
    std::ranges::replace(file, '.', '/');
    file = fmt::format("{}{}.py", codeFolder, file);
    if (!std::ranges::binary_search(names_, root_ + file))
        return &code_.emplace(path, Code()).first->second;
    LATHE_TRY(const model::Bytes bytes, members_->read(root_ + file));
    Result<CodeText> text = parseCode(textOf(bytes), file);
    if (!text)
        return Failure(within(file, std::move(text).error()));
    const std::string notes = file + ".debug_pkl";
    if (std::ranges::binary_search(names_, root_ + notes))
        if (const auto read = members_->read(root_ + notes))
            if (const Result<Pickle> pickle = readPickle(read->view))
                sources_.emplace(file, SourceLines(textOf(bytes), *pickle));
    Code named;
    for (const auto& one : text->classes)
        named.classes.emplace(one->name, one);
    for (const FunctionPtr& one : text->functions)
        named.functions.emplace(one->name, one);
    return &code_.emplace(path, std::move(named)).first->second;
}

Result<std::shared_ptr<const ClassText>> ScriptArchive::findClass(const std::string& name) {
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos)
        return nullptr;
    LATHE_TRY(const Code* text, code(name.substr(0, dot)));
    const auto found = text->classes.find(std::string_view(name).substr(dot + 1));
    return found == text->classes.end() ? nullptr : found->second;
}

Result<FunctionPtr> ScriptArchive::findFunction(const std::string& name) {
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos)
        return nullptr;
    LATHE_TRY(const Code* text, code(name.substr(0, dot)));
    const auto found = text->functions.find(std::string_view(name).substr(dot + 1));
    return found == text->functions.end() ? nullptr : found->second;
}

std::string ScriptArchive::sourceOf(const std::string& file, int32_t line) {
    const auto found = sources_.find(file);
    return found == sources_.end() ? std::string() : found->second.at(line);
}

} // namespace lathe::frontend::torch::script
