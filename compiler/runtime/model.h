// SPDX-License-Identifier: Apache-2.0
//
// A loaded model: its tables, checked once so that nothing after needs to, and its constants. Immutable.
#pragma once

#include "runtime/artifact_file.h"

#include <memory>
#include <vector>

namespace lathe::runtime {

class Model {
public:
    static lathe_status load(const char* path, ErrorText& error, std::shared_ptr<const Model>& model);
    static lathe_status fromMemory(const lathe_model_desc* desc, const void* constants, int64_t constantBytes,
                                   ErrorText& error, std::shared_ptr<const Model>& model);

    const lathe_model_desc& desc() const { return *desc_; }
    /// Of what generated code takes for inputs and outputs: the model's, and behind them its states.
    const std::vector<DLDataType>& inputTypes() const { return inputTypes_; }
    const std::vector<DLDataType>& outputTypes() const { return outputTypes_; }
    const lathe_value_desc& inputDesc(int32_t index) const;
    const lathe_value_desc& outputDesc(int32_t index) const;
    /// Null for an index that does not exist.
    const void* constant(int32_t index) const;

private:
    lathe_status adopt(const lathe_model_desc* desc, const char* constants, int64_t constantBytes, ErrorText& error);

    ArtifactFile file_; // empty for a model in memory
    const lathe_model_desc* desc_ = nullptr;
    const char* constants_ = nullptr;
    std::vector<DLDataType> inputTypes_, outputTypes_;
};

/// Checks all counts, indices, types and offsets of the tables.
lathe_status checkTables(const lathe_model_desc& desc, int64_t constantBytes, ErrorText& error);

} // namespace lathe::runtime

struct lathe_model {
    std::shared_ptr<const lathe::runtime::Model> model;
};
