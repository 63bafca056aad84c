// SPDX-License-Identifier: Apache-2.0
#include "frontend/guess_format.h"

#include "data/zip_file.h"
#include "frontend/common/members.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend {
namespace {

using FileNames = std::vector<std::string>;

bool has(const FileNames& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}
/// Of files whose folder has any name: torch writes all files of a model into one.
bool hasBelow(const FileNames& names, std::string_view path) {
    return std::ranges::any_of(names, [&](const std::string& name) {
        const size_t slash = name.find('/');
        return slash != std::string::npos && std::string_view(name).substr(slash + 1).starts_with(path);
    });
}

std::string guessFolder(const FileNames& names) {
    if (has(names, "checkpoint"))
        return "these are checkpoints of TensorFlow, weights without a model; export the model to ONNX";
    return "this is a folder; name the model file itself";
}

std::string guessArchive(const FileNames& names) {
    if (hasBelow(names, "data.pkl"))
        return "these are weights only, no program, saved by torch.save; load them into their model and save that by "
               "torch.export.save or torch.jit.save";
    if (!names.empty() && std::ranges::all_of(names, [](const std::string& name) { return name.ends_with(".npy"); }))
        return "these are arrays of NumPy, not a model; name the model file itself";
    return "this is a ZIP archive without a model; name the model file itself";
}

} // namespace

std::string guessFormat(const Source& source) {
    const std::span<const std::byte> bytes = source.bytes.view;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (source.members) {
        const Result<FileNames> names = source.members->names();
        if (!names)
            return fmt::format("{}; {}", names.error().what, names.error().hint);
        return text.empty() ? guessFolder(*names) : guessArchive(*names);
    }
    if (text.starts_with("\x7f"
                         "ELF"))
        return source.name == "-"
                   ? "this is a program or a library; an artifact is read from a file that is named, not "
                     "from standard input"
                   : "this is a program or a library; name a model";
    if (text.starts_with("version https://git-lfs"))
        return "this is a Git LFS pointer, not the model; fetch the file with git lfs pull";
    constexpr std::string_view legacyTorch = "\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19."; // its number in a pickle
    constexpr std::string_view tar = "ustar";
    constexpr size_t tarAt = 257;
    if (text.starts_with(legacyTorch) || text.substr(std::min(tarAt, text.size())).starts_with(tar))
        return "this is a file of torch.save before PyTorch 1.6, a pickle and no archive; load it by PyTorch and save "
               "the model by torch.export.save or torch.jit.save";
    if (text.starts_with("{") || text.starts_with("<") || text.starts_with("#"))
        return "this is a text file; export the model to ONNX in binary form";
    return "the file is damaged, cut off, or of another format; copy or export it again";
}

} // namespace lathe::frontend
