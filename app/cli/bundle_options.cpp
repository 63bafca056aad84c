// SPDX-License-Identifier: Apache-2.0
//
// What `lathe bundle` and its inner commands take.
#include "app/cli/common_options.h"
#include "app/cli/validators.h"

#include <tuple>
#include <utility>

namespace lathe::cli {
namespace {

/// What is done with bundles that are there, with what making one has in common with them.
void addInnerCommands(CLI::App& make, BundleArgs& args, Common& common) {
    using Do = BundleArgs::Do;
    const auto add = [&](const char* name, Do what, const char* help, const char* of) {
        CLI::App* command = make.add_subcommand(name, help);
        command->callback([&args, what] { args.what = what; });
        CLI::Option* bundles = command->add_option("bundle", args.bundles, of)->required();
        addPrinting(*command, common);
        return std::pair(command, bundles);
    };
    constexpr const char* one = "a folder or an archive";
    const auto [check, checked] =
        add("check", Do::Check, "whether it is whole and right on this machine (exit code 1 if not)", one);
    const auto [info, shown] = add("info", Do::Info, "what it is, and what is in it", one);
    const auto [diff, compared] = add("diff", Do::Diff, "how two differ (exit code 1 if they do)", one);
    const auto [reproduce, made] =
        add("reproduce", Do::Reproduce, "make it again of its model, and compare (exit code 1 if it differs)",
            "a folder or an archive, and the model");
    const auto [image, packed] =
        add("image", Do::Image, "a container image of static programs (--form exe), one a machine", one);
    for (CLI::Option* bundle : {checked, shown})
        bundle->expected(1);
    for (CLI::Option* two : {compared, made})
        two->expected(2);
    packed->expected(1, -1);
    image->add_option("-o,--output", args.out, "the image: NAME.tar");
    image->add_flag("--force", args.force, "replace the file that is there");
    check->add_option("--verify-key", args.verifyKey, "public keys, one of which must have signed it");
    for (CLI::App* command : {&make, reproduce}) {
        command->add_option("--golden", args.golden,
                            "a folder with input_N.pb and output_N.pb, or with several test_data_set_N");
        command->add_option("--runtime-dir", args.runtimeDir, "where runtime packages lie, a folder a triple");
    }
    for (CLI::App* command : {&make, check})
        addDevice(*command, args.device);
    check->add_option("--repeat", args.repeat, "timed runs at most")->check(CLI::Range(0, 100000));
    addThreads(*check, common, "threads to run with (0: all)");
    for (CLI::App* command : {&make, check})
        command->add_option("--limit", args.limits,
                            "what a run may take: p50=, p99=, load=, resident=, size=; such as p99=15ms,size=30MB");
    addPlugins(*reproduce, common);
    addProgress(*reproduce, common);
}

} // namespace

void addBundleOptions(CLI::App& make, BundleArgs& args, Common& common) {
    make.require_subcommand(0, 1);
    make.add_option("model", args.model, "the model file");
    make.add_option("-o,--output", args.out, "a new folder, or an archive: NAME.tar.zst, NAME.zip");
    make.add_option("--name", args.name, "of the model, an identifier: a-z, 0-9 and _ (the file's)");
    make.add_option("--version", args.version, "of the model (0.1.0)");
    make.add_option("--model-license", args.licence, "an SPDX identifier such as Apache-2.0");
    make.add_option("--target", args.targets, std::string(targetText) + "; may be given several times, best first")
        ->allow_extra_args(false);
    oneOf(make.add_option("--form", args.form,
                          "folder; exe: one static program; static: a static library and its header; c: C source with "
                          "a Makefile, for any compiler"),
          "folder|exe|static|c")
        ->check(CLI::IsMember({"folder", "exe", "static", "c"}).description(""));
    for (auto& [name, parts, text] :
         {std::tuple{"--with", &args.with, "only these parts: c,cpp,python,examples,golden,sbom,reproduce"},
          std::tuple{"--without", &args.without, "all parts but these"}})
        make.add_option(name, *parts, text)->delimiter(',')->allow_extra_args(false);
    make.add_option("--symbol", args.symbols, "sizes of an open dim: NAME=LEAST..MOST:USUAL, such as n=1..64:8")
        ->allow_extra_args(false);
    make.add_option("--cases", args.cases, "golden cases at most (3)")->check(CLI::Range(0, 1000));
    make.add_option("--tolerance", args.tolerance,
                    "how far outputs may be off, as a share of their range; 0: not at all (0.001)")
        ->check(between(0, 1));
    make.add_option("--options", args.options, "a file of options, as reproduce/options.json of a bundle");
    make.add_option("--sign", args.sign, "a key of ssh-keygen, which signs SHA256SUMS");
    make.add_flag("--force", args.force, "replace the bundle that is there");
    make.add_flag("--dry-run", args.dryRun, "say what would be written, and how large it is");
    addInnerCommands(make, args, common);
    addCompiling(make, common);
    addProgress(make, common);
    addTuned(make, common);
}

} // namespace lathe::cli
