// SPDX-License-Identifier: Apache-2.0
#include "records/lines.h"

#include "base/json.h"
#include "base/version.h"
#include "records/row_lines.h"

#include <filesystem>
#include <fmt/format.h>
#include <istream>
#include <map>
#include <set>
#include <tuple>

namespace lathe::records {
namespace {

constexpr int linesFormat = 2;
constexpr size_t longestLine = size_t{16} << 20;
constexpr size_t linesABatch = 1000;

std::string header() {
    return dump({{"lathe_records", linesFormat}, {"program", base::version()}});
}

/// Takes lines and writes them, many at once.
class Importer {
public:
    explicit Importer(File& file) : file_(file) {}

    Result<void> take(const std::string& line) {
        ++line_;
        if (line_ == 1)
            return takeHeader(line);
        if (line.find_first_not_of(" \t\r") == std::string::npos)
            return {};
        auto row = line.size() <= longestLine ? parseRow(line) : failure("it is too long");
        if (row && std::visit([this](auto& each) { return take(each); }, *row))
            ++pending_;
        else
            skip(row ? "it names what no line before it is" : row.error().what);
        return pending_ < linesABatch ? Result<void>{} : flush();
    }

    Result<Imported> finish() {
        if (line_ == 0)
            LATHE_CHECKED(takeHeader({}));
        for (auto& [task, fastest] : fastest_)
            if (fastest.trial) {
                fastest.trial->inPlace = fastest.inPlace;
                batch_.trials.push_back(std::move(*fastest.trial));
            }
        LATHE_CHECKED(flush());
        return done_;
    }

private:
    using TaskName = std::pair<std::string, std::string>; // study and workload
    struct Fastest {
        InPlace inPlace = InPlace::Unknown;
        std::optional<Trial> trial; // of those until now
    };

    Result<void> takeHeader(const std::string& line) const {
        const auto value = line.size() <= longestLine ? parseJson(line) : std::nullopt;
        if (!value || !value->is_object() || !value->contains("lathe_records"))
            return failure("these are no lines of records", "lathe records export writes such");
        const auto format = integer<int>(value->at("lathe_records"));
        if (!format || *format < 1)
            return failure("the first line of the records says no format", "lathe records export writes such");
        if (*format > linesFormat)
            return failure(fmt::format("the records are of format {}, and this Lathe knows {}",
                                       dump(value->at("lathe_records")), linesFormat),
                           "import them with a newer Lathe");
        return {};
    }

    bool take(Workload& row) {
        workloads_.insert(row.key);
        batch_.workloads.push_back(std::move(row));
        return true;
    }
    bool take(Study& row) {
        studies_.insert(row.id);
        batch_.studies.push_back(std::move(row));
        return true;
    }
    bool take(StudyGraph& row) {
        if (!studies_.contains(row.study))
            return false;
        batch_.graphs.push_back(std::move(row));
        return true;
    }
    bool take(TaskLine& row) {
        if (!studies_.contains(row.task.study) || !workloads_.contains(row.task.workload))
            return false;
        TaskName name(row.task.study, row.task.workload);
        if (row.fastest != InPlace::Unknown)
            fastest_[name].inPlace = row.fastest;
        tasks_.insert(std::move(name));
        batch_.tasks.push_back(std::move(row.task));
        return true;
    }
    bool take(Trial& row) {
        const TaskName name(row.study, row.workload);
        if (!tasks_.contains(name))
            return false;
        if (const auto of = fastest_.find(name); of != fastest_.end() && row.accepted) {
            auto& [inPlace, fastest] = of->second;
            if (!fastest || std::tie(row.ratio.middle, row.program) < std::tie(fastest->ratio.middle, fastest->program))
                fastest = row;
        }
        batch_.trials.push_back(std::move(row));
        return true;
    }

    bool take(Round& row) {
        if (!tasks_.contains({row.study, row.workload}))
            return false;
        batch_.rounds.push_back(std::move(row));
        return true;
    }

    void skip(const std::string& why) {
        if (done_.skipped++ == 0)
            done_.first = fmt::format("line {}: {}", line_, why);
    }

    Result<void> flush() {
        LATHE_CHECKED(file_.write(batch_, Existing::Compared));
        done_.lines += static_cast<int64_t>(pending_);
        pending_ = 0;
        batch_ = {};
        return {};
    }

    File& file_;
    int64_t line_ = 0;
    size_t pending_ = 0;
    Batch batch_;
    Imported done_;
    std::set<std::string> workloads_, studies_; // of the lines so far
    std::set<TaskName> tasks_;
    std::map<TaskName, Fastest> fastest_; // of tasks whose lines say what came of it
};

} // namespace

Result<void> exportLines(const File& file, const std::function<void(const std::string&)>& take) {
    LATHE_TRY(const std::vector<Workload> workloads, file.workloads());
    LATHE_TRY(const std::vector<Study> studies, file.studies());
    LATHE_TRY(const std::vector<StudyGraph> graphs, file.graphs());
    LATHE_TRY(const std::vector<Task> tasks, file.tasks());
    take(header());
    const auto takeAll = [&](const auto& rows) {
        for (const auto& row : rows)
            take(lineOf(row));
    };
    takeAll(workloads);
    takeAll(studies);
    takeAll(graphs);
    takeAll(tasks);
    LATHE_CHECKED(file.eachTrial([&](const Trial& trial) { take(lineOf(trial)); }));
    LATHE_TRY(const std::vector<Round> rounds, file.rounds());
    takeAll(rounds);
    return {};
}

Result<void> exportBest(const File& file, double leastGain, const std::function<void(const std::string&)>& take) {
    LATHE_TRY(std::vector<Best> all, file.best());
    std::erase_if(all, [&](const Best& best) { return best.stale || best.trial.ratio.high > 1 - leastGain; });
    std::set<std::string> ofWorkloads, ofStudies;
    std::set<std::pair<std::string, std::string>> ofTasks;
    for (const Best& best : all) {
        ofWorkloads.insert(best.trial.workload);
        ofStudies.insert(best.trial.study);
        ofTasks.emplace(best.trial.study, best.trial.workload);
    }
    take(header());
    LATHE_TRY(const std::vector<Workload> workloads, file.workloads());
    for (const Workload& workload : workloads)
        if (ofWorkloads.contains(workload.key))
            take(lineOf(workload));
    LATHE_TRY(std::vector<Study> studies, file.studies());
    for (Study& study : studies)
        if (ofStudies.contains(study.id)) {
            study.model = std::filesystem::path(study.model).filename().string();
            take(lineOf(study));
        }
    LATHE_TRY(const std::vector<Task> tasks, file.tasks());
    for (const Task& task : tasks)
        if (ofTasks.contains({task.study, task.workload}))
            take(lineOf(task));
    for (const Best& best : all)
        take(lineOf(best.trial));
    return {};
}

Result<Imported> importLines(std::istream& lines, File& file) {
    Importer importer(file);
    for (std::string line; std::getline(lines, line);)
        LATHE_CHECKED(importer.take(line));
    return importer.finish();
}

Result<Imported> merge(const File& other, File& file) {
    if (!other.warnings().empty())
        return Failure(other.warnings().front());
    Importer importer(file);
    Result<void> taken;
    LATHE_CHECKED(exportLines(other, [&](const std::string& line) {
        if (taken)
            taken = importer.take(line);
    }));
    LATHE_CHECKED(taken);
    return importer.finish();
}

} // namespace lathe::records
