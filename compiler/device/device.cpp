// SPDX-License-Identifier: Apache-2.0
#include "device/device.h"

#include "base/printable.h"
#include "codegen/target.h"
#include "device/device_list.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <elf.h>
#include <fmt/format.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace lathe::device {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view form =
    "use local, qemu or qemu:CPU (qemu-aarch64 -cpu help lists them), ssh:HOST, or a name "
    "that lathe devices lists";

/// Of PATH; empty if no folder of it has the program.
fs::path findProgram(const std::string& name) {
    const char* path = std::getenv("PATH");
    for (std::string_view left = path ? path : ""; !left.empty();) {
        const std::string_view folder = left.substr(0, left.find(':'));
        left.remove_prefix(std::min(left.size(), folder.size() + 1));
        const fs::path program = fs::path(folder) / name;
        if (!folder.empty() && access(program.c_str(), X_OK) == 0)
            return program;
    }
    return {};
}

/// What -cpu of qemu gets, so that it has vectors of the target's length and what else is off by itself and qemu 7.2 knows of
/// it; empty: qemu's own choice.
std::string emulatedCpu(const Target& target) {
    if (target.architecture == Architecture::AArch64 && target.scalableBits > 0)
        return fmt::format("max,sve-default-vector-length={}", target.scalableBits / 8);
    if (target.architecture == Architecture::RiscV64) // whose extensions beyond RV64GC are off
        return fmt::format("rv64{}{}",
                           target.scalableBits > 0 ? fmt::format(",v=true,vext_spec=v1.0,vlen={}", target.scalableBits)
                                                   : "",
                           codegen::requiredOf(target).has("zfhmin") ? ",Zfh=true" : "");
    return "";
}

} // namespace

Result<Device> parseTransport(std::string_view text) {
    constexpr std::string_view qemu = "qemu:", ssh = "ssh:";
    Device device;
    if (text == "local")
        return device;
    if (text == "qemu" || (text.starts_with(qemu) && text.size() > qemu.size())) {
        device.transport = Device::Transport::Qemu;
        device.cpu = text.substr(std::min(text.size(), qemu.size()));
        return device;
    }
    if (text.starts_with(ssh) && text.size() > ssh.size()) {
        device.transport = Device::Transport::Ssh;
        device.host = text.substr(ssh.size());
        LATHE_CHECKED(validate(device));
        return device;
    }
    return failure(ErrorKind::Usage, fmt::format("unknown device '{}'", text), std::string(form));
}

Result<Device> parseDevice(std::string_view text) {
    if (!isDeviceName(text))
        return parseTransport(text);
    LATHE_TRY(const std::vector<Device> devices, readDevices(devicesFile()));
    const auto found = std::ranges::find(devices, text, &Device::name);
    return found == devices.end() ? parseTransport(text) : *found;
}

std::string toString(const Device& device) {
    if (!device.name.empty())
        return device.name;
    switch (device.transport) {
    case Device::Transport::Local:
        return "local";
    case Device::Transport::Qemu:
        return device.cpu.empty() ? "qemu" : "qemu:" + device.cpu;
    case Device::Transport::Ssh:
        break;
    }
    return "ssh:" + device.host;
}

Result<void> validate(const Device& device) {
    const auto refused = [](std::string what, std::string hint) {
        return failure(ErrorKind::Usage, std::move(what), std::move(hint));
    };
    const auto isPlain = [](const std::string& text) {
        return std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
    };
    const bool isSsh = device.transport == Device::Transport::Ssh;
    if (isSsh && (device.host.empty() || device.host.front() == '-' || !isPlain(device.host) ||
                  device.host.find(' ') != std::string::npos)) // which ssh would take for an option
        return refused(fmt::format("'{}' is no host", printable(device.host)),
                       "as ssh takes it: a name of its configuration, HOST or USER@HOST");
    if (!isSsh && !(device.folder.empty() && device.environment.empty() && device.cores.empty()))
        return refused("a folder, an environment and cores are those of devices over ssh", "leave them out");
    if (!device.folder.empty() && (device.folder.front() != '/' || !isPlain(device.folder)))
        return refused(fmt::format("'{}' is no folder of a device", printable(device.folder)), "a path from / on");
    for (const std::string& each : device.environment) {
        const std::string_view name = std::string_view(each).substr(0, each.find('='));
        const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
        if (name.size() == each.size() || name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) ||
            !std::ranges::all_of(name, fits) || !isPlain(each))
            return refused(fmt::format("'{}' is no variable", printable(each)), "NAME=VALUE, on one line");
    }
    if (!std::ranges::all_of(device.cores, [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == ','; }) ||
        !isPlain(device.note))
        return refused("cores are numbers such as 0-3,6, and a note is one line", "");
    return {};
}

Result<RunnerCommand> runnerCommand(const Device& device, const Target& target) {
    if (device.isLocal()) {
        LATHE_CHECKED(codegen::checkRunsHere(target));
        return RunnerCommand{};
    }
    LATHE_TRY(RunnerCommand command, runnerCommand(device, target.architecture));
    if (command.ssh)
        command.ssh->architecture = target.architecture;
    else if (device.cpu.empty())
        if (const std::string cpu = emulatedCpu(target); !cpu.empty())
            command.arguments.insert(command.arguments.begin(), {"-cpu", cpu});
    return command;
}

Result<RunnerCommand> runnerCommand(const Device& device, Architecture architecture) {
    if (device.isLocal())
        return RunnerCommand{};
    if (device.transport == Device::Transport::Ssh)
        return RunnerCommand{.ssh = SshRunner{.device = toString(device),
                                              .host = device.host,
                                              .folder = device.folder,
                                              .environment = device.environment,
                                              .cores = device.cores}};
    const std::string qemu = fmt::format("qemu-{}", codegen::nameOf(architecture));
    const fs::path program = findProgram(qemu);
    if (program.empty())
        return failure(ErrorKind::Usage, fmt::format("there is no {} on this machine", qemu), "install qemu-user");
    LATHE_TRY(const fs::path runner, staticRunner(architecture));
    RunnerCommand command{program, {}};
    if (!device.cpu.empty())
        command.arguments = {"-cpu", device.cpu};
    command.arguments.push_back(runner.string());
    return command;
}

Result<Target> targetOfArtifact(const fs::path& artifact) {
    std::array<char, sizeof(Elf64_Ehdr)> bytes{};
    Elf64_Ehdr header{};
    std::ifstream file(artifact, std::ios::binary);
    if (!file.read(bytes.data(), bytes.size()))
        return failure(fmt::format("cannot read '{}'", artifact.string()));
    std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<char*>(&header));
    const std::pair<int, Architecture> architectures[] = {
        {EM_X86_64, Architecture::X86_64}, {EM_AARCH64, Architecture::AArch64}, {EM_RISCV, Architecture::RiscV64}};
    for (const auto& [number, architecture] : architectures)
        if (std::string_view(bytes.data(), SELFMAG) == ELFMAG && header.e_machine == number)
            return codegen::parseTarget(codegen::libraryTriple(architecture));
    return failure(fmt::format("'{}' is no artifact of a machine that Lathe makes code for", artifact.string()));
}

} // namespace lathe::device
