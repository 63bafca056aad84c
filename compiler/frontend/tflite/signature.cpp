// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/signature.h"

#include "frontend/tflite/schema_generated.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

namespace lathe::frontend::tflite {
namespace {

using TensorMaps = flatbuffers::Vector<flatbuffers::Offset<::tflite::TensorMap>>;

constexpr const char* wrongSignature = "the file is damaged or was written wrongly; convert the model again";

std::string textOfKey(const flatbuffers::String* text) {
    return text ? text->str() : std::string();
}

/// Null: the first graph. The words of a hint name those that there are.
Result<const ::tflite::SignatureDef*> chosenOf(const ::tflite::Model& model, const std::string& asked) {
    const auto* all = model.signature_defs();
    const size_t count = all ? all->size() : 0;
    if (asked.empty() && count == 1)
        return all->Get(0);
    const std::string wanted = asked.empty() ? "serving_default" : asked;
    std::vector<std::string> keys;
    for (size_t i = 0; i < count; ++i) {
        const ::tflite::SignatureDef* each = all->Get(static_cast<flatbuffers::uoffset_t>(i));
        keys.push_back(textOfKey(each->signature_key()));
        if (keys.back() == wanted)
            return each;
    }
    if (asked.empty())
        return nullptr;
    keys.resize(std::min<size_t>(keys.size(), 20)); // as many as anybody reads
    return failure(ErrorKind::Usage, fmt::format("the model has no signature '{}'", asked),
                   keys.empty() ? "it has none: leave out the signature"
                                : fmt::format("it has {}", fmt::join(keys, ", ")));
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

std::vector<std::string> signaturesOf(const ::tflite::Model& model) {
    std::vector<std::string> keys;
    if (const auto* all = model.signature_defs())
        for (const ::tflite::SignatureDef* each : *all)
            keys.push_back(textOfKey(each->signature_key()));
    std::ranges::sort(keys);
    return keys;
}

Result<Signature> chooseSignature(const ::tflite::Model& model, const std::string& asked) {
    Signature chosen;
    LATHE_TRY(const ::tflite::SignatureDef* const found, chosenOf(model, asked));
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
