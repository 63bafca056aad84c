// SPDX-License-Identifier: Apache-2.0
//
// The devices that a user has given names, in a file of his settings. It is read by each command anew: there is no process
// that knows of devices, and none that hands them out.
#pragma once

#include "device/device.h"

#include <filesystem>
#include <optional>

namespace lathe::device {

/// $XDG_CONFIG_HOME/lathe/devices.json, by default below ~/.config; empty: there is no such folder.
std::filesystem::path devicesFile();

/// Sorted by name; none, if there is no file. Fails with a Diagnostic that names the file for what is no list of devices.
Result<std::vector<Device>> readDevices(const std::filesystem::path& file);
/// Adds it, in place of the one of its name. Fails (kind Usage) for a name or settings that no device can have.
Result<void> addDevice(const std::filesystem::path& file, const Device& device);
/// False: there is none of this name.
Result<bool> removeDevice(const std::filesystem::path& file, const std::string& name);

/// Whether a device may be called so: a letter, then letters, digits, '-', '_' and '.'; none of what parseDevice reads itself.
bool isDeviceName(std::string_view name);

} // namespace lathe::device
