// SPDX-License-Identifier: Apache-2.0
//
// The forms in which the model is part of a program: its static library, to be linked with the runtime into a program of one's
// own, or a program that is linked here and needs nothing but a kernel.
#include "codegen/link.h"
#include "deploy/planner.h"
#include "deploy/temporary_folder.h"
#include "deploy/texts.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

constexpr const char* programFolder = "lib/static"; // of a runtime package

} // namespace

Result<void> Planner::link() {
    const RuntimePackage& package = packages_.front();
    const bool program = options_.form == BundleForm::Program;
    for (const char* part : codegen::programParts)
        if (const std::string file = fmt::format("{}/{}", programFolder, part);
            program && !std::ranges::binary_search(package.files, file))
            return failure(fmt::format("the runtime for {} lacks {}", package.triple, file),
                           "build it anew: ./dev build release runtimes");
    const std::string library = fmt::format("lib{}.a", options_.name);
    LATHE_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    driver::Options options = options_.compile;
    options.target = options_.targets.front();
    LATHE_TRY(const auto trace, compileTo(folder.path() / library, options, options_.decisions, "library", 0.9, 0.95));
    ManifestVariant& variant = manifest_.variants.front();
    fs::path made = folder.path() / library;
    if (program) {
        LATHE_TRY(const std::vector<std::byte> linked,
                  codegen::linkProgram(package.folder / programFolder, made, codegen::linkedSymbol(options_.name)));
        auto file = std::make_shared<MemoryFile>("lathe-program");
        LATHE_CHECKED(file->append(linked));
        made = file->path();
        bundle_.held.push_back(std::move(file));
        variant.path = "bin/" + options_.name;
    } else {
        LATHE_TRY(made, hold(made));
        variant.path = "lib/" + library;
    }
    addCopy(variant.path, FileKind::Artifact, made, program);
    return {};
}

std::string Planner::linkCommand() const {
    return fmt::format("{} -o {}",
                       fmt::join(codegen::programArguments(programFolder, fmt::format("lib{}.a", options_.name),
                                                           codegen::linkedSymbol(options_.name)),
                                 " "),
                       options_.name);
}

void Planner::addLinkedTexts(const Words& known) {
    if (options_.form == BundleForm::Program) {
        use_ = fmt::format(
            "\n## Is it whole, and right here?\n\n    bin/{0} --check\n\n## Use it\n\n    bin/{0} --input NAME=in.npy "
            "--output NAME=out.npy\n\nwith NumPy files; `bin/{0}` alone says what goes in, `--help` the rest. It is "
            "one "
            "static program and needs no\nlibrary and no other file.\n\n## How it was linked\n\n    {1}\n\n"
            "`lib/static` is that of Lathe's runtime package for {2}; `lib{0}.a` is what\n`lathe bundle --form "
            "static` makes of the same options.\n",
            options_.name, linkCommand(), packages_.front().triple);
        return;
    }
    const RuntimePackage& package = packages_.front();
    for (const std::string& file : package.files)
        if (file.starts_with("include/lathe/") && (has(Part::Cpp) || !file.ends_with(".hpp")))
            addCopy(file, FileKind::Header, package.folder / file);
        else if (file == "lib/liblathe_rt.a" || file == "lib/liblathe_rt_nothreads.a")
            addCopy(file, FileKind::Runtime, package.folder / file);
    Words words = known;
    words["LOAD"] = options_.name + "_open(";
    words["LINK"] = fmt::format("../lib/lib{}.a ../lib/liblathe_rt.a -lstdc++ -lpthread -ldl -lm", options_.name);
    const size_t outputs = cases_.empty() ? 0 : cases_.front().golden.outputs.size();
    add("include/lathe/" + options_.name + ".h", FileKind::Header, headerOf(manifest_, interface_, outputs));
    const bool examples = has(Part::Examples) && !cases_.empty();
    if (examples) {
        for (const char* file : {"npy.h", "golden.h", "main.c"})
            add(fmt::format("examples/{}", file), FileKind::Example, filled(file, words));
        add("examples/Makefile", FileKind::Example, filled("static.mk", words));
    }
    use_ = fmt::format(
        "\n## Is it whole, and right here?\n\n    sha256sum -c SHA256SUMS\n{0}\n## Use it\n\nA program "
        "includes `lathe/{1}.h` (folder `include`), opens the model by `{1}_open`, and is linked by\n\n    "
        "cc … lib/lib{1}.a lib/liblathe_rt.a -lstdc++ -lpthread -ldl -lm\n\nSeveral models' libraries go into "
        "one program: each has one symbol, `{2}`.\n`lib/liblathe_rt_nothreads.a` serves instead where there "
        "are no threads.\n",
        examples ? "    make -C examples run\n" : "", options_.name, codegen::linkedSymbol(options_.name));
}

} // namespace lathe::deploy
