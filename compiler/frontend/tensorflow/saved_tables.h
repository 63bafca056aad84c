// SPDX-License-Identifier: Apache-2.0
//
// What tables hold: keys and values by which a model looks numbers and strings up. The nodes that look up name a table;
// what is in it stands at the nodes that fill it before the model runs: constants, or a vocabulary file beside the model.
#pragma once

#include "frontend/common/members.h"
#include "frontend/tensorflow/body.h"
#include "frontend/tensorflow/tensors.h"

#include <map>

namespace lathe::frontend::tensorflow {

/// Keys ascending, int64, each once; or strings, of which the first of equal ones counts. Values of any element type, one a key.
struct SavedTable {
    model::TensorPtr keys, values;
};

class SavedTables {
public:
    /// assets: files by the node of the graph that stands for their name. members: of the SavedModel; may be null.
    SavedTables(const Body& graph, const Library& library, Functions& functions, TensorReader& tensors,
                std::shared_ptr<const Members> members, std::map<std::string, std::string> assets);
    /// What the table that this node of the graph makes holds.
    Result<SavedTable> table(const std::string& node);

private:
    struct Filling {
        const BodyNode* node = nullptr;
        std::vector<const BodyNode*> operands; // nodes that its operands come from; null where nobody knows
    };
    void trace(const Body& body, const Body& graph, const std::vector<Endpoint>* arguments);
    Result<SavedTable> ofConstants(const Filling& filling);
    Result<SavedTable> ofFile(const Filling& filling, const ::tensorflow::NodeDef& table);

    const Body& graph_;
    TensorReader& tensors_;
    std::shared_ptr<const Members> members_;
    std::map<std::string, std::string> assets_;
    std::map<std::string, Filling> fillings_; // by table
    std::map<std::string, Result<SavedTable>> known_;
};

} // namespace lathe::frontend::tensorflow
