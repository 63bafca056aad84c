// SPDX-License-Identifier: Apache-2.0
//
// Where artifacts run: on this machine, or on another CPU of the same or another kind of machine, which qemu emulates program
// by program (qemu-user). lathe-runner speaks its protocol there as it does here, so whatever runs models can run them there.
#pragma once

#include "base/result.h"
#include "base/target.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::driver {

struct Device {
    enum class Transport : uint8_t { Local, Qemu };
    Transport transport = Transport::Local;
    std::string cpu; // of qemu, as its -cpu takes it; empty: one that has what the target needs

    bool isLocal() const { return transport == Transport::Local; }
    bool operator==(const Device&) const = default;
};

/// Reads "local", "qemu" or "qemu:CPU". Fails with kind Usage for others.
Result<Device> parseDevice(std::string_view text);
std::string toString(const Device& device);

/// The program that serves the runner's protocol on a device, for code of a target.
struct RunnerCommand {
    std::filesystem::path program; // empty: the runner of this machine
    std::vector<std::string> arguments;
};
/// Fails with kind Usage if this machine cannot run the target's code, or has no qemu or no runtime for it; says how to get it.
Result<RunnerCommand> runnerCommand(const Device& device, const Target& target);

/// A target of the kind of machine that a file's code is for, with nothing but what all of them have: what there is to know
/// of an artifact before it is loaded. Fails for what is no ELF file of such a machine.
Result<Target> targetOfArtifact(const std::filesystem::path& artifact);

} // namespace lathe::driver
