// SPDX-License-Identifier: Apache-2.0
#include "deploy/golden.h"

#include "data/npy_text.h"
#include "deploy/json_reader.h"
#include "driver/tensor_files.h"
#include "inspect/data_set.h"
#include "inspect/inputs.h"
#include "model/random_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;
using model::HostTensor;

/// The type under which NumPy stores these bytes.
DataType storedAs(DataType dtype) {
    const bool known = dtype.isBool() || ((dtype.isInt() || dtype.code == TypeCode::Float) && dtype.bits >= 8);
    return known ? dtype : dtype.bytes() == 2 ? types::UInt16 : types::UInt8;
}

/// Why no file holds the strings of a case.
std::optional<std::string> whyNotStorable(const data::GoldenCase& golden) {
    for (const auto* tensors : {&golden.inputs, &golden.outputs})
        for (const HostTensor& tensor : *tensors)
            if (const auto bytes = data::npyBytesOf(tensor.strings); !bytes)
                return bytes.error().what;
    return std::nullopt;
}

/// The folders of data that are named, or lie beside the model.
Result<std::vector<fs::path>> dataFolders(const fs::path& model, const fs::path& named) {
    std::vector<fs::path> folders;
    std::error_code failed;
    if (!named.empty() && fs::exists(named / "input_0.pb", failed))
        return std::vector{named};
    const fs::path folder = !named.empty() ? named : model.has_parent_path() ? model.parent_path() : fs::path(".");
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
        if (at->path().filename().string().starts_with("test_data_set_") && at->is_directory(failed))
            folders.push_back(at->path());
    if (!named.empty() && folders.empty()) {
        Diagnostic none = error("there are no golden data", "a folder with input_0.pb and output_0.pb, or one of such "
                                                            "folders called test_data_set_N");
        none.file = named.string();
        return Failure(none);
    }
    std::ranges::sort(folders);
    return folders;
}

/// Inputs of these sizes, drawn by the seed; zeros for none.
Result<std::vector<HostTensor>> drawn(const ModelInterface& interface, const driver::Shapes& shapes,
                                      std::optional<uint64_t> seed, const std::function<bool()>& cancelled) {
    std::vector<HostTensor> inputs;
    LATHE_CHECKED(inspect::drawInputs(
        interface.inputs, {}, shapes, seed.value_or(0),
        [&](size_t, const HostTensor& tensor) -> Result<void> {
            HostTensor& taken = inputs.emplace_back(tensor);
            if (!seed) {
                std::ranges::fill(taken.bytes, std::byte{0});
                std::ranges::fill(taken.strings, std::string());
            }
            return {};
        },
        cancelled));
    return inputs;
}

Result<std::vector<HostTensor>> computed(device::RunnerClient& runner, const ModelInterface& interface,
                                         const std::vector<HostTensor>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i)
        LATHE_CHECKED(runner.setInput(interface.inputs[i].name, inputs[i]));
    LATHE_CHECKED(runner.resetStates()); // a case says what one run gives, whatever was run before
    LATHE_CHECKED(runner.run());
    return runner.outputs();
}

std::vector<std::string> valueNames(const std::vector<device::RunnerValue>& values) {
    std::vector<std::string> names;
    for (const device::RunnerValue& value : values)
        names.push_back(value.name);
    return names;
}

/// So many inputs are drawn for a case, until at least half of what they give are finite numbers. Seeds of different cases are
/// less than `otherSeed` apart.
constexpr int draws = 8;
constexpr uint64_t otherSeed = 100;

/// Makes the cases one after the other, within the limits of their number and bytes.
class Maker {
public:
    Maker(const GoldenWork& work, ModelInterface& interface, std::vector<std::string>& remarks)
        : work_(work), interface_(interface), remarks_(remarks) {}

    Result<std::vector<MadeCase>> make() {
        LATHE_TRY(const std::vector<fs::path> folders, dataFolders(work_.model, work_.options.goldenFolder));
        for (const fs::path& folder : folders)
            LATHE_CHECKED(addData(folder));
        const driver::Shapes usual = usualShapes(interface_), largest = largestShapes(interface_);
        LATHE_CHECKED(addDrawn("random-0", usual, 1));
        if (largest != usual)
            LATHE_CHECKED(addDrawn("largest", largest, 2));
        LATHE_CHECKED(addDrawn("zeros", usual, std::nullopt));
        if (largest == usual)
            LATHE_CHECKED(addDrawn("random-1", usual, 2));
        if (barren_ && cases_.empty())
            add(*std::move(barren_));
        else if (barren_)
            leaveOutBarren(barren_->golden.name);
        if (cases_.empty() && work_.options.cases > 0)
            return failure("the model gives no outputs for any of the golden cases",
                           "name data that it takes: --golden DIR");
        return std::move(cases_);
    }

private:
    bool full() const { return static_cast<int>(cases_.size()) >= work_.options.cases; }

