// SPDX-License-Identifier: Apache-2.0
//
// Schedules for what was not tuned itself, from what was tuned of kernels alike. Their answers are given again to the kernel
// at hand, the nearest candidate where one does not fit. Nobody has measured what comes out: it is a start for a study, and a
// compilation takes it only where that is asked for. By which rule records match, the first before the others:
//   other threads    the same workload, tuned for another number of threads; grain and order of loops as by default
//   fixed sizes      the same steps, where one computation has open sizes and the other has not
//   other epilogue   the same reductions of the same sizes, with other elementwise work around them
//   other sizes      the same computation but for its numbers, none of which is more than twice the other
// The third is MetaSchedule's anchor block; the last is what transfer-tuning does (Gibson & Cano, PACT 2022). All of them are
// for the same target, and strict numerics take strict ones alone.
#pragma once

#include "lower/schedule_kernel.h"
#include "records/file.h"
#include "tir/ir.h"

#include <optional>

namespace lathe::records {

class NearRecords {
public:
    /// What is fastest in the file, for schedules in this setting for this target.
    static Result<NearRecords> of(const File& file, const Setting& setting, const Target& target);

    struct Match {
        lower::ScheduleFrom rule;
        schedule::Answers answers; // by the names of the kernel at hand
        double ratio = 1;          // to the default, of what it comes from
    };
    /// The first is the nearest. Without those of the very workload in the very setting: these are no near ones.
    std::vector<Match> matchesOf(const tir::PrimFunc& computation) const;
    /// What the nearest match comes to for this kernel; nothing if there is none, or none that can be followed.
    std::optional<lower::RecordedSchedule> scheduleFor(const tir::PrimFuncPtr& computation) const;

private:
    /// What is compared of computations.
    struct Traits {
        std::string key, family;
        std::vector<int64_t> numbers; // of the text, in order
        bool isOpen = false;          // it has sizes that are not known
        std::string steps;            // blocks without indices and sizes
        std::string reductions;       // their blocks as they are
        std::vector<size_t> ordinals; // of these
    };
    struct Entry {
        Traits traits;
        bool sameThreads = false;
        double ratio = 1;
        schedule::Answers answers;
    };
    explicit NearRecords(Target target) : target_(std::move(target)) {}
    static Traits traitsOf(const tir::PrimFunc& computation, const Target& target);
    static std::optional<Match> match(const Traits& wanted, const Entry& entry);

    Target target_;
    std::vector<Entry> entries_;
};

} // namespace lathe::records
