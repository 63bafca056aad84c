// SPDX-License-Identifier: Apache-2.0
//
// How many calls fill a sample is found by running: the number grows until a run takes long enough. With flushed caches
// each call is a run of its own, timed alone.
#include "runtime/runner/bench.h"

#include <algorithm>
#include <ctime>
#include <sys/resource.h>

namespace lathe::runtime::runner {
namespace {

constexpr int64_t mostCalls = 1 << 24;
constexpr int64_t mostColdCalls = 10'000;

int64_t timeOn(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Nanoseconds that this thread has had a CPU.
int64_t cpuNow() {
    return timeOn(CLOCK_THREAD_CPUTIME_ID);
}

int64_t switchesNow() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

class Bench {
public:
    Bench(lathe_model* model, lathe_context* context, const BenchPlan& plan)
        : context_(context), planInput_(lathe_model_input_count(model) - 1), plan_(plan),
          values_(2 + plan.sizes.size()), flushed_(plan.flushBytes) {
        values_[0] = plan.which;
        std::copy(plan.sizes.begin(), plan.sizes.end(), values_.begin() + 2);
    }

    lathe_status measure(BenchTimes& times) {
        int64_t ns = 0;
        if (plan_.warmUps > 0)
            if (const lathe_status bad = run(plan_.warmUps, ns))
                return bad;
        times.calls = plan_.calls > 0 ? std::min(plan_.calls, limit()) : 1;
        while (plan_.calls == 0 && times.calls < limit()) {
            const int64_t begin = now();
            if (const lathe_status bad = sample(times.calls, ns))
                return bad;
            const int64_t spent = now() - begin; // flushing included
            if (spent >= plan_.leastNs)
                break;
            // A tenth more than what seems to be needed; at least twice, since short runs say little.
            const double wanted =
                1.1 * static_cast<double>(plan_.leastNs) / static_cast<double>(std::max<int64_t>(spent, 1));
            times.calls = static_cast<int64_t>(
                std::min(static_cast<double>(limit()), static_cast<double>(times.calls) * std::max(2.0, wanted)));
        }
        for (uint32_t i = 0; i < plan_.samples; ++i) {
            const int64_t wall = now(), cpu = cpuNow(), switches = switchesNow();
            if (const lathe_status bad = sample(times.calls, ns))
                return bad;
            const auto own = static_cast<double>(cpuNow() - cpu), all = static_cast<double>(now() - wall);
            times.samples.push_back({static_cast<double>(ns) / static_cast<double>(times.calls),
                                     all > 0 ? std::clamp(1 - own / all, 0.0, 1.0) : 0, switchesNow() - switches});
        }
        return LATHE_OK;
    }

private:
    int64_t limit() const { return flushed_.empty() ? mostCalls : mostColdCalls; }

    lathe_status sample(int64_t calls, int64_t& ns) { return flushed_.empty() ? run(calls, ns) : runCold(calls, ns); }

    lathe_status runCold(int64_t calls, int64_t& ns) {
        ns = 0;
        for (int64_t i = 0; i < calls; ++i) {
            flush();
            int64_t one = 0;
            if (const lathe_status bad = run(1, one))
                return bad;
            ns += one;
        }
        return LATHE_OK;
    }

    lathe_status run(int64_t calls, int64_t& ns) {
        if (calls != values_[1]) {
            values_[1] = calls;
            auto count = static_cast<int64_t>(values_.size());
            DLTensor tensor{};
            tensor.data = values_.data();
            tensor.device = {kDLCPU, 0};
            tensor.ndim = 1;
            tensor.dtype = {kDLInt, 64, 1};
            tensor.shape = &count;
            if (const lathe_status bad = lathe_set_input(context_, planInput_, &tensor))
                return bad;
        }
        const int64_t begin = now();
        const lathe_status status = lathe_run(context_);
        ns = now() - begin;
        return status;
    }

    void flush() {
        ++round_;
        for (size_t i = 0; i < flushed_.size(); i += 64)
            static_cast<volatile uint8_t&>(flushed_[i]) = round_;
    }

    lathe_context* context_;
    int32_t planInput_;
    const BenchPlan& plan_;
    std::vector<int64_t> values_; // of the plan's input; 0 calls: not set yet
    std::vector<uint8_t> flushed_;
    uint8_t round_ = 0;
};

} // namespace

int64_t now() {
    return timeOn(CLOCK_MONOTONIC);
}

lathe_status bench(lathe_model* model, lathe_context* context, const BenchPlan& plan, BenchTimes& times) {
    return Bench(model, context, plan).measure(times);
}

} // namespace lathe::runtime::runner
