// SPDX-License-Identifier: Apache-2.0
//
// README.md of a bundle: for somebody who has nothing else.
#include "base/printable.h"
#include "deploy/model_interface.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::deploy {
namespace {

/// In a table of Markdown: what would end a cell, or begin an element of HTML, is escaped.
std::string cell(std::string_view text) {
    std::string escaped;
    for (const char c : printable(text)) {
        if (std::string_view("\\`*_{}[]<>()#|!").find(c) != std::string_view::npos)
            escaped += '\\';
        escaped += c;
    }
    return escaped;
}

void table(std::string& text, std::string_view title, const std::vector<ManifestValue>& values) {
    text += fmt::format("\n| {} | type | size |\n|---|---|---|\n", title);
    for (const ManifestValue& value : values) {
        std::vector<std::string> dims;
        for (const ManifestDim& dim : value.dims)
            dims.push_back(cell(toString(dim)));
        text += fmt::format("| {} | {} | {} |\n", cell(value.name), value.dtype, fmt::join(dims, " × "));
    }
}

/// Who keeps to the sizes that symbols have; the runtime does not know of them.
std::string_view outsideTheSizes(BundleForm form) {
    switch (form) {
    case BundleForm::Folder:
        return "\nThe Python module refuses other sizes. From C and C++ they run, with the memory that they take: a "
               "limit to "
               "that\nis `memory_limit` of a context.\n";
    case BundleForm::Library:
        return "\nOther sizes run as well, with the memory that they take: a limit to that is `memory_limit` of a "
               "context.\n";
    default:
        return "\nOther sizes run as well, with the memory that they take.\n";
    }
}

std::string_view keptStates(BundleForm form) {
    return form == BundleForm::Program
               ? "\nStates are what the model keeps from one run to the next; each call of the program is a first "
                 "run.\n"
               : "\nStates are what a context keeps from one run to the next: `lathe_reset_states` (C), `resetStates` "
                 "(C++) or\n`reset_states` (Python) begins anew, `lathe_get_state` and `lathe_set_state` read and "
                 "replace one.\n";
}

} // namespace

std::string readmeOf(const Manifest& manifest, std::string_view use) {
    std::vector<std::string> tags, machines;
    for (const ManifestVariant& variant : manifest.variants) {
        tags.push_back(variant.tag);
        if (std::ranges::find(machines, variant.machine) == machines.end())
            machines.push_back(variant.machine);
    }
    std::string text = fmt::format("# {} {}\n\n", manifest.name, manifest.version);
    if (manifest.form == BundleForm::CSource)
        text += "A trained model as C source, for any compiler for C99.\n";
    else if (manifest.form == BundleForm::Library)
        text += fmt::format("A compiled model for Linux on {} ({}), to be part of a program.\n",
                            fmt::join(machines, ", "), fmt::join(tags, ", "));
    else
        text += fmt::format("A compiled model for Linux on {} ({}), with all that it needs to run. Nothing has to be "
                            "installed.\n",
                            fmt::join(machines, ", "), fmt::join(tags, ", "));
    text += use;
    text += "\n## What goes in and comes out\n";
    table(text, "input", manifest.inputs);
    table(text, "output", manifest.outputs);
    if (!manifest.states.empty()) {
        table(text, "state", manifest.states);
        text += keptStates(manifest.form);
    }
    for (const auto& [name, range] : manifest.symbols)
        text += fmt::format("\n{} is a size from {} {}; the golden cases have {}.\n", cell(name), range.least,
                            range.most ? fmt::format("to {}", *range.most) : std::string("on"), range.usual);
    if (!manifest.symbols.empty())
        text += outsideTheSizes(manifest.form);
    if (manifest.usualPeakBytes)
        text +=
            fmt::format("\nA run {}needs {} bytes of memory beside the model, its inputs and outputs.\n",
                        manifest.symbols.empty() ? "" : "at the sizes of the golden cases ", *manifest.usualPeakBytes);
    const std::string& signature = manifest.model.signature;
    text += fmt::format("\n## Where it comes from\n\nMade by Lathe {} of `{}` (SHA-256 {}){}. The model's licence: {}. "
                        "`manifest.json` has all of it.\n",
                        manifest.latheVersion, cell(manifest.model.file), manifest.model.sha256,
                        signature.empty() ? "" : fmt::format(", signature `{}`", cell(signature)),
                        manifest.model.licence == "NOASSERTION" ? "not stated" : manifest.model.licence);
    return text;
}

} // namespace lathe::deploy
