// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/weights.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

constexpr const char* saveWeightsAgain = "the file is incomplete or was written wrongly; save the model again";

/// The paths of weights by the scheme of Keras 3.
std::vector<std::string> pathsOf(const std::vector<WeightSpec>& specs, const std::string& place) {
    std::map<std::string, int> counts;
    std::vector<std::string> paths;
    for (const WeightSpec& spec : specs) {
        std::string part = spec.part;
        if (part.ends_with('/')) // of a wrapper's layer that holds them itself
            part.pop_back();
        paths.push_back(fmt::format("{}{}{}/vars/{}", place, part.empty() ? "" : "/", part, counts[part]++));
    }
    return paths;
}

/// Paths in the order in which older files list the weights of an outermost layer.
struct InOrder {
    std::vector<std::string> trained, others;

    void collect(const Json& layer, const std::string& place, bool isFrozen) {
        const Json& config = configOf(layer);
        isFrozen = isFrozen || !flagOf(config, "trainable", true);
        if (isContainer(layer)) {
            forEachLayer(layer, place + "/",
                         [&](const Json& inner, const std::string& at) { collect(inner, at, isFrozen); });
        } else if (classOf(layer) == "TimeDistributed" || classOf(layer) == "SpectralNormalization") {
            if (classOf(layer) == "SpectralNormalization")
                others.push_back(place + "/vars/0"); // by which its layer is normalized in training
            collect(memberOf(config, "layer"), place + "/layer", isFrozen);
        } else {
            const std::vector<WeightSpec> specs = weightsOf(classOf(layer), config);
            const std::vector<std::string> paths = pathsOf(specs, place);
            for (size_t i = 0; i < specs.size(); ++i)
                (specs[i].isTrainable && !isFrozen ? trained : others).push_back(paths[i]);
        }
    }
};

} // namespace

void forEachLayer(const Json& model, const std::string& place,
                  const std::function<void(const Json& layer, const std::string& place)>& fn) {
    NamesInOrder names;
    for (const Json& layer : layersOf(configOf(model)))
        if (!isOperation(layer))
            fn(layer, fmt::format("{}layers/{}", place, names.next(classOf(layer))));
}

/// Lists that are too long for one attribute stand in several: weight_names0, weight_names1, ….
Result<std::vector<std::string>> Weights::textsOf(const hdf5::Object& group, const std::string& name) {
    LATHE_TRY(auto whole, model_.weights.texts(group, name));
    if (whole)
        return *std::move(whole);
    std::vector<std::string> all;
    for (int part = 0;; ++part) {
        LATHE_TRY(auto texts, model_.weights.texts(group, fmt::format("{}{}", name, part)));
        if (!texts)
            return all;
        std::ranges::move(*texts, std::back_inserter(all));
    }
}

Result<void> Weights::readNames() {
    LATHE_TRY(const hdf5::ObjectPtr all, model_.weights.find("model_weights"));
    if (!all)
        return failure("there are no weights in the file", saveWeightsAgain);
    std::optional<Diagnostic> fault;
    forEachLayer(model_.config, "", [&](const Json& layer, const std::string& place) {
        InOrder wanted;
        wanted.collect(layer, place, false);
        std::vector<std::string> places = std::move(wanted.trained);
        std::ranges::move(wanted.others, std::back_inserter(places));
        if (fault || places.empty())
            return;
        const std::string name = nameOf(layer);
        if (!all->links.contains(name))
            return;
        const std::string folder = "model_weights/" + name;
        const Result<hdf5::ObjectPtr> group = model_.weights.find(folder);
        const auto names = group && *group ? textsOf(**group, "weight_names") : std::vector<std::string>();
        if (!group || !names) {
            fault = !group ? group.error() : names.error();
            return;
        }
        if (names->size() != places.size()) {
            faults_[place] = fmt::format("layer '{}' has {} weights in the file, and {} by its config", name,
                                         names->size(), places.size());
            return;
        }
        for (size_t i = 0; i < places.size(); ++i)
            paths_[places[i]] = folder + "/" + (*names)[i];
    });
    if (fault)
        return std::unexpected(*std::move(fault));
    return {};
}

Result<std::vector<model::TensorPtr>> Weights::read(const std::vector<WeightSpec>& specs, const std::string& place) {
    const std::vector<std::string> paths = pathsOf(specs, place);
    std::vector<model::TensorPtr> tensors;
    for (size_t i = 0; i < specs.size(); ++i) {
        model::TensorPtr tensor;
        if (specs[i].isRead) {
            LATHE_TRY(tensor, readOne(paths[i], specs[i]));
        }
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

Result<model::TensorPtr> Weights::readOne(const std::string& place, const WeightSpec& spec) {
    if (const auto known = known_.find(place); known != known_.end())
        return known->second;
    std::string path = place;
    if (model_.isOneFile) {
        const auto found = paths_.find(place);
        if (found == paths_.end()) {
            const std::string outermost = place.substr(0, place.find('/', place.find('/') + 1));
            const auto fault = faults_.find(outermost);
            return failure(fault != faults_.end() ? fault->second
                                                  : fmt::format("the file does not hold its weight '{}'", spec.name),
                           saveWeightsAgain);
        }
        path = found->second;
    }
    LATHE_TRY(const hdf5::ObjectPtr object, model_.weights.find(path));
    if (!object)
        return failure(fmt::format("the file does not hold its weight '{}'", spec.name), saveWeightsAgain);
    Result<model::TensorPtr> tensor = model_.weights.read(*object);
    if (!tensor) {
        tensor.error().what = fmt::format("weight '{}': {}", spec.name, tensor.error().what);
        return tensor;
    }
    known_[place] = *tensor;
    return tensor;
}

} // namespace lathe::frontend::keras
