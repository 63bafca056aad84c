// SPDX-License-Identifier: Apache-2.0
//
// Values of variables: an index says for each key in which of several data files its elements lie, some in several
// parts.
#pragma once

#include "base/budget.h"
#include "base/result.h"
#include "frontend/common/members.h"

#include <map>
#include <memory>
#include <string>

namespace lathe::frontend::tensorflow {

class Checkpoint {
public:
    /// prefix: of the names of its files, "variables/variables".
    static Result<Checkpoint> open(std::shared_ptr<const Members> members, const std::string& prefix,
                                   std::shared_ptr<Budget> budget);
    /// The tensor of a key, or what `slice` says of it: "10 4 0,5:-", its dims and of each the start and length, or
    /// all; empty: all of it.
    Result<model::TensorPtr> read(const std::string& key, const std::string& slice);

private:
    struct Extent {
        int64_t start = 0, length = 0;
    };
    using Extents = std::vector<Extent>;
    struct Stored; // what the index says of a key
    Result<Stored> find(const std::string& key) const;
    Result<model::Bytes> elementsOf(const Stored& stored, const std::string& key);
    Result<model::TensorPtr> whole(const std::string& key);
    Result<model::TensorPtr> assembled(const Stored& stored, const std::string& key);

    std::shared_ptr<const Members> members_;
    std::string prefix_;
    std::shared_ptr<Budget> budget_;
    std::map<std::string, std::string> entries_;
    int32_t shards_ = 0;
    std::map<int32_t, model::Bytes> data_;
    std::map<std::string, Result<model::TensorPtr>> assembled_; // of keys in parts, which may be read part by part
};

} // namespace lathe::frontend::tensorflow
