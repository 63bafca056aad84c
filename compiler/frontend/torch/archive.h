// SPDX-License-Identifier: Apache-2.0
//
// The files of a torch.export archive (.pt2): which of them is the program, and where its tensors lie.
#pragma once

#include "frontend/common/members.h"
#include "frontend/torch/program.h"
#include "frontend/torch/storages.h"

#include <map>

namespace lathe::frontend::torch {

class Archive {
public:
    /// Whether files of these names are such an archive.
    static bool isOne(const std::vector<std::string>& names);
    /// Fails for one without a program, or of another layout than PyTorch's: that since 2.8, and the one before.
    /// bytes: of the archive; 0 if it is a folder.
    static Result<Archive> open(std::shared_ptr<const Members> members, size_t bytes);

    /// The program's JSON.
    Result<model::Bytes> program() const;
    /// A tensor by its name in the program; null if it has none of that name.
    Result<model::TensorPtr> tensor(const std::string& name, bool isStored, bool& isComplex, Budget& budget);

private:
    struct Entry {
        std::string file;
        TensorMeta meta;
        std::shared_ptr<const Members> members; // that the file is one of
    };
    using Entries = std::map<std::string, Entry>;

    static Result<Archive> openOld(std::shared_ptr<const Members> members);
    Result<void> readSaved(const std::string& file, Entries& entries) const;
    Result<void> readEntries(const std::string& folder, const char* kind, Entries& entries) const;

    std::shared_ptr<const Members> members_;
    std::string root_;    // "model/"
    std::string name_;    // of the program
    std::string program_; // the file of it
    Entries weights_, constants_;
    Storages storages_;
};

} // namespace lathe::frontend::torch
