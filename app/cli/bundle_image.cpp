// SPDX-License-Identifier: Apache-2.0
//
// `lathe bundle image`: bundles of programs as one container image.
#include "app/cli/bundle_steps.h"
#include "app/cli/interrupts.h"
#include "app/cli/print_line.h"
#include "base/json.h"
#include "deploy/check_bundle.h"
#include "deploy/image.h"

#include <fmt/format.h>

namespace lathe::cli {

int makeImage(const BundleArgs& args, const Common& common) {
    if (args.out.empty())
        return report({error(ErrorKind::Usage, "-o is needed", "lathe bundle image BUNDLE… -o NAME.tar")}, common);
    if (const auto other = keepsFiles(args.out, args.bundles, {}); !other)
        return reported(other.error(), common);
    const Interrupts interrupts;
    const driver::Progress progress{.report = {}, .cancelled = Interrupts::asked};
    std::vector<deploy::OpenBundle> bundles;
    for (const std::string& path : args.bundles) {
        auto bundle = deploy::OpenBundle::open(path, progress);
        if (!bundle)
            return reported(bundle.error(), common);
        bundles.push_back(std::move(*bundle));
    }
    if (const auto written = deploy::writeImage(bundles, args.out, args.force, progress); !written)
        return reported(inFile(written.error(), args.out), common);
    const deploy::Manifest& first = bundles.front().manifest();
    std::vector<std::string> machines;
    for (const deploy::OpenBundle& bundle : bundles)
        machines.push_back(bundle.manifest().variants.front().machine);
    const uint64_t bytes = std::filesystem::file_size(args.out);
    if (common.json)
        fmt::print("{}\n", dump({{"image", args.out}, {"name", first.name}, {"machines", machines}, {"bytes", bytes}}));
    else if (!common.quiet)
        printLine("{}: {} {} for {}, {:.1f} MB", args.out, first.name, first.version, fmt::join(machines, ", "),
                  static_cast<double>(bytes) / 1e6);
    return 0;
}

} // namespace lathe::cli
