// SPDX-License-Identifier: Apache-2.0
#include "tuning/build_worker.h"

#include "base/parent_stream.h"
#include "tir/text.h"
#include "tuning/build_protocol.h"
#include "tuning/kernel_maker.h"

#include <csignal>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

namespace lathe::tuning {
namespace {

/// The limits of a process of which nothing else is known: those that were there stay the most.
void setLimit([[maybe_unused]] __rlimit_resource_t resource, [[maybe_unused]] rlim_t most) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0)
        return;
    limit.rlim_cur = std::min(most, limit.rlim_max);
    setrlimit(resource, &limit);
}

/// Counts from now on.
void limitCpu(int64_t seconds) {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const int64_t spent = used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1; // whole seconds, and parts of some
    setLimit(RLIMIT_CPU, static_cast<rlim_t>(spent + seconds));
}

/// Sanitizers reserve more than any limit: they go without.
void limitMemory([[maybe_unused]] int64_t bytes) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return;
#endif
#endif
    if (bytes > 0)
        setLimit(RLIMIT_DATA, static_cast<rlim_t>(bytes));
}

/// The task that is at hand.
struct Task {
    driver::Options options;
    tir::PrimFuncPtr computation;
    BuildSetting setting;
};

Result<Task> taskOf(const BuildSetting& setting) {
    Task task;
    LATHE_TRY(task.options, driver::parseOptions(setting.options));
    LATHE_TRY(task.computation, tir::parsePrimFunc(setting.computation));
    task.setting = setting;
    return task;
}

std::string answerTo(const std::string& message, Task& task) {
    const auto request = decodeRequest(message);
    if (!request)
        return encodeRefused("the request is malformed");
    if (request->setting) {
        auto next = taskOf(*request->setting);
        if (!next)
            return encodeRefused(next.error().what);
        task = std::move(*next);
        limitMemory(task.setting.bytes);
    }
    if (!task.computation)
        return encodeRefused("the request has no computation");
    schedule::ScheduleTrace trace;
    if (request->trace) {
        auto parsed = schedule::parseTrace(*request->trace);
        if (!parsed)
            return encodeRefused(parsed.error().what);
        trace = std::move(*parsed);
    }
    limitCpu(task.setting.cpuSeconds);
    const MadeKernel built =
        makeKernel(task.computation, request->name, request->trace ? &trace : nullptr, task.options);
    return built.kernel ? encodeBuilt(*built.kernel, task.setting.sizes) : encodeRefused(built.message);
}

} // namespace

int serveBuilds() {
    const ParentStream parent;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) // what ends a study may reach its children as well; it decides
        std::signal(signal, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    setLimit(RLIMIT_CORE, 0);
    std::set_new_handler([] { _exit(exitLacksMemory); });
    if (!parent.write(builderHello))
        return 1;
    Task task;
    for (std::string message; parent.read(message);)
        if (!parent.write(answerTo(message, task)))
            return 1;
    return 0;
}

} // namespace lathe::tuning
