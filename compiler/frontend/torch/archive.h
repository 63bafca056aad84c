// SPDX-License-Identifier: Apache-2.0
//
// The files of a torch.export archive (.pt2): which of them is the program, and where its tensors lie.
#pragma once

#include "frontend/common/members.h"
#include "frontend/torch/program.h"

#include <map>

namespace lathe::frontend::torch {

class Archive {
public:
    /// Whether files of these names are such an archive.
    static bool isOne(const std::vector<std::string>& names);
    /// Fails for one of another layout than PyTorch's since 2.8, or without a program.
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
    };
    using Entries = std::map<std::string, Entry>;

    Result<void> readEntries(const std::string& folder, const char* kind, Entries& entries) const;

    std::shared_ptr<const Members> members_;
    std::string root_; // "model/"
    std::string name_; // of the program, of which there may be several
    Entries weights_, constants_;
    std::map<std::string, model::Bytes> storages_; // by file, that several tensors may share
    size_t bytes_ = 0, unpacked_ = 0;              // of the archive, and of all storages
};

} // namespace lathe::frontend::torch
