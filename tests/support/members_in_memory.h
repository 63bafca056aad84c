// SPDX-License-Identifier: Apache-2.0
//
// The files of a model, in memory: tests write them without a folder.
#pragma once

#include "frontend/common/members.h"

#include <map>
#include <span>

namespace lathe::testing {

/// Names and contents.
using FilesInMemory = std::map<std::string, std::string>;

class MembersInMemory : public frontend::Members {
public:
    explicit MembersInMemory(FilesInMemory files) : files_(std::move(files)) {}
    Result<std::vector<std::string>> names() const override {
        std::vector<std::string> all;
        for (const auto& [name, content] : files_)
            all.push_back(name);
        return all;
    }
    Result<model::Bytes> read(const std::string& name) const override {
        const auto found = files_.find(name);
        if (found == files_.end())
            return failure("there is no " + name);
        const auto content = std::make_shared<const std::string>(found->second);
        return model::Bytes{content, std::as_bytes(std::span(*content))};
    }

private:
    FilesInMemory files_;
};

} // namespace lathe::testing
