// SPDX-License-Identifier: Apache-2.0
#include "app/cli/records_study.h"

#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "base/json.h"
#include "records/study_graph.h"

#include <fmt/format.h>

namespace lathe::cli {
namespace {

/// The one whose id begins so, or that has this name.
Result<records::Study> studyNamed(const records::File& file, const std::string& name) {
    LATHE_TRY(const std::vector<records::Study> all, file.studies());
    std::vector<const records::Study*> found;
    for (const records::Study& study : all)
        if (study.id.starts_with(name) || study.name == name)
            found.push_back(&study);
    if (found.size() != 1)
        return failure(ErrorKind::Usage,
                       fmt::format("{} recorded studies are called '{}', or have an id that begins so",
                                   found.empty() ? "no" : "several", name),
                       "lathe records stats lists them");
    return *found.front();
}

void printChoices(const driver::Decisions& decisions) {
    for (const driver::VariantDecision& each : decisions.variants)
        printLine("{:8} variant {}  {}", each.of.op, each.variant, driver::display(each.of));
    for (const driver::LayoutDecision& each : decisions.layouts)
        printLine("{:8} {} {}  {}", each.of.op, driver::toString(each.part), each.width, driver::display(each.of));
    for (const driver::ApartDecision& each : decisions.apart)
        printLine("{:8} not fused with {} {}  {}", each.producer.op, each.consumer.op, driver::display(each.consumer),
                  driver::display(each.producer));
}

} // namespace

Result<void> showStudy(const records::File& file, const RecordsArgs& args, const Common& common) {
    LATHE_CHECKED(keepsFiles(args.out, {}, args.records));
    LATHE_TRY(const records::Study study, studyNamed(file, args.study));
    LATHE_TRY(const records::StudyFound found, records::foundBy(file, study.id));
    const std::string decisions = driver::toJson(found.decisions);
    if (common.json) {
        nlohmann::json line{{"study", study.id},
                            {"name", study.name},
                            {"model", study.model},
                            {"decisions", parseJson(decisions).value()}};
        if (found.graph)
            line["ms"] = {found.graph->schedulesMs, found.graph->wholeMs};
        fmt::print("{}\n", dump(line));
    } else {
        printLine("{}  {}  {}", study.id, study.name, study.model);
        printChoices(found.decisions);
        if (found.graph)
            printLine("the model with these takes {:.3f} ms, {:.3f} with schedules alone", found.graph->wholeMs,
                      found.graph->schedulesMs);
        printLine("{} schedules that the model kept", found.decisions.kernels.size());
    }
    return args.out.empty() ? Result<void>() : writeText(args.out, decisions);
}

} // namespace lathe::cli