    Result<void> addData(const fs::path& folder) {
        if (full())
            return {};
        const auto named = [&](Diagnostic problem) {
            if (problem.file.empty())
                problem.file = folder.string();
            return Failure(std::move(problem));
        };
        auto data = inspect::readDataSet(
            folder, device::RunnerModel{{}, {}, {}, interface_.inputs, interface_.outputs, {}, {}});
        if (!data)
            return named(data.error());
        MadeCase made =
            caseOf(fmt::format("data-{}", data_++), dataSetSource, std::move(data->inputs), std::move(data->outputs));
        const data::GoldenCase& golden = made.golden;
        if (golden.outputs.empty() && !interface_.outputs.empty())
            return named(error("it has no outputs to compare with", "output_0.pb and so on lie beside its inputs"));
        if (golden.outputs.size() < interface_.outputs.size())
            remarks_.push_back(fmt::format("golden case '{}' has {} of {} outputs: the others are not compared",
                                           golden.name, golden.outputs.size(), interface_.outputs.size()));
        if (const auto outside = sizeOutside(interface_, golden.inputs)) {
            remarks_.push_back(fmt::format("golden case '{}' is left out: {}", golden.name, *outside));
            return {};
        }
        const auto got = computed(work_.runner, interface_, golden.inputs);
        if (!got)
            return named(got.error());
        if (golden.outputs.size() > got->size())
            return named(error("it has more outputs than the model"));
        noteRandom(made.golden);
        takeSizes(golden.inputs);
        made.result = data::compareCase(golden, *got, valueNames(interface_.outputs));
        if (!made.result.wrong.empty())
            return named(error(fmt::format("the model does not compute these outputs: {}", made.result.wrong.front()),
                               "name other data by --golden, or allow more by --tolerance"));
        add(std::move(made));
        return {};
    }

    /// Sizes that nobody has named are usually those of the first data: models may be good for few others.
    void takeSizes(const std::vector<HostTensor>& inputs) {
        for (size_t i = 0; i < inputs.size() && data_ == 1; ++i)
            for (size_t axis = 0; axis < inputs[i].shape.size(); ++axis) {
                const int64_t dim = interface_.inputs[i].dims[axis], size = inputs[i].shape[axis];
                if (!device::isSymbol(dim))
                    continue;
                const std::string& symbol = interface_.symbols[static_cast<size_t>(-(dim + 1))];
                if (!work_.options.symbols.contains(symbol) && size >= interface_.ranges[symbol].least)
                    interface_.ranges[symbol].usual = size;
            }
    }

    Result<void> addDrawn(std::string name, const driver::Shapes& shapes, std::optional<uint64_t> seed) {
        if (full())
            return {};
        if (!cases_.empty() && bytes_ + inputBytes(shapes) > static_cast<double>(goldenBytes)) {
            leaveOut(name); // before seconds were spent on it
            return {};
        }
        std::optional<MadeCase> best; // the one that says most
        for (int draw = 0; draw < (seed ? draws : 1); ++draw) {
            const auto drawnBy = seed ? std::optional(*seed + static_cast<uint64_t>(draw) * otherSeed) : seed;
            LATHE_TRY(std::vector<HostTensor> inputs,
                      drawn(interface_, shapes, drawnBy, work_.runner.options().cancelled));
            auto outputs = computed(work_.runner, interface_, inputs);
            if (!outputs && work_.runner.outcome() != device::RunnerOutcome::Refused)
                return Failure(outputs.error());
            if (!outputs && best)
                break;
            if (!outputs) {
                remarks_.push_back(fmt::format("golden case '{}' is left out: {}", name, outputs.error().what));
                return {};
            }
            MadeCase made = caseOf(name, "strict", std::move(inputs), std::move(*outputs));
            noteRandom(made.golden);
            made.result = data::compareCase(made.golden, made.golden.outputs, valueNames(interface_.outputs));
            if (!best || made.result.known() > best->result.known())
                best = std::move(made);
            if (best->result.elements <= 2 * best->result.known())
                break;
        }
        if (best->result.known() > 0 || best->result.elements == 0)
            add(*std::move(best));
        else if (!barren_)
            barren_ = std::move(best);
        else
            leaveOutBarren(name);
        return {};
    }

    void leaveOutBarren(const std::string& name) {
        remarks_.push_back(
            fmt::format("golden case '{}' is left out: none of the values that it gives is a finite number", name));
    }

    MadeCase caseOf(std::string name, std::string source, std::vector<HostTensor> inputs,
                    std::vector<HostTensor> outputs) const {
        data::CompareRules rules;
        rules.relative = 0;
        rules.absolute = work_.options.tolerance.absolute;
        rules.absoluteOfRange = work_.options.tolerance.ofRange;
        return {{std::move(name), std::move(inputs), std::move(outputs), {}, rules}, std::move(source)};
    }

