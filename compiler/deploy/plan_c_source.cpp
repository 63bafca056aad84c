// SPDX-License-Identifier: Apache-2.0
//
// The form for compilers that only their owners have: C source with a Makefile that builds it and holds it against the golden
// cases. Nothing of it is compiled here.
#include "codegen/target.h"
#include "deploy/planner.h"
#include "deploy/temporary_folder.h"
#include "deploy/texts.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

/// How compare.c has to look at elements.
std::string_view kindOf(DataType dtype) {
    if (dtype.isFloat() && dtype.bits >= 16)
        return dtype.code == TypeCode::BFloat ? "bfloat" : "float";
    return "exact";
}

} // namespace

Result<void> Planner::writeSource() {
    if (options_.targets.size() > 1)
        return failure(ErrorKind::Usage, "C source is for any machine: it has no variants",
                       "name one --target at most");
    driver::Options source = options_.compile;
    if (options_.targets.empty()) {
        LATHE_TRY(source.target, codegen::parseTarget("x86-64-v2")); // vectors of 128 bits, caches of usual sizes
    } else {
        source.target = options_.targets.front();
    }
    options_.targets = {source.target}; // which the options in the bundle name
    source.target = codegen::cTarget(source.target);
    source.form = driver::Form::CSource;
    source.name = options_.name;
    LATHE_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    LATHE_TRY(trace_, compileTo(folder.path(), source, options_.decisions, "C source", 0.05, 0.65));

    ManifestVariant& variant = manifest_.variants.emplace_back();
    variant.path = fmt::format("source/{}.c", codegen::cIdentifier(options_.name));
    variant.tag = bundle_.plan.tag = "c";
    variant.machine = anyMachine;
    variant.target = toString(source.target);
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        LATHE_TRY(const fs::path held, hold(entry.path()));
        addCopy("source/" + entry.path().filename().string(), FileKind::Source, held);
    }
    return {};
}

std::string Planner::sourceCase(const MadeCase& made) const {
    const data::GoldenCase& golden = made.golden;
    const std::string id = codegen::cIdentifier(options_.name), in = "golden/" + golden.name,
                      out = "$(BUILD)/" + golden.name;
    std::string lines = fmt::format("\t@mkdir -p {}\n", out), call = "\t@$(PROGRAM)", results, compared;
    if (std::ranges::any_of(bundle_.plan.files,
                            [](const PlannedFile& file) { return file.path.ends_with(".weights"); }))
        call += fmt::format(" source/{}.weights", id);
    std::vector<int64_t> sizes(interface_.symbols.size());
    for (size_t i = 0; i < golden.inputs.size(); ++i) {
        const std::vector<int64_t>& dims = interface_.inputs[i].dims;
        for (size_t axis = 0; axis < dims.size(); ++axis)
            if (device::isSymbol(dims[axis]))
                sizes[static_cast<size_t>(-(dims[axis] + 1))] = golden.inputs[i].shape[axis];
        lines += fmt::format("\t@$(COMPARE) elements {0}/input_{1}.npy {2}/input_{1}\n", in, i, out);
    }
    for (const int64_t size : sizes)
        call += fmt::format(" {}", size);
    for (size_t i = 0; i < golden.inputs.size(); ++i)
        call += fmt::format(" {}/input_{}", out, i);
    for (size_t i = 0; i < interface_.outputs.size(); ++i) {
        call += fmt::format(" {}/output_{}", out, i);
        const DataType dtype = interface_.outputs[i].dtype;
        if (i < golden.outputs.size() && golden.compared[i])
            compared +=
                fmt::format("\t@$(COMPARE) {} {} {} {} {}/output_{} {}/output_{}.npy\n", kindOf(dtype), dtype.bytes(),
                            options_.tolerance.absolute, options_.tolerance.ofRange, out, i, in, i);
    }
    return lines + call + " >/dev/null\n" + compared +
           fmt::format("\t@echo '{}: {}'\n", golden.name, made.result.verdict("as expected"));
}

void Planner::addSourceTexts(const Words& words) {
    Words all = words;
    for (const PlannedFile& file : bundle_.plan.files)
        if (file.path.starts_with("source/") && file.path.ends_with(".c"))
            all["SOURCES"] += (all["SOURCES"].empty() ? "" : " ") + file.path;
    all["CASES"];
    all["COMPARING"] = cases_.empty() ? "" : " $(COMPARE)";
    for (const MadeCase& made : cases_)
        all["CASES"] += sourceCase(made);
    add("Makefile", FileKind::Build, filled("source.mk", all));
    if (!cases_.empty()) { // else nothing is compared, and the Makefile builds nothing for it
        add("golden/compare.c", FileKind::Check, filled("compare.c", words));
        add("golden/npy.h", FileKind::Check, filled("npy.h", words));
    }
    use_ = fmt::format(
        "\n## Is it whole, and right here?\n\n    make check\n\nbuilds `build/{0}` by `cc` (`make CC=… CFLAGS=…` "
        "for another) and runs the golden cases.\n\n## Use it\n\n`source/{1}.h` says how it is called: it "
        "needs libc and libm alone, one thread, and the memory\nthat the caller gives. "
        "`source/{1}_main.c` is a program that does so.\n",
        options_.name, codegen::cIdentifier(options_.name));
}

} // namespace lathe::deploy
