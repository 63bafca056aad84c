// SPDX-License-Identifier: Apache-2.0
#include "driver/device.h"

#include "codegen/target.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <elf.h>
#include <fmt/format.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace lathe::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view form = "use local, qemu or qemu:CPU (qemu-aarch64 -cpu help lists them)";

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

/// share/lathe/runtimes/TRIPLE beside the folder of this program.
fs::path runtimeFolder(Machine machine) {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "share" / "lathe" / "runtimes" /
           codegen::libraryTriple(machine);
}

/// What -cpu of qemu gets, so that it has all that the target needs and vectors of its length; empty: qemu's own choice, which
/// is all that it can.
std::string emulatedCpu(const Target& target) {
    if (target.machine == Machine::AArch64 && target.scalableBits > 0)
        return fmt::format("max,sve-default-vector-length={}", target.scalableBits / 8);
    if (target.machine == Machine::RiscV64) // whose extensions beyond RV64GC are off
        return fmt::format("rv64{}{}",
                           target.scalableBits > 0 ? fmt::format(",v=true,vext_spec=v1.0,vlen={}", target.scalableBits)
                                                   : "",
                           codegen::requiredOf(target).has("zfhmin") ? ",Zfh=true" : "");
    return "";
}

} // namespace

Result<Device> parseDevice(std::string_view text) {
    if (text == "local")
        return Device{};
    if (text == "qemu")
        return Device{Device::Transport::Qemu, ""};
    constexpr std::string_view qemu = "qemu:";
    if (text.starts_with(qemu) && text.size() > qemu.size())
        return Device{Device::Transport::Qemu, std::string(text.substr(qemu.size()))};
    return failure(ErrorKind::Usage, fmt::format("unknown device '{}'", text), std::string(form));
}

std::string toString(const Device& device) {
    if (device.isLocal())
        return "local";
    return device.cpu.empty() ? "qemu" : "qemu:" + device.cpu;
}

Result<RunnerCommand> runnerCommand(const Device& device, const Target& target) {
    if (device.isLocal()) {
        LATHE_CHECKED(codegen::checkRunsHere(target));
        return RunnerCommand{};
    }
    const std::string qemu = fmt::format("qemu-{}", codegen::nameOf(target.machine));
    const fs::path program = findProgram(qemu);
    if (program.empty())
        return failure(ErrorKind::Usage, fmt::format("there is no {} on this machine", qemu), "install qemu-user");
    const fs::path runner = runtimeFolder(target.machine) / "bin" / "lathe-runner";
    if (std::error_code ignored; !fs::exists(runner, ignored))
        return failure(ErrorKind::Usage,
                       fmt::format("there is no runtime for {} beside this program: {} is missing",
                                   codegen::libraryTriple(target.machine), runner.string()),
                       "install Lathe's runtimes, or build them: ./dev build release runtimes");
    RunnerCommand command{program, {}};
    if (const std::string cpu = device.cpu.empty() ? emulatedCpu(target) : device.cpu; !cpu.empty())
        command.arguments = {"-cpu", cpu};
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
    const std::pair<int, Machine> machines[] = {
        {EM_X86_64, Machine::X86_64}, {EM_AARCH64, Machine::AArch64}, {EM_RISCV, Machine::RiscV64}};
    for (const auto& [number, machine] : machines)
        if (std::string_view(bytes.data(), SELFMAG) == ELFMAG && header.e_machine == number)
            return codegen::parseTarget(codegen::libraryTriple(machine));
    return failure(fmt::format("'{}' is no artifact of a machine that Lathe makes code for", artifact.string()));
}

} // namespace lathe::driver
