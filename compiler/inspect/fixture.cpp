// SPDX-License-Identifier: Apache-2.0
#include "inspect/fixture.h"

#include "base/json.h"
#include "data/npz.h"
#include "frontend/frontend.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace lathe::inspect {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t descriptionBytes = uintmax_t{1} << 24;
/// Where nothing is said of it.
constexpr const char* plainTolerance = "1e-4 relative to the largest output";

/// Nothing: it is no file, or larger than any description.
std::optional<std::string> descriptionText(const fs::path& path) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) > descriptionBytes || failed)
        return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<nlohmann::json> readDescription(const fs::path& path) {
    const std::optional<std::string> text = descriptionText(path);
    std::optional<nlohmann::json> json = text ? parseJson(*text) : std::nullopt;
    return json && json->is_object() ? std::move(json) : std::nullopt;
}

/// Empty: it is not there, or no text.
std::string textOf(const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> textsOf(const nlohmann::json& object, const char* key) {
    std::vector<std::string> texts;
    if (const auto found = object.find(key); found != object.end() && found->is_array())
        for (const nlohmann::json& text : *found)
            texts.push_back(text.is_string() ? text.get<std::string>() : std::string());
    return texts;
}

/// The arguments that are integers themselves: [{"name": "n", "value": 3}].
std::vector<std::pair<std::string, int64_t>> numbersOf(const nlohmann::json& run) {
    std::vector<std::pair<std::string, int64_t>> numbers;
    const auto arguments = run.find("args");
    if (arguments == run.end() || !arguments->is_array())
        return numbers;
    for (const nlohmann::json& argument : *arguments)
        if (argument.is_object() && argument.contains("value"))
            if (const std::optional<int64_t> value = integer<int64_t>(argument["value"]))
                numbers.emplace_back(textOf(argument, "name"), *value);
    return numbers;
}

/// As Python writes a constant: of JSON's own values, and of structures of them ({"list": [{"string": "a"}]}). Nothing for what
/// has tensors, or numbers that lie in a file, in it.
std::optional<std::string> pythonText(const nlohmann::json& value) {
    const auto joined = [](const nlohmann::json& parts) -> std::optional<std::string> {
        std::string all;
        for (const nlohmann::json& part : parts) {
            const std::optional<std::string> text = pythonText(part);
            if (!text)
                return std::nullopt;
            all += *text + ", ";
        }
        return all;
    };
    if (value.is_null())
        return "None";
    if (value.is_boolean())
        return value.get<bool>() ? "True" : "False";
    if (value.is_number() || value.is_string())
        return value.dump();
    if (value.is_array()) {
        const std::optional<std::string> parts = joined(value);
        return parts ? std::optional("[" + *parts + "]") : std::nullopt;
    }
    if (const auto text = value.find("string"); text != value.end())
        return pythonText(*text);
    if (const auto list = value.find("list"); list != value.end())
        return pythonText(*list);
    if (const auto tuple = value.find("tuple"); tuple != value.end() && tuple->is_array()) {
        const std::optional<std::string> parts = joined(*tuple);
        return parts ? std::optional("(" + *parts + ")") : std::nullopt;
    }
    return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> argumentsOf(const nlohmann::json& run) {
    std::vector<std::pair<std::string, std::string>> all;
    const auto arguments = run.find("args");
    if (arguments == run.end() || !arguments->is_array())
        return all;
    for (const nlohmann::json& argument : *arguments)
        for (const char* key : {"value", "structure"})
            if (argument.is_object() && argument.contains(key))
                if (std::optional<std::string> text = pythonText(argument[key]))
                    all.emplace_back(textOf(argument, "name"), *std::move(text));
    return all;
}

/// "refuse or run (mask computed from data)": the words that stand there decide.
Fixture::Expect expectOf(std::string_view words) {
    const bool refuse = words.contains("refuse"), run = words.contains("run");
    return refuse && run ? Fixture::Expect::Either : refuse ? Fixture::Expect::Refuse : Fixture::Expect::Run;
}

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

/// A file of the folder: no path that leads out of it.
Result<fs::path> dataPath(const Fixture& fixture, const std::string& name) {
    if (name.empty() || fs::path(name).filename() != name || name == "." || name == "..")
        return failure(fmt::format("'{}' is no name of a file", name), "name a .npz file beside meta.json");
    return fixture.folder / name;
}

Result<data::NamedTensors> readArrays(const Fixture& fixture, const std::string& name,
                                      const std::vector<device::RunnerValue>& values) {
    LATHE_TRY(const fs::path path, dataPath(fixture, name));
    return data::readAllOfNpz(path, [&](std::string_view wanted) {
        const auto value = std::ranges::find(values, wanted, &device::RunnerValue::name);
        return value == values.end() ? types::Void : value->dtype;
    });
}

/// The names in the files for the model's values: the model's, or where it has not all of them the run's order, if those that it
/// has stand at their places in it.
std::vector<std::string> namesFor(const std::vector<device::RunnerValue>& values, const data::NamedTensors& arrays,
                                  const std::vector<std::string>& order) {
    std::vector<std::string> names;
    for (const device::RunnerValue& value : values)
        names.push_back(value.name);
    const auto placeOf = [&](const std::string& name) { return std::ranges::find(names, name) - names.begin(); };
    const bool hasAll =
        std::ranges::all_of(arrays, [&](const auto& array) { return placeOf(array.first) != std::ssize(names); });
    if (hasAll || order.size() != names.size())
        return names;
    for (size_t i = 0; i < order.size(); ++i)
        if (const auto place = placeOf(order[i]); place != std::ssize(names) && place != static_cast<ptrdiff_t>(i))
            return names;
    return order;
}

Result<std::vector<model::HostTensor>> inOrder(const data::NamedTensors& arrays, const std::vector<std::string>& order,
                                               const std::vector<device::RunnerValue>& values, std::string_view what) {
    const std::vector<std::string> names = namesFor(values, arrays, order);
    for (const auto& [name, tensor] : arrays)
        if (std::ranges::find(names, name) == names.end())
            return failure(fmt::format("the model has no {} '{}'", what, name));
    std::vector<model::HostTensor> ordered;
    for (const std::string& name : names) {
        const auto found = std::ranges::find(arrays, name, &data::NamedTensors::value_type::first);
        if (found == arrays.end())
            return failure(fmt::format("the data say nothing of {} '{}'", what, name));
        ordered.push_back(found->second);
    }
    return ordered;
}

FixtureRun runOf(const std::string& suffix) {
    return {.inputs = "inputs" + suffix + ".npz",
            .outputs = "outputs" + suffix + ".npz",
            .note = {},
            .signature = {},
            .inputOrder = {},
            .outputOrder = {},
            .numbers = {}};
}

/// Without a description: inputs.npz with outputs.npz, then inputs_1.npz with outputs_1.npz and so on.
std::optional<Fixture> plainFixture(const fs::path& folder) {
    Fixture fixture{.folder = folder,
                    .formats = {},
                    .expect = Fixture::Expect::Run,
                    .why = {},
                    .tolerance = plainTolerance,
                    .cut = {},
                    .runs = {}};
    std::error_code failed;
    for (FixtureRun run = runOf("");
         fs::is_regular_file(folder / run.inputs, failed) && fs::is_regular_file(folder / run.outputs, failed);
         run = runOf(fmt::format("_{}", fixture.runs.size())))
        fixture.runs.push_back(run);
    return fixture.runs.empty() ? std::nullopt : std::optional(std::move(fixture));
}

} // namespace

std::optional<Fixture> fixtureIn(const fs::path& folder) {
    std::error_code unknown;
    if (!fs::exists(folder / "meta.json", unknown))
        return plainFixture(folder);
    const std::optional<nlohmann::json> json = readDescription(folder / "meta.json");
    if (!json)
        return std::nullopt;
    Fixture fixture{.folder = folder,
                    .formats = textOf(*json, "format"),
                    .expect = expectOf(textOf(*json, "expect")),
                    .why = textOf(*json, "why"),
                    .tolerance = textOf(*json, "tolerance"),
                    .cut = textOf(*json, "cut"),
                    .runs = {}};
    const auto runs = json->find("runs");
    const bool hasRuns = runs != json->end() && runs->is_array();
    if (fixture.formats.empty() || (!hasRuns && textOf(*json, "expect").empty()))
        return std::nullopt;
    if (hasRuns)
        for (const nlohmann::json& run : *runs)
            if (run.is_object())
                fixture.runs.push_back({.inputs = textOf(run, "inputs"),
                                        .outputs = textOf(run, "outputs"),
                                        .note = textOf(run, "note"),
                                        .signature = textOf(run, "signature"),
                                        .inputOrder = textsOf(run, "input_order"),
                                        .outputOrder = textsOf(run, "output_order"),
                                        .numbers = numbersOf(run),
                                        .arguments = argumentsOf(run)});
    return fixture;
}

bool hasDamagedDescription(const fs::path& folder) {
    const std::optional<std::string> text = descriptionText(folder / "meta.json");
    return text && !parseJson(*text);
}

std::vector<fs::path> modelsOf(const Fixture& fixture) {
    std::vector<fs::path> known, others;
    std::error_code unread;
    for (fs::directory_iterator at(fixture.folder, unread); !unread && at != fs::directory_iterator();
         at.increment(unread)) {
        const std::string name = at->path().filename().string();
        if (name == "meta.json" || at->path().extension() == ".npz")
            continue;
        if (!frontend::formatOf(at->path()).empty())
            known.push_back(at->path());
        else if (name.contains("model"))
            others.push_back(at->path());
    }
    if (known.empty() && !others.empty())
        known.push_back(std::ranges::min(others));
    std::ranges::sort(known);
    return known;
}

std::vector<FixtureRun> runsOf(const Fixture& fixture, const fs::path& model) {
    if (!fixture.formats.contains('+'))
        return fixture.runs;
    const std::string format = lowerCase(frontend::formatOf(model));
    // "pt2" of model.pt2, "savedmodel" of the folder saved_model.
    std::string kind = lowerCase(model.has_extension() ? model.extension().string() : model.filename().string());
    std::erase_if(kind, [](char c) { return c == '.' || c == '_'; });
    std::vector<FixtureRun> own;
    for (const FixtureRun& run : fixture.runs) {
        const std::string note = lowerCase(run.note);
        if ((!format.empty() && note.contains(format)) || (!kind.empty() && note.contains(kind)))
            own.push_back(run);
    }
    return own.empty() ? fixture.runs : own;
}

driver::InputFiles inputFilesOf(const Fixture& fixture, const FixtureRun& run) {
    driver::InputFiles files;
    if (const auto path = dataPath(fixture, run.inputs))
        if (const auto names = data::arraysIn(*path))
            for (const std::string& name : *names)
                files.byName.emplace(name, path->string());
    return files;
}

Result<void> checkFiles(const Fixture& fixture, const FixtureRun& run) {
    for (const std::string& name : {run.inputs, run.outputs}) {
        LATHE_TRY(const fs::path path, dataPath(fixture, name));
        std::error_code unknown;
        if (!fs::is_regular_file(path, unknown))
            return failure(fmt::format("there is no file '{}', which meta.json names", name),
                           "copy the folder again, or correct meta.json");
    }
    return {};
}

Result<RunArrays> readRun(const Fixture& fixture, const FixtureRun& run, const device::RunnerModel& loaded) {
    RunArrays arrays;
    LATHE_TRY(arrays.inputs, readArrays(fixture, run.inputs, loaded.inputs));
    for (const auto& [name, number] : run.numbers) {
        const auto input = std::ranges::find(loaded.inputs, name, &device::RunnerValue::name);
        if (input == loaded.inputs.end() || input->dtype != types::Int64)
            continue;
        model::HostTensor tensor{types::Int64, {}, std::vector<std::byte>(sizeof number), {}};
        std::memcpy(tensor.bytes.data(), &number, sizeof number);
        arrays.inputs.emplace_back(name, std::move(tensor));
    }
    LATHE_TRY(arrays.outputs, readArrays(fixture, run.outputs, loaded.outputs));
    return arrays;
}

Result<DataSet> byPosition(const RunArrays& arrays, const FixtureRun& run, const device::RunnerModel& loaded) {
    DataSet data;
    LATHE_TRY(data.inputs, inOrder(arrays.inputs, run.inputOrder, loaded.inputs, "input"));
    LATHE_TRY(data.outputs, inOrder(arrays.outputs, run.outputOrder, loaded.outputs, "output"));
    return data;
}

} // namespace lathe::inspect
