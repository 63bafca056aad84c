// SPDX-License-Identifier: Apache-2.0
//
// Records as text, a JSON object a line: a header, then workloads, studies, what these chose in the graph, tasks, trials and
// rounds, each of which names those that stand before it. Joining two files of records is reading the lines of one into the other; in whatever order files are
// joined, and however often, the same comes out.
//   {"lathe_records":2,"program":"0.1.0"}
//   {"workload":"HASH-HASH","kernel":"fused_matmul","target":"x86_64-…","text":"…","flops":1e6,"bytes":1e4}
//   {"study":"ID","name":"…","model":"…","model_hash":"…","machine":"…","threads":2,"numerics":"default","search":"…",
//    "program":"0.1.0","started":1760000000,"state":"ended"}
//   {"graph":"ID","given":{},"found":{"variants":[…]},"workloads_before":["HASH-HASH"],"workloads":["HASH-HASH"],"ms":[2.5,2.1]}
//   {"task":["ID","HASH-HASH"],"calls":2,"seconds":9.5}
//   {"trial":["ID","HASH-HASH"],"number":3,"program":"HASH","answers":{…},"trace":"…","made":"changed","parent":"HASH",
//    "round":1,"verdict":"measured","message":"","us":10.5,"ratio":[0.9,0.91,0.92],"accepted":true,
//    "seconds":4.5,"prior_us":11,"predicted":0.7,"in_place":"kept"}     these four may be missing
//   {"round":["ID","HASH-HASH"],"number":1,"of":"prior","asked":true,"count":16,"spearman":0.5,"pairs":0.8,
//    "pairs_told":90,"recall1":0,"recall5":0.4,"recall16":1,"peak5":0.97}
// An earlier Lathe skips lines of graphs. In lines of format 1 "in_place" is said of tasks: it is what came of the fastest of the task's trials.
// What cost models have learned is not among them: it can be learned again.
// A line from outside is believed as little as a trace is: numbers that no measurement gives, texts that are none of what
// they should be, and workloads whose text is not that of their hash are skipped.
#pragma once

#include "records/file.h"

#include <iosfwd>
#include <string>

namespace lathe::records {

/// All of the file's lines, each to `take`.
Result<void> exportLines(const File& file, const std::function<void(const std::string&)>& take);

/// What is worth handing on: of each workload and setting the fastest schedule, if it takes at most 1 - leastGain of the
/// default's time by the upper end of its interval. Models are named without folders.
Result<void> exportBest(const File& file, double leastGain, const std::function<void(const std::string&)>& take);

struct Imported {
    int64_t lines = 0;   // that were taken
    int64_t skipped = 0; // that were not
    std::string first;   // why the first of these was not: "line 7: …"
};
/// Fails if there is no header of a format that is known, or nothing can be written.
Result<Imported> importLines(std::istream& lines, File& file);

/// What `other` holds and `file` does not.
Result<Imported> merge(const File& other, File& file);

} // namespace lathe::records
