// SPDX-License-Identifier: Apache-2.0
//
// The file of records: an SQLite database. Writing is a transaction for each batch, in a log beside the file, so that whoever
// is killed on the way leaves all batches before; several programs may write, each waits for the others for some seconds.
// What is no such file, is damaged or of another format is a Diagnostic, and is left as it is. A file of a later format can be
// read as far as it is like this one.
#pragma once

#include "records/rows.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace lathe::records {

/// $LATHE_RECORDS, else $XDG_DATA_HOME/lathe/records.db, else ~/.local/share/lathe/records.db; empty if there is none of them.
std::filesystem::path defaultFile();

/// What is written at once.
struct Batch {
    std::vector<Workload> workloads;
    std::vector<Study> studies;
    std::vector<Task> tasks;
    std::vector<Trial> trials;
    std::vector<HeldTrial> held; // goes into the trials, which are there or in the batch
    std::vector<Round> rounds;
    std::vector<StudyGraph> graphs;                          // a study each
    std::vector<std::pair<std::string, std::string>> models; // by modelKey: what CostModel::save gave
};

/// What is there under a row's name already: it is replaced by one of now; of two from anywhere, one is taken whatever their
/// order, the one that knows more if that can be said.
enum class Existing { Replaced, Compared };

/// The fastest trial of a workload in a setting.
struct Best {
    Workload workload; // without its text
    Setting setting;
    Trial trial;
    bool stale = false; // its trace did not replay in this version of the program
};

struct Stats {
    int format = 0;
    int64_t bytes = 0, workloads = 0, studies = 0, tasks = 0, best = 0;
    std::vector<std::pair<std::string, int64_t>> trials; // by verdict
};

class File {
public:
    enum class Access { Read, Write }; // Write: makes it where there is none
    static Result<File> open(const std::filesystem::path& path, Access access);
    /// Empty, and gone with it; `name` stands in what is said of it.
    static Result<File> inMemory(const std::filesystem::path& name);
    File(File&&) noexcept;
    File& operator=(File&&) noexcept;
    ~File();

    const std::filesystem::path& path() const;
    /// That it is of a later format.
    const std::vector<Diagnostic>& warnings() const;

    /// All of it or nothing. Tasks, trials, rounds and graphs are left out whose study, workload or task is neither there nor in the batch.
    Result<void> write(const Batch& batch, Existing existing = Existing::Replaced);
    /// Of each task the default, what a test accepted, what failed, the `keep` fastest and a hundred others; gives how many trials
    /// went.
    Result<int64_t> prune(int64_t keep);

    /// Whether this version of the program can replay the trial's trace. Nothing happens where the trial is not there.
    Result<void> markStale(const Trial& trial, bool stale);
    /// Under other keys and texts, by those of now; what was under two that are one now is joined. All or nothing.
    Result<void> rename(const std::vector<std::pair<std::string, Workload>>& renamed);

    /// In an order that follows from what they are.
    Result<std::vector<Workload>> workloads() const;
    Result<std::vector<Study>> studies() const; // the newest first
    /// The newest with the model and the setting of this one, of its id and name if those are not empty. Of those that began in one
    /// second, the last that came into this file.
    Result<std::optional<Study>> newestLike(const Study& like) const;
    Result<std::vector<Task>> tasks() const;
    Result<void> eachTrial(const std::function<void(const Trial&)>& each) const; // by study, workload and number

    enum class Traces { Read, Leave }; // they are most of what there is
    Result<std::vector<Trial>> trialsOf(const std::string& study, const std::string& workload,
                                        Traces traces = Traces::Read) const;
    /// Fails if there is no such trial.
    Result<std::string> traceOf(const std::string& study, const std::string& workload,
                                const std::string& program) const;
    Result<std::vector<Round>> rounds() const; // by study, workload and number
    Result<std::vector<Round>> roundsOf(const std::string& study, const std::string& workload) const;
    Result<std::vector<StudyGraph>> graphs() const; // by study
    Result<std::optional<StudyGraph>> graphOf(const std::string& study) const;
    /// What a cost model has learned; nothing if none is kept under this key.
    Result<std::optional<std::string>> model(const std::string& key) const;
    /// All, or those of the setting.
    Result<std::vector<Best>> best(const Setting* setting = nullptr) const;
    /// Answers that were accepted for the workload or its family on this target with these numerics: first those of the very
    /// setting, then of the workload in others, then by how much the work differs.
    Result<std::vector<std::string>> seedsFor(const Workload& workload, const Setting& setting, int most) const;
    Result<Stats> stats() const;
    /// What SQLite finds wrong with the file; empty: nothing.
    Result<std::vector<std::string>> problems() const;

private:
    struct State;
    explicit File(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace lathe::records
