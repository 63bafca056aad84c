// SPDX-License-Identifier: Apache-2.0
#include "diagnose/check_files.h"

#include "driver/tensor_files.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::diagnose {
namespace {

namespace fs = std::filesystem;

bool isTensorFile(const fs::path& path) {
    return path.extension() == ".npy" || path.extension() == ".npz" || path.extension() == ".pb";
}

/// What a file may be named after.
struct Destination {
    std::string value;
    bool isInput = false;
    DataType dtype; // Void: not declared
};

std::map<std::string, Destination> targetsOf(const model::Graph& graph) {
    std::map<std::string, Destination> targets;
    const auto place = [&](const char* kind, const std::vector<model::Value>& values, bool areInputs) {
        for (size_t i = 0; i < values.size(); ++i) {
            const Destination target{values[i].name, areInputs, values[i].type.dtype};
            targets[driver::fileNameOf(target.value)] = target;
            targets.try_emplace(fmt::format("{}_{}", kind, i), target); // a value of that name goes before
        }
    };
    for (const model::Node& node : graph.nodes)
        for (const std::string& output : node.outputs)
            if (!output.empty())
                targets[driver::fileNameOf(output)] = {output, false, {}};
    place("input", graph.inputs, true);
    place("output", graph.outputs, false);
    return targets;
}

/// The files themselves, and those in folders; sorted there, so that messages do not depend on the file system.
Result<std::vector<fs::path>> listFiles(std::span<const fs::path> given) {
    std::vector<fs::path> files;
    for (const fs::path& path : given) {
        std::error_code failed;
        if (!fs::is_directory(path, failed)) {
            files.push_back(path);
            continue;
        }
        std::vector<fs::path> found;
        for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed))
            if (isTensorFile(entry->path()))
                found.push_back(entry->path());
        if (failed || found.empty())
            return failure(fmt::format("there is no .npy, .npz or .pb file in '{}'", path.string()),
                           "files are named after the values that they hold, as `lathe run --save` names them");
        std::ranges::sort(found);
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

} // namespace

Result<ModelTensors> readModelTensors(std::span<const fs::path> given, const model::ModelGraph& graph) {
    const std::map<std::string, Destination> targets = targetsOf(*graph.graph);
    LATHE_TRY(const std::vector<fs::path> files, listFiles(given));
    ModelTensors tensors;
    for (const fs::path& file : files) {
        const fs::path name = isTensorFile(file) ? file.stem() : file.filename();
        const auto target = targets.find(name.string());
        if (target == targets.end()) {
            Diagnostic unknown = error(fmt::format("the model has no value '{}'", name.string()),
                                       "name the file after a value outside of branches and loops, with / as %2F; or "
                                       "input_N, output_N");
            unknown.file = file.string();
            return Failure(std::move(unknown));
        }
        LATHE_TRY(model::HostTensor tensor, driver::readTensorFile(file, {target->second.dtype, target->second.value}));
        inspect::Tensors& into = target->second.isInput ? tensors.inputs : tensors.values;
        if (!into.try_emplace(target->second.value, std::move(tensor)).second)
            return failure(fmt::format("two files hold '{}'", target->second.value), "name one of them");
    }
    return tensors;
}

} // namespace lathe::diagnose
