// SPDX-License-Identifier: Apache-2.0
//
// The self-check of an unpacked bundle: the one sequence of steps, whoever runs its artifacts. On the device that is the process
// itself (selfcheck/), on a desk a runner in a child, on this machine or another (deploy/check_bundle.h); both say the same
// sentences in the same order.
//
// Files are held against their hashes before any of them is loaded; then each artifact that can be run there computes the golden
// cases; the first, which is the best, is timed and held against the limits of the manifest. A failing step ends what depends
// on it, and nothing else.
#pragma once

#include "data/bundle_facts.h"
#include "data/golden_case.h"
#include "data/latency.h"

#include <functional>

namespace lathe::data {

struct LoadedArtifact {
    ValueTypes types;
    std::vector<std::string> outputs; // their names
    double ms = 0;
};

struct ArtifactRun {
    std::vector<model::HostTensor> outputs;
    int threads = 0; // that it had
    int64_t arenaPeak = 0;
};

struct ArtifactTimes {
    Latency latency;
    int threads = 0;
    int64_t residentBytes = 0; // at most, of the process that ran it
};

/// Where artifacts run.
class ArtifactRunner {
public:
    virtual ~ArtifactRunner() = default;
    /// The artifact at this path in the bundle, instead of the one before. ErrorKind::Unsupported: it is for another machine or
    /// CPU, and another artifact may be for this one.
    virtual Result<LoadedArtifact> load(const std::string& path) = 0;
    /// On so many threads (0: all).
    virtual Result<ArtifactRun> run(const std::vector<model::HostTensor>& inputs, int threads) = 0;
    /// A first run, in a context that no other run has warmed, then `runs` runs as far as latency.h has time for them.
    virtual Result<ArtifactTimes> time(const std::vector<model::HostTensor>& inputs, int threads, int runs) = 0;
    /// Whether the artifact can still be run after a failure. What crashes or hangs ends a process, and this check of it.
    virtual bool isAlive() const { return true; }
};

struct SelfCheckWish {
    std::filesystem::path bundle = ".";
    int threads = 0;                   // of the runs; 0: all
    int repeat = 50;                   // timed runs at most; 0: the first alone
    std::optional<Limits> limits = {}; // instead of the manifest's
    Beside beside = Beside::Used;      // what may lie in the bundle
    /// Told how many files of how many are done; what it throws ends the check.
    std::function<void(size_t done, size_t all)> progressed = {};
    /// What is wrong with the manifest besides, for who reads more of it.
    std::function<std::vector<Diagnostic>(const std::vector<ListedFile>&)> alsoOfManifest = {};
};

struct CheckedFiles {
    BundleFacts facts;
    uint64_t bytes = 0; // of all files
};
/// The steps "files" and "manifest". Nothing if one failed: whatever would follow from it says less.
std::optional<CheckedFiles> checkFiles(const SelfCheckWish& wish, StepReport& report);

/// What was seen of one artifact.
struct ArtifactCheck {
    enum class Outcome { NotRun, Loads, Right, Wrong };

    std::string path;
    Outcome outcome = Outcome::NotRun;
    std::string why = {}; // it was not run, or is wrong
};
/// "not run", "loads", "right", "wrong".
std::string_view toString(ArtifactCheck::Outcome outcome);

/// What the steps found, as far as they came.
struct SelfChecked {
    std::vector<ArtifactCheck> artifacts;
    // Of the first that could be loaded:
    std::string first; // its path; empty: there is none
    double loadMs = 0;
    std::optional<ArtifactTimes> times;
    int cases = 0;      // golden cases that are right in at least one finite number
    int unknown = 0;    // that ran, and say nothing of values
    double ofRange = 0; // largest difference of all cases and artifacts, as a share of the expected range
};
/// The steps "load", those that golden cases name, "time" and "limits".
SelfChecked checkArtifacts(const CheckedFiles& files, const SelfCheckWish& wish, ArtifactRunner& runner,
                           StepReport& report);

} // namespace lathe::data
