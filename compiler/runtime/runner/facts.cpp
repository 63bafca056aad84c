// SPDX-License-Identifier: Apache-2.0
#include "runtime/runner/facts.h"

#include "abi/isa.h"
#include "runtime/lathe_rt.h"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <string_view>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace lathe::runtime::runner {
namespace {

constexpr size_t longest = size_t{16} << 20; // of a file that is read

std::string firstLine(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// What stands behind "KEY:" in a file of such lines.
std::string valueIn(const char* path, std::string_view key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const size_t colon = line.find(':');
        if (colon == std::string::npos || !line.starts_with(key) || line.find_first_not_of(" \t", key.size()) != colon)
            continue;
        const size_t begin = line.find_first_not_of(" \t", colon + 1);
        return begin == std::string::npos ? "" : line.substr(begin);
    }
    return "";
}

template <class Table>
void addSupported(const Table& table, std::string& names) {
    for (const auto& isa : table)
        if (lathe_cpu_supports(isa.name))
            names += (names.empty() ? "" : " ") + std::string(isa.name);
}

/// From MemTotal and the like, which count in units of 1024 bytes.
std::string memoryOf(std::string_view key) {
    const std::string text = valueIn("/proc/meminfo", key);
    return text.empty() ? "" : std::to_string(std::strtoull(text.c_str(), nullptr, 10) * 1024);
}

/// This program has its own libc in it: that of the machine says in its own file which it is.
std::string libc(const std::string& machine) {
    constexpr std::string_view mark = "stable release version ";
    for (const std::string& path :
         {"/lib/" + machine + "-linux-gnu/libc.so.6", std::string("/lib64/libc.so.6"), std::string("/lib/libc.so.6"),
          "/usr/lib/" + machine + "-linux-gnu/libc.so.6", std::string("/usr/lib/libc.so.6")}) {
        std::ifstream file(path, std::ios::binary);
        std::string text;
        for (char piece[1 << 16]; text.size() < longest && (file.read(piece, sizeof piece), file.gcount() > 0);)
            text.append(piece, static_cast<size_t>(file.gcount()));
        const size_t at = text.find(mark);
        if (at != std::string::npos)
            return "glibc " + text.substr(at + mark.size(),
                                          text.find_first_not_of("0123456789.", at + mark.size()) - at - mark.size());
    }
    return "none";
}

std::string withoutEnd(std::string text, char end) {
    while (text.ends_with(end))
        text.pop_back();
    return text;
}

/// Of control groups of version 2: "QUOTA PERIOD", or "max PERIOD".
std::string cpuQuota() {
    const std::string line = firstLine("/sys/fs/cgroup/cpu.max");
    unsigned long long quota = 0, period = 0;
    if (std::sscanf(line.c_str(), "%llu %llu", &quota, &period) != 2 || period == 0)
        return "";
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", static_cast<double>(quota) / static_cast<double>(period));
    return text;
}

} // namespace

std::vector<std::pair<std::string, std::string>> facts(const std::string& folder) {
    std::vector<std::pair<std::string, std::string>> all;
    const auto add = [&](const char* name, std::string value) {
        if (!value.empty())
            all.emplace_back(name, std::move(value));
    };
    utsname system{};
    uname(&system);
    add("machine", system.machine);
    add("kernel", std::string(system.sysname) + " " + system.release);
    std::string cpu = valueIn("/proc/cpuinfo", "model name");
    if (cpu.empty())
        cpu = valueIn("/proc/cpuinfo", "Model");
    if (cpu.empty())
        cpu = firstLine("/proc/device-tree/model");
    add("cpu", std::move(cpu));
    std::string isa;
    addSupported(abi::x86Isa, isa);
    addSupported(abi::armIsa, isa);
    addSupported(abi::riscvIsa, isa);
    add("isa", std::move(isa));
    add("vector_bits", std::to_string(lathe_cpu_vector_bits()));
    add("page_size", std::to_string(sysconf(_SC_PAGESIZE)));
    cpu_set_t cpus{};
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        add("cores", std::to_string(CPU_COUNT(&cpus)));
    add("cpu_quota", cpuQuota());
    add("memory", memoryOf("MemTotal"));
    add("memory_available", memoryOf("MemAvailable"));
    add("libc", libc(system.machine));
    struct statvfs disk{};
    if (!folder.empty() && statvfs(folder.c_str(), &disk) == 0) {
        add("folder", folder);
        add("disk_free", std::to_string(uint64_t{disk.f_bavail} * disk.f_frsize));
        add("noexec", disk.f_flag & ST_NOEXEC ? "yes" : "no");
    }
    add("governor", firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
    for (auto& [name, value] : all)
        value = withoutEnd(std::move(value), '\0');
    return all;
}

} // namespace lathe::runtime::runner
