// SPDX-License-Identifier: Apache-2.0
//
// manifest.json: what a bundle says of itself, a contract with whoever reads it (schema lathe-bundle/1). Fields may be added
// to the schema; a reader takes what it knows and refuses another major version by a sentence. What varies from one export to
// the next (times, folders, machines) does not stand in it.
//
// It is read as a hostile text: sizes, types, hashes, names and paths are checked before anybody acts on them.
#pragma once

#include "data/limits.h"
#include "driver/extensions.h"
#include "driver/options.h"
#include "model/host_tensor.h"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lathe::deploy {

inline constexpr std::string_view manifestSchema = "lathe-bundle/1";

/// What a bundle is for: a folder that works as it lies there; one static program; a static library with its header, for a
/// program of one's own; or C source for any compiler.
enum class BundleForm { Folder, Program, Library, CSource };
std::string_view toString(BundleForm form); // "folder", "exe", "static", "c"
/// ErrorKind::Usage for another text.
Result<BundleForm> parseForm(std::string_view text);
inline constexpr BundleForm allForms[] = {BundleForm::Folder, BundleForm::Program, BundleForm::Library,
                                          BundleForm::CSource};
/// Whether it runs as it lies there; others are for a compiler first.
constexpr bool isRunnable(BundleForm form) {
    return form == BundleForm::Folder || form == BundleForm::Program;
}
/// Whether it may be for several targets.
constexpr bool hasVariants(BundleForm form) {
    return form == BundleForm::Folder;
}

/// The machine of what is no machine's code.
inline constexpr std::string_view anyMachine = "any";

/// A dim: a number, the name of a symbol, or nothing where only a run tells.
using ManifestDim = std::variant<std::monostate, int64_t, std::string>;
std::string toString(const ManifestDim& dim); // "3", "batch", "?"

struct ManifestValue {
    std::string name; // any bytes that are UTF-8
    std::string dtype;
    std::vector<ManifestDim> dims;
};

/// The sizes that a symbol may have; no maximum: any.
struct SymbolRange {
    int64_t least = 1;
    std::optional<int64_t> most;
    int64_t usual = 1; // what examples and golden cases use
    bool operator==(const SymbolRange&) const = default;
};
using SymbolRanges = std::map<std::string, SymbolRange>;

/// What a machine must have for one artifact.
struct ManifestVariant {
    std::string path;    // of the artifact in the bundle
    std::string tag;     // "x86-64-v3"
    std::string triple;  // of its runtime: "x86_64-linux-gnu"
    std::string machine; // "x86_64", as uname -m says it; or anyMachine
    std::string target;  // all of it, as codegen::parseTarget reads it
    std::string cpu;
    std::vector<std::string> isa; // extensions that the CPU must have, by LLVM's names
    int64_t vectorBits = 0;       // that its registers must have, where their length is the CPU's own; 0: any
    int64_t maxPageSize = 0;      // bytes of the largest pages that it can be loaded with; 0: not said
    std::string glibc,
        glibcxx; // the oldest versions that the shared runtime runs with; empty: none is needed, or not said
};

struct ManifestFile {
    std::string path;
    uint64_t bytes = 0;
    std::string sha256;
    std::string kind;
};

struct ManifestCase {
    std::string name;   // of its folder below golden/
    std::string source; // dataSetSource, "strict"
};
inline constexpr const char* dataSetSource = "data set"; // expected values that came with the model

/// When an output is right: |got - expected| <= max(absolute, ofRange · max|expected|), elements that are no floats equal.
struct CaseTolerance {
    double absolute = 1e-6, ofRange = 1e-3;
    bool operator==(const CaseTolerance&) const = default;
};

using data::Limits;

inline constexpr int64_t latestTime = 253402300799; // of a bundle: the end of the year 9999, in seconds since 1970

struct Manifest {
    BundleForm form = BundleForm::Folder;
    std::string bundleId; // sha256 of the lines of SHA256SUMS but those of manifest.json
    std::string name, version;
    int64_t created = 0; // seconds since 1970: SOURCE_DATE_EPOCH, or the model file's time
    std::string latheVersion, llvmVersion;
    std::vector<driver::PluginId> plugins; // that it was compiled with, by id; none in most bundles
    int64_t abiVersion = 0;
    driver::NumericsLevel numerics = driver::NumericsLevel::Default;
    struct Model {
        std::string file, format, sha256, producer, licence;
        std::vector<std::pair<std::string, int64_t>> versions; // opset imports
        struct Data {
            std::string file, sha256;
        };
        std::vector<Data> externalData; // beside it, or of a folder all files in it
        std::string signature;          // by which the model calls the graph that was compiled; empty: it has no names
    } model;
    std::vector<ManifestVariant> variants; // best first
    std::vector<ManifestValue> inputs, outputs;
    std::vector<ManifestValue> states; // what is kept from one run to the next
    SymbolRanges symbols;
    std::string peakBytes;                 // an expression over the symbols; empty: only a run tells
    std::optional<int64_t> usualPeakBytes; // its value at the usual sizes
    std::vector<ManifestCase> golden;
    CaseTolerance tolerance;
    Limits limits;
    std::vector<ManifestFile> files; // all but manifest.json and SHA256SUMS, by path
};

/// "2026-11-27T12:00:00Z"
std::string createdText(const Manifest& manifest);
/// With sorted keys, two blanks of indentation and a line break at the end.
std::string toJson(const Manifest& manifest);
/// Fails with a Diagnostic that says which field is wrong, and how.
Result<Manifest> parseManifest(std::string_view text);

} // namespace lathe::deploy
