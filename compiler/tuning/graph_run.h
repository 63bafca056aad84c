// SPDX-License-Identifier: Apache-2.0
//
// What a compilation chose in the graph, and what that takes: the figures that choosing by costs goes by.
//
// A site is a node of the model at which there is a choice: how its operator is computed, how the result or the weights are
// stored. An option is what can be chosen there, as the decisions that make it so. A kernel call is that of the site whose operator
// it computes. What only follows (a pooling in the blocks that a convolution wrote, the relayout behind it) is charged to the
// site whose result it works on: it would be another call, or none, under another option there.
#pragma once

#include "driver/decisions.h"
#include "inspect/profile.h"

#include <set>

namespace lathe::tuning {

struct SiteOption {
    std::vector<driver::VariantDecision> variants;
    std::vector<driver::LayoutDecision> layouts;
    bool operator==(const SiteOption&) const = default;
};
/// For people: "winograd4", "direct, blocks 16".
std::string toString(const SiteOption& option);

/// Milliseconds of one run.
struct Taken {
    double ms = 0;
    double spread = 0; // between the means of the fastest and of the slowest round
    Taken& operator+=(const Taken& other) {
        ms += other.ms;
        spread += other.spread;
        return *this;
    }
};
/// By so much two times may differ that are the same: about twice the standard deviation of a difference of means over five
/// rounds, which is a quarter of the sum of their ranges.
inline double noiseOf(const Taken& a, const Taken& b) {
    return (a.spread + b.spread) / 4;
}

struct SiteRun {
    SiteOption option;
    Taken taken;
    std::string stored;          // how the result lies in memory: its type
    double bytes = 0;            // of the result; 0: of an open size
    std::set<std::string> reads; // sites whose results it reads, straight or through what follows them
};

struct GraphRun {
    std::map<std::string, SiteRun> sites;   // by the node's name
    driver::FusionRecord fusion;            // which functions there are
    std::map<std::string, Taken> functions; // by name
    double ms = 0;                          // of all calls
};

/// The choices of a compilation.
struct GraphChoices {
    std::vector<driver::VariantRecord> variants;
    std::vector<driver::LayoutRecord> layouts;
};
/// What was chosen at each site.
std::map<std::string, SiteOption> optionsOf(const GraphChoices& choices);

/// Sites, whose they are and what they read, from the Trace; times from a profile of the same compilation. `scale` is what the
/// times are multiplied by.
GraphRun graphRunOf(const driver::Trace& trace, const inspect::Profile& profile, double scale = 1);

/// Compiles a model under decisions. A Failure is of those, or of the machine.
class GraphBench {
public:
    virtual ~GraphBench() = default;
    /// What is chosen, without code.
    virtual Result<GraphChoices> look(const driver::Decisions& decisions) = 0;
    /// The same, run. Times of all compilations can be compared: it fails where a call that ran has none.
    virtual Result<GraphRun> measure(const driver::Decisions& decisions) = 0;
};

} // namespace lathe::tuning
