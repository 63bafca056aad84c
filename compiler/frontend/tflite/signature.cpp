// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/signature.h"

#include "frontend/tflite/schema_generated.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace lathe::frontend::tflite {
namespace {

using TensorMaps = flatbuffers::Vector<flatbuffers::Offset<::tflite::TensorMap>>;

constexpr const char* wrongSignature = "the file is damaged or was written wrongly; convert the model again";

std::string textOfKey(const flatbuffers::String* text) {
    return text ? text->str() : std::string();
}

const ::tflite::SignatureDef* chosenOf(const ::tflite::Model& model) {
    const auto* all = model.signature_defs();
    if (!all || all->size() == 0)
        return nullptr;
    if (all->size() == 1)
        return all->Get(0);
    const auto found = std::ranges::find_if(
        *all, [](const ::tflite::SignatureDef* each) { return textOfKey(each->signature_key()) == "serving_default"; });
    return found == all->end() ? nullptr : *found;
}

Result<std::map<int32_t, std::string>> signatureNames(const TensorMaps* maps,
                                                      const flatbuffers::Vector<int32_t>* tensors,
                                                      const std::string& key, const char* what) {
    std::map<int32_t, std::string> names;
    std::set<std::string> seen;
    const std::set<int32_t> known = tensors ? std::set<int32_t>(tensors->begin(), tensors->end()) : std::set<int32_t>();
    for (flatbuffers::uoffset_t i = 0; maps && i < maps->size(); ++i) {
        const ::tflite::TensorMap& map = *maps->Get(i);
        const std::string name = textOfKey(map.name());
        const auto tensor = static_cast<int32_t>(map.tensor_index());
        if (!known.contains(tensor))
            return failure(fmt::format("signature '{}' calls tensor {} its {} '{}', but that is none of its graph", key,
                                       map.tensor_index(), what, name),
                           wrongSignature);
        if (name.empty() || !seen.insert(name).second)
            return failure(fmt::format("signature '{}' has the {} '{}' twice, or without a name", key, what, name),
                           wrongSignature);
        names.emplace(tensor, name); // the first of several
    }
    return names;
}

} // namespace

Result<Signature> chooseSignature(const ::tflite::Model& model) {
    Signature chosen;
    const ::tflite::SignatureDef* found = chosenOf(model);
    if (!found)
        return chosen;
    chosen.key = textOfKey(found->signature_key());
    chosen.subgraph = found->subgraph_index();
    if (chosen.subgraph >= model.subgraphs()->size())
        return failure(
            fmt::format("signature '{}' names graph {} of {}", chosen.key, chosen.subgraph, model.subgraphs()->size()),
            wrongSignature);
    const ::tflite::SubGraph& graph = *model.subgraphs()->Get(found->subgraph_index());
    LATHE_TRY(chosen.inputs, signatureNames(found->inputs(), graph.inputs(), chosen.key, "input"));
    LATHE_TRY(chosen.outputs, signatureNames(found->outputs(), graph.outputs(), chosen.key, "output"));
    return chosen;
}

} // namespace lathe::frontend::tflite