    void noteRandom(data::GoldenCase& golden) {
        const std::vector<bool> random = model::randomOutputs(work_.graph, golden.inputs);
        for (size_t i = 0; i < golden.outputs.size(); ++i) {
            const bool drawn = i < random.size() && random[i];
            golden.compared.push_back(!drawn);
            if (drawn && !interface_.random[i]) {
                interface_.random[i] = true;
                remarks_.push_back(fmt::format("output '{}' is drawn at random: its values are not compared",
                                               interface_.outputs[i].name));
            }
        }
    }

    void leaveOut(const std::string& name) {
        remarks_.push_back(fmt::format("golden case '{}' is left out: all of them would take more than {} MiB", name,
                                       goldenBytes >> 20));
    }

    double inputBytes(const driver::Shapes& shapes) const {
        double sum = 0;
        for (const device::RunnerValue& input : interface_.inputs) {
            double bytes = static_cast<double>(input.dtype.bytes());
            const auto shape = std::ranges::find(shapes, input.name, &driver::Shapes::value_type::first);
            for (const int64_t dim : shape != shapes.end() ? shape->second : input.dims)
                bytes *= static_cast<double>(std::max<int64_t>(dim, 0));
            sum += bytes;
        }
        return sum;
    }

    void add(MadeCase made) {
        if (const auto why = whyNotStorable(made.golden)) {
            remarks_.push_back(fmt::format("golden case '{}' is left out: {}", made.golden.name, *why));
            return;
        }
        bytes_ += made.bytes();
        if (bytes_ > goldenBytes && !cases_.empty()) {
            bytes_ -= made.bytes();
            leaveOut(made.golden.name);
            return;
        }
        if (made.result.known() < made.result.elements || made.result.elements == 0)
            remarks_.push_back(fmt::format("golden case '{}': {}", made.golden.name, made.result.unknown()));
        cases_.push_back(std::move(made));
    }

    const GoldenWork& work_;
    ModelInterface& interface_;
    std::vector<std::string>& remarks_;
    std::vector<MadeCase> cases_;
    /// The first whose outputs hold no finite number: taken if there is no other, to be run and timed.
    std::optional<MadeCase> barren_;
    uint64_t bytes_ = 0;
    int data_ = 0;
};

PlannedFile array(const std::string& path, const HostTensor& tensor) {
    PlannedFile file{path, FileKind::Golden, {}, {}, false};
    if (tensor.dtype == types::String)
        file.text = data::npyOfStrings(tensor.shape, tensor.strings).value();
    else
        file.text = driver::npyOf({storedAs(tensor.dtype), tensor.shape, tensor.bytes});
    return file;
}

} // namespace

uint64_t MadeCase::bytes() const {
    uint64_t sum = 0;
    for (const auto* tensors : {&golden.inputs, &golden.outputs})
        for (const HostTensor& tensor : *tensors)
            sum += tensor.bytes.size() + data::npyBytesOf(tensor.strings).value_or(0);
    return sum;
}

Result<std::vector<MadeCase>> makeGolden(const GoldenWork& work, ModelInterface& interface,
                                         std::vector<std::string>& remarks) {
    return Maker(work, interface, remarks).make();
}

std::vector<PlannedFile> filesOf(const MadeCase& made, const ModelInterface& interface) {
    const data::GoldenCase& golden = made.golden;
    const std::string folder = "golden/" + golden.name + "/";
    std::vector<PlannedFile> files;
    nlohmann::json inputs = nlohmann::json::array(), outputs = nlohmann::json::array();
    const auto add = [&](const char* what, size_t i, const HostTensor& tensor, const device::RunnerValue& value) {
        const std::string file = fmt::format("{}_{}.npy", what, i);
        files.push_back(array(folder + file, tensor));
        return nlohmann::json{
            {"file", file}, {"name", value.name}, {"dtype", lathe::toString(tensor.dtype)}, {"dims", tensor.shape}};
    };
    for (size_t i = 0; i < golden.inputs.size(); ++i)
        inputs.push_back(add("input", i, golden.inputs[i], interface.inputs[i]));
    for (size_t i = 0; i < golden.outputs.size(); ++i) {
        outputs.push_back(add("output", i, golden.outputs[i], interface.outputs[i]));
        outputs.back()["compare"] = static_cast<bool>(golden.compared[i]);
    }
    const nlohmann::json facts = {
        {"schema", "lathe-case/1"},
        {"name", golden.name},
        {"source", made.source},
        {"inputs", inputs},
        {"outputs", outputs},
        {"tolerance", {{"absolute", golden.rules.absolute}, {"of_range", golden.rules.absoluteOfRange}}}};
    files.push_back({folder + "case.json", FileKind::Golden, dump(facts, 2) + "\n", {}, false});
    return files;
}

} // namespace lathe::deploy
