// SPDX-License-Identifier: Apache-2.0
//
// What is recorded, as values: what was computed, the studies, how far each came with each of its tasks, and every trial.
// They name each other by names that are the same in every file, so that files can be joined: a study by an id that was drawn
// when it began, a workload by its hashes.
#pragma once

#include "base/named.h"
#include "base/result.h"
#include "base/target.h"
#include "tune/task.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lathe::tuning {
struct StudyDevice;
}

namespace lathe::records {

using tune::InPlace;

/// What schedules were measured for, beside the workload, and are good for again.
struct Setting {
    std::string machine; // its class: the processor and what a compiler sees of it
    int threads = 1;
    std::string numerics;
    bool operator==(const Setting&) const = default;
};

/// This machine's. threads 0: all.
Setting settingHere(int threads, std::string_view numerics);
/// A device's: a compiler sees of it what it was told, the target.
Setting settingOn(const tuning::StudyDevice& device, const Target& target, int threads, std::string_view numerics);

struct Workload {
    std::string key;    // lower/workload.h
    std::string family; // the hash of the text with its numbers taken away: tasks of other sizes that are alike
    std::string target; // as parseTarget reads it
    std::string kernel; // a name that it had
    std::string text;   // lower::workloadText
    double flops = 0, bytes = 0; // of one call
    bool operator==(const Workload&) const = default;
};

/// As the functions of compiler/lower name it.
Workload workloadOf(const tir::PrimFunc& computation, const Target& target);

enum class StudyState : uint8_t {
    Running, // or killed
    Ended,
    Failed, // it ended by a problem, or was aborted
};
const char* toString(StudyState state); // "running", "ended", "failed"

struct Study {
    std::string id; // 32 hexadecimal digits
    std::string name, model;
    std::string modelHash; // of the model's file
    Setting setting;
    std::string search;  // textOfSearch
    std::string program; // the version of Lathe
    int64_t started = 0; // seconds since 1970
    StudyState state = StudyState::Running;
    bool operator==(const Study&) const = default;
};

/// How a study looks: "evolution in sketch"; in the template space "evolution" alone; with the sizes that the model's open
/// kernels are to be fast at "evolution in template --sizes n=64,7".
std::string textOfSearch(std::string_view search, std::string_view space, std::string_view sizes);
/// The space that such a text says, with its sizes: what times can be compared in.
std::string spaceOf(std::string_view search);
/// The sizes alone, "n=64,7"; empty: none.
std::string sizesOf(std::string_view search);

struct Task {
    std::string study, workload; // by id and key
    double calls = 1, seconds = 0;
    bool operator==(const Task&) const = default;
};

struct Trial {
    std::string study, workload; // its task
    int64_t number = 0;          // in the order of the task
    std::string program;         // 32 hexadecimal digits
    std::string answers;         // {"b0.rows":[6]}
    std::string trace;           // as schedule::print gives it
    tune::Made made = tune::Made::Default;
    std::string parent; // program; empty: none
    int round = 0;
    tune::Verdict verdict = tune::Verdict::Measured;
    std::string message;
    double us = 0;
    tune::Interval ratio;
    bool accepted = false;
    double seconds = 0;              // into the study
    double prior = 0;                // microseconds by the estimate; 0: not known
    std::optional<double> predicted; // by the model
    InPlace inPlace = InPlace::Unknown;
};

/// Of a task's trials, which are in order, those since it began: where the default has become another one a study that goes on
/// begins the task anew, and ratios are to that default from there.
std::span<const Trial> sinceItBegan(std::span<const Trial> rows);

/// What a study says of a trial in its end.
struct HeldTrial {
    std::string study, workload, program;
    InPlace inPlace = InPlace::Unknown;
};

/// What a study chose in the graph, where the whole model was faster with it.
struct StudyGraph {
    std::string study;
    /// Choices that it began with, and that it came to: {"variants":[…],"layouts":[…],"apart":[…]}, as Decisions have them.
    std::string given, found;
    std::string workloadsBefore, workloads; // of the model's kernels under them: ["HASH-HASH"]
    double schedulesMs = 0, wholeMs = 0;    // of the model, by turns: with schedules alone, and with these
    bool operator==(const StudyGraph&) const = default;
};

/// How good an opinion on the candidates of a batch was.
struct Round {
    std::string study, workload; // its task
    int number = 0;              // the first is 1
    std::string of;              // "prior", "model"; "random": the model on what was drawn, of all batches so far
    bool asked = false;          // it has chosen the batch
    tune::Quality quality;
};
std::vector<Round> rowsOf(const tune::Judgement& judgement, const std::string& study, const std::string& workload,
                          int number);
/// Of a task's rows, in the order of the rounds.
std::vector<tune::Judgement> judgementsOf(const std::vector<Round>& rows);

/// What a cost model is kept under: what its rows are made of, the class of machine, one thread or several.
std::string modelKey(const Setting& setting);

Trial rowOf(const tune::Trial& trial, std::string study, std::string workload, int64_t number);
/// Whether a measurement can have given its figures: times above 0 and finite, an interval the right way round; and only what
/// was accepted is held against the model. No file of records is believed.
bool isPossible(const Trial& row);
/// Its candidate has no questions, and no trace. What came of it in the model is left behind: a study says that of its own
/// model, anew. Fails where a text is none of these, or a figure cannot be.
Result<tune::Trial> trialOf(const Trial& row);

std::string textOf(const schedule::Answers& answers);
Result<schedule::Answers> parseAnswers(std::string_view text);
/// 32 hexadecimal digits.
std::optional<Hash128> parseHash(std::string_view text);

} // namespace lathe::records
