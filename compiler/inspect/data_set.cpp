// SPDX-License-Identifier: Apache-2.0
#include "inspect/data_set.h"

#include "driver/input_files.h"
#include "driver/tensor_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::inspect {

namespace fs = std::filesystem;

Result<DataSet> readDataSet(const fs::path& folder, const device::RunnerModel& loaded) {
    LATHE_CHECKED(driver::noneBeyond(folder, loaded.inputs.size()));
    DataSet data;
    for (size_t i = 0; i < loaded.inputs.size(); ++i) {
        fs::path file = driver::dataFile(folder, "input", i);
        const device::RunnerValue& input = loaded.inputs[i];
        if (driver::isAbsent(input.form, file)) {
            data.inputs.push_back(model::composed('o'));
            continue;
        }
        if (!fs::exists(file))
            return failure(fmt::format("the data set lacks {}", file.filename().string()));
        LATHE_TRY(model::HostTensor tensor, driver::readValueFile(file, {input.dtype, {}, input.form}));
        data.inputs.push_back(std::move(tensor));
    }
    size_t outputs = 0;
    while (fs::exists(driver::dataFile(folder, "output", outputs)))
        ++outputs;
    for (size_t i = 0; i < outputs; ++i) {
        const device::RunnerValue output = i < loaded.outputs.size() ? loaded.outputs[i] : device::RunnerValue{};
        LATHE_TRY(model::HostTensor tensor,
                  driver::readValueFile(driver::dataFile(folder, "output", i), {output.dtype, {}, output.form}));
        data.outputs.push_back(std::move(tensor));
    }
    return data;
}

Result<void> checkSizes(const DataSet& data, const device::RunnerModel& loaded) {
    for (size_t i = 0; i < data.inputs.size(); ++i)
        if (const auto& shape = data.inputs[i].shape;
            !data.inputs[i].isComposed() && !driver::agrees(shape, loaded.inputs.at(i).dims))
            return failure(ErrorKind::Unsupported,
                           fmt::format("input '{}' is [{}] in its file, but the model is compiled for [{}] alone",
                                       loaded.inputs[i].name, fmt::join(shape, ","),
                                       fmt::join(loaded.inputs[i].dims, ",")),
                           "use data of equal sizes at a time");
    return {};
}

data::CompareRules rulesFor(const model::ModelGraph& graph, data::Tolerance tolerance) {
    data::CompareRules rules;
    rules.tolerance = tolerance;
    for (const model::Role& role : graph.roles) {
        if (role.family == model::Family::Quantization)
            rules.network = data::NetworkKind::Quantized;
        if (role.family == model::Family::Transform)
            rules.absoluteOfRange = 1e-6;
    }
    if (rules.network == data::NetworkKind::Float) {
        auto half = [](DataType dtype) { return dtype == types::Float16 || dtype == types::BFloat16; };
        bool found = false;
        for (const model::Value& value : graph.graph->inputs)
            found |= half(value.type.dtype);
        for (const model::Initializer& initializer : graph.graph->initializers)
            found |= half(initializer.tensor->dtype);
        for (const model::Role& role : graph.roles)
            found |= half(role.named);
        for (const model::Node* node : graph.nodes)
            for (const model::Attribute& attribute : node ? node->attributes : std::vector<model::Attribute>{})
                if (const auto* tensor = std::get_if<model::TensorPtr>(&attribute.value))
                    found |= *tensor && half((*tensor)->dtype);
        if (found)
            rules.network = data::NetworkKind::Half;
    }
    return rules;
}

} // namespace lathe::inspect
