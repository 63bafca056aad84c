// SPDX-License-Identifier: Apache-2.0
#include "device/device_list.h"

#include "base/json.h"
#include "base/new_file.h"
#include "base/user_folder.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <span>

namespace lathe::device {
namespace {

namespace fs = std::filesystem;

constexpr const char* schema = "lathe-devices/1";
constexpr size_t mostBytes = size_t{1} << 20, longestName = 64;

nlohmann::json toJson(const Device& device) {
    Device plain = device;
    plain.name.clear();
    nlohmann::json json{{"name", device.name}, {"transport", toString(plain)}};
    if (!device.folder.empty())
        json["folder"] = device.folder;
    if (!device.environment.empty())
        json["environment"] = device.environment;
    if (!device.cores.empty())
        json["cores"] = device.cores;
    if (!device.note.empty())
        json["note"] = device.note;
    return json;
}

/// What is not named stays empty. Fails for what is of another type, or unknown.
Result<Device> deviceOf(const nlohmann::json& json) {
    const auto malformed = [](std::string_view what) {
        return failure(fmt::format("{} of a device is malformed", what));
    };
    if (!json.is_object())
        return failure("a device is no object");
    const auto transport = json.find("transport");
    if (transport == json.end() || !transport->is_string())
        return malformed("'transport'");
    LATHE_TRY(Device device, parseTransport(transport->get<std::string>()));
    for (const auto& [key, value] : json.items()) {
        std::string* const text = key == "name"     ? &device.name
                                  : key == "folder" ? &device.folder
                                  : key == "cores"  ? &device.cores
                                  : key == "note"   ? &device.note
                                                    : nullptr;
        if (text && value.is_string())
            *text = value.get<std::string>();
        else if (key == "environment" && value.is_array() &&
                 std::ranges::all_of(value, [](const nlohmann::json& each) { return each.is_string(); }))
            device.environment = value.get<std::vector<std::string>>();
        else if (key != "transport")
            return malformed(fmt::format("'{}'", key));
    }
    LATHE_CHECKED(validate(device));
    return device;
}

Result<void> write(const fs::path& file, const std::vector<Device>& devices) {
    nlohmann::json all{{"schema", schema}, {"devices", nlohmann::json::array()}};
    for (const Device& device : devices)
        all["devices"].push_back(toJson(device));
    std::error_code failed;
    fs::create_directories(file.parent_path(), failed);
    if (failed)
        return failure(fmt::format("cannot make the folder '{}': {}", file.parent_path().string(), failed.message()));
    const std::string text = dump(all, 2) + "\n";
    NewFile written(file, NewFile::Kind::Text);
    if (!(written.write(std::as_bytes(std::span(text))) && written.keep()))
        return Failure(written.problem());
    return {};
}

} // namespace

fs::path devicesFile() {
    const fs::path folder = userFolder(UserFolder::Config);
    return folder.empty() ? folder : folder / "devices.json";
}

bool isDeviceName(std::string_view name) {
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto fits = [&](char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'; };
    return !name.empty() && name.size() <= longestName && isLetter(name.front()) && std::ranges::all_of(name, fits) &&
           name != "local" && name != "qemu";
}

Result<std::vector<Device>> readDevices(const fs::path& file) {
    std::error_code failed;
    if (file.empty() || !fs::exists(file, failed))
        return std::vector<Device>();
    const auto wrong = [&](Diagnostic problem) {
        problem.file = file.string();
        problem.kind = ErrorKind::Invalid;
        if (problem.hint.empty())
            problem.hint = "mend it, or remove the file and add the devices again";
        return Failure(problem);
    };
    if (!fs::is_regular_file(file, failed) || fs::file_size(file, failed) > mostBytes)
        return wrong(error("it is no list of devices"));
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        return wrong(error("it cannot be read", "look at its permissions"));
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    const auto json = parseJson(text);
    if (!json || !json->is_object() || !json->contains("schema") || !json->contains("devices") ||
        !(*json)["devices"].is_array())
        return wrong(error("it is no list of devices"));
    if ((*json)["schema"] != schema)
        return wrong(
            error(fmt::format("its schema is {}, and {} is what this program knows", dump((*json)["schema"]), schema)));
    std::vector<Device> devices;
    for (const nlohmann::json& each : (*json)["devices"]) {
        auto device = deviceOf(each);
        if (!device)
            return wrong(device.error());
        if (!isDeviceName(device->name))
            return wrong(error(fmt::format("'{}' is no name of a device", device->name)));
        devices.push_back(*std::move(device));
    }
    std::ranges::sort(devices, {}, &Device::name);
    if (const auto twice = std::ranges::adjacent_find(devices, {}, &Device::name); twice != devices.end())
        return wrong(error(fmt::format("'{}' is named twice", twice->name)));
    return devices;
}

Result<void> addDevice(const fs::path& file, const Device& device) {
    if (file.empty())
        return failure(ErrorKind::Usage, "there is no folder for settings", "set HOME or XDG_CONFIG_HOME");
    if (!isDeviceName(device.name))
        return failure(ErrorKind::Usage, fmt::format("'{}' is no name of a device", device.name),
                       "a letter, then letters, digits, '-', '_' and '.'; not local or qemu");
    LATHE_CHECKED(validate(device));
    LATHE_TRY(std::vector<Device> devices, readDevices(file));
    std::erase_if(devices, [&](const Device& each) { return each.name == device.name; });
    devices.push_back(device);
    std::ranges::sort(devices, {}, &Device::name);
    return write(file, devices);
}

Result<bool> removeDevice(const fs::path& file, const std::string& name) {
    LATHE_TRY(std::vector<Device> devices, readDevices(file));
    if (std::erase_if(devices, [&](const Device& each) { return each.name == name; }) == 0)
        return false;
    LATHE_CHECKED(write(file, devices));
    return true;
}

} // namespace lathe::device
