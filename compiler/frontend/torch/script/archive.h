// SPDX-License-Identifier: Apache-2.0
//
// The files of a TorchScript archive (.pt, .pth, .jit, .ptl): code, the pickle of the module's objects, constants, and the
// tensors that these name.
#pragma once

#include "frontend/common/members.h"
#include "frontend/torch/pickle.h"
#include "frontend/torch/saved_tensors.h"
#include "frontend/torch/script/source_lines.h"
#include "frontend/torch/script/syntax.h"
#include "frontend/torch/storages.h"

#include <map>

namespace lathe::frontend::torch::script {

class ScriptArchive {
public:
    /// Whether files of these names are such an archive.
    static bool isOne(const std::vector<std::string>& names);
    /// Fails for one of an older layout, without code, with objects that TorchScript has not, and where a pickle is damaged.
    /// bytes: of the archive; 0 if it is a folder.
    static Result<ScriptArchive> open(std::shared_ptr<const Members> members, size_t bytes);

    int64_t version() const { return version_; }
    /// What data.pkl and constants.pkl hold; null: there are no constants.
    const PickleValue& module() const { return *objects_.root; }
    const PickleValue* constants() const { return constants_.root; }
    /// What a value of one of the pickles stands for.
    Result<model::TensorPtr> tensor(const PickleValue& value, bool isConstant, bool& isComplex, Budget& budget);

    /// By qualified name, "__torch__.torch.nn.functional.relu"; null if there is none of that name.
    Result<std::shared_ptr<const ClassText>> findClass(const std::string& name);
    Result<FunctionPtr> findFunction(const std::string& name);
    /// The author's file and line of a line of code, "net.py:12"; empty if the archive does not say.
    std::string sourceOf(const std::string& file, int32_t line);

private:
    Result<Pickle> read(const std::string& file) const;
    /// The code of "__torch__.torch.nn.functional", by names; empty if there is no such file.
    struct Code {
        std::map<std::string, std::shared_ptr<const ClassText>, std::less<>> classes;
        std::map<std::string, FunctionPtr, std::less<>> functions;
    };
    Result<const Code*> code(const std::string& path);

    std::shared_ptr<const Members> members_;
    std::vector<std::string> names_;
    std::string root_; // "archive/"
    int64_t version_ = 0;
    Pickle objects_, constants_;
    Storages storages_;
    std::map<std::string, Code> code_;           // by path
    std::map<std::string, SourceLines> sources_; // by file
};

} // namespace lathe::frontend::torch::script
