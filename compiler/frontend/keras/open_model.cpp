// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/open_model.h"

#include "base/limits.h"
#include "frontend/common/members.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

constexpr const char* configMember = "config.json";
constexpr const char* metadataMember = "metadata.json";
constexpr const char* weightsMember = "model.weights.h5";
constexpr const char* saveAgain = "save the whole model again with Keras: model.save(\"model.keras\")";

std::string_view textIn(const model::Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.view.data()), bytes.view.size()};
}

Result<Json> parsed(std::string_view text, std::string_view what) {
    std::optional<Json> json = parseJson(text);
    if (!json || !json->is_object())
        return failure(fmt::format("{} is no JSON object, or is nested too deep", what), saveAgain);
    return *std::move(json);
}

/// The first number of "2.4.0"; 2 if none is said: the files that say nothing are of Keras 2.
int majorOf(const std::string& version) {
    return !version.empty() && std::isdigit(static_cast<unsigned char>(version[0])) != 0 ? version[0] - '0' : 2;
}

Result<OpenModel> finished(OpenModel model) {
    model.version = majorOf(model.kerasVersion);
    if (model.version != 2 && model.version != 3)
        return failure(ErrorKind::Unsupported,
                       fmt::format("the model is of Keras {}; versions 2 and 3 are known", model.kerasVersion),
                       "load it with a newer Keras and save it again");
    return model;
}

Result<OpenModel> openArchive(const Members& members, std::shared_ptr<Budget> budget) {
    LATHE_TRY(const std::vector<std::string> names, members.names());
    const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
    if (!has(configMember))
        return failure(fmt::format("there is no {} in it: it holds weights, no architecture", configMember), saveAgain);
    LATHE_TRY(const model::Bytes configText, members.read(configMember));
    LATHE_TRY(Json config, parsed(textIn(configText), configMember));
    std::string version;
    if (has(metadataMember)) {
        LATHE_TRY(const model::Bytes metadataText, members.read(metadataMember));
        LATHE_TRY(const Json metadata, parsed(textIn(metadataText), metadataMember));
        version = textOf(metadata, "keras_version");
    }
    LATHE_TRY(model::Bytes weightBytes, members.read(weightsMember));
    LATHE_TRY(hdf5::File weights, hdf5::File::open(std::move(weightBytes), std::move(budget)));
    return finished({std::move(config), std::move(weights), false, std::move(version)});
}

Result<OpenModel> openFile(const model::Bytes& bytes, std::shared_ptr<Budget> budget) {
    LATHE_TRY(hdf5::File file, hdf5::File::open(bytes, std::move(budget)));
    LATHE_TRY(const hdf5::ObjectPtr root, file.find(""));
    const auto text = [&](std::string_view name) -> Result<std::string> {
        LATHE_TRY(const auto texts, file.texts(*root, name));
        return texts && texts->size() == 1 ? texts->front() : std::string();
    };
    LATHE_TRY(const std::string configText, text("model_config"));
    if (configText.empty())
        return failure(ErrorKind::Unsupported, "the file holds weights, no architecture", saveAgain);
    LATHE_TRY(Json config, parsed(configText, "the attribute model_config"));
    LATHE_TRY(std::string version, text("keras_version"));
    return finished({std::move(config), std::move(file), true, std::move(version)});
}

} // namespace

bool mayBeModel(const Source& source) {
    if (!source.members)
        return hdf5::mayBeFile(source.bytes.view);
    const Result<std::vector<std::string>> names = source.members->names();
    if (!names)
        return false;
    const auto has = [&](const char* name) { return std::ranges::find(*names, name) != names->end(); };
    return has(weightsMember) || (has(configMember) && has(metadataMember));
}

Result<OpenModel> openModel(const Source& source, std::shared_ptr<Budget> budget) {
    if (!source.members)
        return openFile(source.bytes, std::move(budget));
    LATHE_TRY(OpenModel model, openArchive(*source.members, std::move(budget)));
    model.members = source.members;
    return model;
}

} // namespace lathe::frontend::keras
