// SPDX-License-Identifier: Apache-2.0
//
// Which tests there are below a folder: models beside ONNX's data, and fixtures of any format, which say what they are
// (inspect/fixture.h).
#include "app/cli/test_case.h"

#include <algorithm>
#include <iterator>

namespace lathe::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sorted(std::vector<fs::path> paths) {
    std::sort(paths.begin(), paths.end());
    return paths;
}

} // namespace

TestCase testCaseOf(const fs::path& model) {
    TestCase test;
    test.model = model;
    fs::path folder = model.parent_path();
    test.fixture = inspect::fixtureIn(folder);
    if (test.fixture)
        return test;
    std::string stem = model.stem().string();
    std::error_code ignored;
    std::vector<fs::path> sets;
    if (fs::is_directory(folder / ("ref_" + stem), ignored))
        sets.push_back(folder / ("ref_" + stem));
    if (stem == "model" || sets.empty())
        for (const auto& entry : fs::directory_iterator(folder, ignored))
            if (entry.is_directory(ignored) && entry.path().filename().string().starts_with("test_data_set_"))
                sets.push_back(entry.path());
    test.dataSets = sorted(std::move(sets));
    fs::path light = folder / (stem + "_output_0.pb");
    if (stem.starts_with("light_") && fs::exists(light))
        test.lightOutput = light;
    return test;
}

namespace {

/// Of a folder and those in it, through links too, but not back into `around`. What cannot be read is left out.
void addModels(const fs::path& folder, std::vector<fs::path> around, std::vector<fs::path>& models) {
    std::error_code unread;
    const fs::path real = fs::canonical(folder, unread);
    if (unread || std::ranges::find(around, real) != around.end())
        return;
    around.push_back(real);
    if (const auto fixture = inspect::fixtureIn(folder)) {
        std::ranges::copy(inspect::modelsOf(*fixture), std::back_inserter(models));
        return;
    }
    if (inspect::hasDamagedDescription(folder))
        models.push_back(folder / "meta.json"); // which is told, lest a suite become smaller in silence
    for (fs::directory_iterator at(folder, unread); !unread && at != fs::directory_iterator(); at.increment(unread)) {
        std::error_code unknown;
        if (at->path().extension() == ".onnx")
            models.push_back(at->path());
        else if (at->is_directory(unknown))
            addModels(at->path(), around, models);
    }
}

} // namespace

std::vector<TestCase> findTests(const std::vector<std::string>& paths) {
    std::vector<fs::path> models;
    for (const std::string& path : paths) {
        std::error_code failed;
        if (fs::is_regular_file(path, failed)) {
            models.push_back(path);
            continue;
        }
        addModels(path, {}, models);
    }
    std::vector<TestCase> tests;
    for (const fs::path& model : sorted(std::move(models)))
        tests.push_back(testCaseOf(model));
    return tests;
}

} // namespace lathe::cli
