// SPDX-License-Identifier: Apache-2.0
//
// Where artifacts run: on this machine; on another CPU of the same or another kind of machine, which qemu emulates program
// by program (qemu-user); or on another machine, over ssh. lathe-runner speaks its protocol there as it does here, so whatever
// runs models can run them there.
#pragma once

#include "base/result.h"
#include "base/target.h"
#include "device/ssh_runner.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::device {

struct Device {
    enum class Transport : uint8_t { Local, Qemu, Ssh };
    Transport transport = Transport::Local;
    std::string cpu = {};  // of qemu, as its -cpu takes it; empty: one that has what the target needs
    std::string host = {}; // of ssh, as ssh takes it
    std::string name = {}; // in the user's list (device/device_list.h); empty: it is not of that
    // Of ssh.
    std::string folder = {}; // where files are put for as long as they are needed; empty: $TMPDIR or /tmp
    std::vector<std::string> environment = {}; // of the runner: NAME=VALUE
    std::string cores = {};                    // that the runner uses: "0-3,6"; empty: all
    std::string note = {};                     // for people

    bool isLocal() const { return transport == Transport::Local; }
    /// Times of such a one say nothing of a real one.
    bool isEmulated() const { return transport == Transport::Qemu; }
    bool operator==(const Device&) const = default;
};

/// Reads "local", "qemu", "qemu:CPU" or "ssh:HOST". Fails with kind Usage for others.
Result<Device> parseTransport(std::string_view text);
/// The same, or the name of one in the user's list.
Result<Device> parseDevice(std::string_view text);
/// What parseDevice reads: its name, if it has one.
std::string toString(const Device& device);
/// Fails (kind Usage) for settings that no device can have.
Result<void> validate(const Device& device);

/// What serves the runner's protocol on a device, for code of a target.
struct RunnerCommand {
    std::filesystem::path program = {}; // empty: the runner of this machine
    std::vector<std::string> arguments = {};
    std::optional<SshRunner> ssh = {}; // instead of a program here
};
/// Fails with kind Usage if this machine cannot run the target's code, or has no qemu or no runtime for it; says how to get it.
/// Whether a device over ssh can run it turns out there.
Result<RunnerCommand> runnerCommand(const Device& device, const Target& target);
/// To ask a device what it is: the runner of this kind of machine where the device is one that takes all.
Result<RunnerCommand> runnerCommand(const Device& device, Architecture architecture);

/// A target of the kind of machine that a file's code is for, with nothing but what all of them have: what there is to know
/// of an artifact before it is loaded. Fails for what is no ELF file of such a machine.
Result<Target> targetOfArtifact(const std::filesystem::path& artifact);

} // namespace lathe::device
