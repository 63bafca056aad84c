// SPDX-License-Identifier: Apache-2.0
//
// Whether a bundle is what it was when it was made, and computes here what it should: the self-check that a device makes
// (data/self_check.h), with artifacts that run in a child, and with what only a desk has, a key and the whole manifest.
#pragma once

#include "data/self_check.h"
#include "deploy/manifest.h"
#include "deploy/temporary_folder.h"
#include "device/device.h"
#include "driver/trace.h"

#include <filesystem>
#include <optional>

namespace lathe::deploy {

/// A bundle on disk: a folder, or an archive that is unpacked into a folder of its own while this lives.
class OpenBundle {
public:
    /// Reads the manifest. Fails with a Diagnostic that names the file.
    static Result<OpenBundle> open(const std::filesystem::path& path, const driver::Progress& progress = {});

    const std::filesystem::path& folder() const { return folder_; }
    const Manifest& manifest() const { return manifest_; }

private:
    OpenBundle() = default;

    std::filesystem::path folder_;
    TemporaryFolder unpacked_; // of an archive
    Manifest manifest_;
};

/// Every file against manifest and SHA256SUMS: one Diagnostic for each that is missing, changed, no plain file, or there
/// without being listed or allowed. Empty: the bundle is whole.
std::vector<Diagnostic> verifyFiles(const OpenBundle& bundle, data::Beside allowed,
                                    const driver::Progress& progress = {});
/// Where the manifest says something else than SHA256SUMS and the files, which are those of the list. Files are named by their
/// paths in the bundle.
std::vector<Diagnostic> manifestProblems(const OpenBundle& bundle, const std::vector<data::ListedFile>& listed);

struct CheckStep {
    std::string name; // "signature", or one of the self-check's: "files", "load", "random-0" …, "time", "limits"
    bool good = true;
    std::string text; // what was found
};

/// What was seen of one artifact of a bundle.
struct VariantCheck {
    using Outcome = data::ArtifactCheck::Outcome;

    std::string tag; // ManifestVariant::tag
    Outcome outcome = Outcome::NotRun;
    std::string why = {}; // it was not run, or is wrong
};

struct BundleCheck {
    bool good = true;
    std::string variant;                // that ran, the first of those that can: it is the one that is taken there
    std::vector<VariantCheck> variants; // all, in the order of the manifest; none: it did not come so far
    std::vector<CheckStep> steps;
    std::vector<Diagnostic> problems;
    // Of the variant that ran:
    double loadMs = 0, firstMs = 0, p50Ms = 0, p90Ms = 0, p99Ms = 0;
    int threads = 0; // that these runs had; 0: nothing ran
    int64_t residentBytes = 0;
    /// Golden cases that were run and found right in at least one finite number; none: nothing says that it computes what it
    /// should.
    int cases = 0;
    int unknown = 0;    // golden cases that were run, and say nothing of values
    double ofRange = 0; // largest difference of all cases, as a share of the expected range
};

struct CheckWish {
    int repeat = 50;                   // timed runs at most; 0: the first alone
    int threads = 0;                   // 0: all
    std::optional<Limits> limits = {}; // instead of the manifest's
    /// One of them must have signed it (deploy/signature.h), and nothing else may lie there; empty: any.
    std::filesystem::path keys = {};
    device::Device device = {};                         // an emulator keeps no limits of time
    std::function<void(const std::string&)> noted = {}; // what it waits for: somebody else measures on the device
};

/// `told` gets each step as it is done. Fails itself, with kind Cancelled, only if that is wished, or for a fault of Lathe.
Result<BundleCheck> checkBundle(const OpenBundle& bundle, const CheckWish& wish,
                                const std::function<void(const CheckStep&)>& told,
                                const driver::Progress& progress = {});

/// Fails (kind Usage) if a bundle of a form cannot be run there.
Result<void> mayRun(BundleForm form, const device::Device& device);

/// "p99=15ms,resident=200MB,size=30MB,load=100ms,p50=…": kind Usage for another text.
Result<Limits> parseLimits(std::string_view text);

/// "n=1..64:8", "n=1..64", "n=8" (usual; from 1 on): a symbol and its sizes.
Result<std::pair<std::string, SymbolRange>> parseSymbol(std::string_view text);

} // namespace lathe::deploy
