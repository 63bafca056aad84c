// SPDX-License-Identifier: Apache-2.0
//
// `lathe devices`: names for --device, and what a device is and can run.
#include "app/cli/commands.h"
#include "app/cli/common_options.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "base/json.h"
#include "base/printable.h"
#include "codegen/lacking.h"
#include "device/device_list.h"
#include "device/runner_client.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <sstream>

namespace lathe::cli {
namespace {

using device::Device;
using Facts = std::map<std::string, std::string, std::less<>>;

/// Machines that are often compiled for, of all kinds.
constexpr const char* usualTargets[] = {"x86-64-v2",  "x86-64-v3",   "x86-64-v4",   "cortex-a53", "cortex-a72",
                                        "cortex-a76", "neoverse-n1", "neoverse-v1", "rv64gc",     "rv64gcv"};

std::string factOf(const Facts& facts, std::string_view name) {
    const auto found = facts.find(name);
    return found == facts.end() ? "" : found->second;
}

int64_t numberOf(const std::string& text) {
    int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

codegen::Required hasOf(const Facts& facts) {
    codegen::Required has{.isa = {}, .vectorBits = static_cast<int>(numberOf(factOf(facts, "vector_bits")))};
    std::istringstream words(factOf(facts, "isa"));
    has.isa.assign(std::istream_iterator<std::string>(words), {});
    return has;
}

struct Fit {
    std::string target, lacks; // empty: it runs there
};

std::vector<Fit> fitsOf(const Facts& facts) {
    const codegen::Required has = hasOf(facts);
    std::vector<Fit> fits;
    for (const char* name : usualTargets)
        if (const auto target = codegen::parseTarget(name);
            target && codegen::nameOf(target->architecture) == factOf(facts, "machine"))
            fits.push_back({name, fmt::format("{}", fmt::join(codegen::lacking(*target, has), ", "))});
    return fits;
}

/// The kind of machine that an emulator is asked as: the target's.
Result<Facts> ask(const Device& device, const Common& common) {
    LATHE_TRY(const Target target, codegen::parseTarget(common.target));
    LATHE_TRY(device::RunnerCommand command, device::runnerCommand(device, target.architecture));
    device::RunnerOptions options{.timeout = std::chrono::seconds(20)};
    device::useRunner(options, std::move(command));
    device::RunnerClient runner(std::move(options));
    LATHE_TRY(const auto all, runner.facts());
    Facts facts;
    for (const auto& [name, value] : all)
        facts[name] = printable(value);
    return facts;
}

std::string inMegabytes(const std::string& bytes) {
    return fmt::format("{:.0f} MB", static_cast<double>(numberOf(bytes)) / 1e6);
}

void print(const Device& device, const Facts& facts, const Common& common) {
    const std::vector<Fit> fits = fitsOf(facts);
    if (common.json) {
        nlohmann::json all{{"device", toString(device)}, {"facts", facts}};
        for (const Fit& fit : fits)
            all["targets"].push_back({{"target", fit.target}, {"runs", fit.lacks.empty()}, {"lacks", fit.lacks}});
        fmt::print("{}\n", dump(all));
        return;
    }
    const auto line = [](const char* name, const std::string& text) {
        if (!text.empty())
            printLine("{:10} {}", name, text);
    };
    line("machine", factOf(facts, "machine") + ", " + factOf(facts, "kernel"));
    line("cpu", factOf(facts, "cpu"));
    line("has", factOf(facts, "isa"));
    if (const std::string bits = factOf(facts, "vector_bits"); numberOf(bits) > 0)
        line("vectors", bits + " bits");
    const std::string quota = factOf(facts, "cpu_quota");
    line("cores", factOf(facts, "cores") + (quota.empty() ? "" : ", of which it may use " + quota));
    line("governor", factOf(facts, "governor"));
    line("memory",
         inMegabytes(factOf(facts, "memory")) + ", " + inMegabytes(factOf(facts, "memory_available")) + " of it free");
    line("pages", factOf(facts, "page_size") + " bytes");
    line("libc", factOf(facts, "libc"));
    if (const std::string folder = factOf(facts, "folder"); !folder.empty())
        line("folder",
             fmt::format("{}, {} free{}", folder, inMegabytes(factOf(facts, "disk_free")),
                         factOf(facts, "noexec") == "yes" ? "; mounted noexec: name another by --folder" : ""));
    for (const Fit& fit : fits)
        line("target",
             fmt::format("{:12} {}", fit.target, fit.lacks.empty() ? "runs here" : "does not: it lacks " + fit.lacks));
}

int list(const Common& common) {
    const auto devices = device::readDevices(device::devicesFile());
    if (!devices)
        return report({devices.error()}, common);
    for (const Device& device : *devices) {
        Device plain = device;
        plain.name.clear();
        if (common.json) {
            fmt::print("{}\n", dump({{"name", device.name},
                                     {"device", toString(plain)},
                                     {"folder", device.folder},
                                     {"environment", device.environment},
                                     {"cores", device.cores},
                                     {"note", device.note}}));
            continue;
        }
        std::string more;
        for (const auto& [what, text] : {std::pair{"folder", device.folder},
                                         {"cores", device.cores},
                                         {"with", fmt::format("{}", fmt::join(device.environment, " "))}})
            if (!text.empty())
                more += fmt::format("  {} {}", what, printable(text));
        printLine("{:16} {}{}{}", device.name, printable(toString(plain)), more,
                  device.note.empty() ? "" : "  (" + printable(device.note) + ")");
    }
    if (devices->empty() && !common.json && !common.quiet)
        printLine("no device has a name: lathe devices add NAME ssh:HOST");
    return 0;
}

int add(const DevicesArgs& args, const Common& common) {
    auto device = device::parseTransport(args.device);
    if (!device)
        return report({device.error()}, common);
    device->name = args.name;
    device->folder = args.folder;
    device->environment = args.environment;
    device->cores = args.cores;
    device->note = args.note;
    const auto known = device::readDevices(device::devicesFile());
    if (!known)
        return report({known.error()}, common);
    if (!args.force && std::ranges::find(*known, args.name, &Device::name) != known->end())
        return report({error(ErrorKind::Usage, fmt::format("a device is called '{}' already", args.name),
                             "lathe devices lists them; --force gives the name another meaning")},
                      common);
    const auto added = device::addDevice(device::devicesFile(), *device);
    return added ? 0 : report({added.error()}, common);
}

int remove(const DevicesArgs& args, const Common& common) {
    const auto removed = device::removeDevice(device::devicesFile(), args.name);
    if (!removed)
        return report({removed.error()}, common);
    return *removed ? 0
                    : report({error(ErrorKind::Usage, fmt::format("no device is called '{}'", args.name),
                                    "lathe devices lists them")},
                             common);
}

int test(const DevicesArgs& args, const Common& common) {
    const auto device = device::parseDevice(args.name);
    if (!device)
        return report({device.error()}, common);
    const auto facts = ask(*device, common);
    if (!facts) {
        const int code = report({facts.error()}, common);
        return code == 3 ? 3 : 1;
    }
    print(*device, *facts, common);
    return 0;
}

} // namespace

void addDevicesOptions(CLI::App& list, DevicesArgs& args, Common& common) {
    list.require_subcommand(0, 1);
    CLI::App* add = list.add_subcommand("add", "give one a name");
    CLI::App* remove = list.add_subcommand("remove", "forget a name");
    CLI::App* test = list.add_subcommand("test", "what it is, and what it can run (exit code 1 if it is not there)");
    for (const auto& [command, what] :
         {std::pair{add, DevicesArgs::Do::Add}, {remove, DevicesArgs::Do::Remove}, {test, DevicesArgs::Do::Test}}) {
        command->add_option("name", args.name, "its name")->required();
        command->callback([&args, what] { args.what = what; });
    }
    add->add_option("device", args.device, "local, qemu, qemu:CPU or ssh:HOST, as ssh takes it")->required();
    add->add_option("--folder", args.folder, "where files are put there while they are needed ($TMPDIR, or /tmp)");
    add->add_option("--env", args.environment, "NAME=VALUE for what runs there; may be given several times")
        ->allow_extra_args(false);
    add->add_option("--cores", args.cores, "those to use there, such as 0-3,6 (all)");
    add->add_option("--note", args.note, "for people");
    add->add_flag("--force", args.force, "give the name another meaning, if it has one");
    for (CLI::App* command : {&list, add, remove, test})
        addPrinting(*command, common);
}

int devicesCommand(const DevicesArgs& args, const Common& common) {
    switch (args.what) {
    case DevicesArgs::Do::Add:
        return add(args, common);
    case DevicesArgs::Do::Remove:
        return remove(args, common);
    case DevicesArgs::Do::Test:
        return test(args, common);
    case DevicesArgs::Do::List:
        break;
    }
    return list(common);
}

} // namespace lathe::cli
