// SPDX-License-Identifier: Apache-2.0
//
// The loops of peak_loops.inc, compiled for each instruction set that changes what they can do; the widest one that this
// machine has is measured. All threads do a round at the same time, the slowest of them ends it, and the best round counts.
// Rounds come in repetitions, so that what else the machine does for a moment disturbs some of them only.
#include "inspect/machine_peaks.h"

#include "base/guarded.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/new_file.h"
#include "driver/kernel_cache.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <stdint.h>
#include <sys/mman.h>
#include <thread>

namespace lathe::inspect {
namespace {

struct Loops {
    void (*multiplyAdds)();
    double flops; // that it does
    void (*read)(const void* from, int64_t bytes);
};

// Not every loop of the file is of use here.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"
#define LATHE_PEAK_TABLE                                                                                               \
    const Loops loops{peakMultiplyAdds, peakFlops, [](const void* from, int64_t bytes) {                               \
                          peakRead(static_cast<const Vector*>(from), bytes / vectorBytes);                             \
                      }};

namespace any {
#include "inspect/peak_loops.inc"
LATHE_PEAK_TABLE
} // namespace any

#if defined(__x86_64__)
#undef LATHE_PEAK_VECTOR
#define LATHE_PEAK_VECTOR 32
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
namespace avx2 {
#include "inspect/peak_loops.inc"
LATHE_PEAK_TABLE
} // namespace avx2
#pragma clang attribute pop

#undef LATHE_PEAK_VECTOR
#define LATHE_PEAK_VECTOR 64
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
namespace avx512 {
#include "inspect/peak_loops.inc"
LATHE_PEAK_TABLE
} // namespace avx512
#pragma clang attribute pop
#endif
#pragma clang diagnostic pop

const Loops& loopsOfThisMachine() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return avx512::loops;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return avx2::loops;
#endif
    return any::loops;
}

constexpr const char* keptName = "measured_peaks.json";
constexpr const char* balanceName = "balance"; // in that file; no name of a CPU with its threads
constexpr int rounds = 6;
/// When nothing is known, and when something is kept already.
constexpr int repetitions = 6, laterRepetitions = 1;
constexpr std::chrono::milliseconds betweenRepetitions{20};
/// Of all threads together, so that it lies in no cache; of one thread, so that a round takes longer than starting it.
constexpr int64_t readBytes = int64_t{128} << 20, leastBytes = int64_t{8} << 20, hugePage = int64_t{2} << 20;

/// Seconds of the best round of `pass` on all threads; `prepare` comes before the first.
double bestRound(int threads, const std::function<void(int)>& prepare, const std::function<void(int)>& pass) {
    using Clock = std::chrono::steady_clock;
    std::barrier together(threads);
    double best = std::numeric_limits<double>::max();
    const auto work = [&](int thread) {
        prepare(thread);
        for (int round = 0; round < rounds; ++round) {
            together.arrive_and_wait();
            const auto begin = Clock::now();
            pass(thread);
            together.arrive_and_wait();
            if (thread == 0)
                best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
        }
    };
    std::vector<std::jthread> others;
    try {
        for (int thread = 1; thread < threads; ++thread)
            others.emplace_back(work, thread);
    } catch (...) { // those that there are would wait for the others
        for (int thread = static_cast<int>(others.size()) + 1; thread < threads; ++thread)
            together.arrive_and_drop();
        together.arrive_and_drop();
        throw;
    }
    work(0);
    return best;
}

/// Raises the peak to what is reached now.
void measure(int threads, int times, Peak& peak, const std::function<bool()>& cancelled) {
    const Loops& loops = loopsOfThisMachine();
    const int64_t bytes = std::max(leastBytes, readBytes / threads / hugePage * hugePage);
    const auto size = static_cast<size_t>(bytes);
    const auto release = [size](void* memory) { munmap(memory, size); };
    std::vector<std::unique_ptr<void, decltype(release)>> memory;
    for (int thread = 0; thread < threads; ++thread) {
        void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED)
            throw std::bad_alloc();
        madvise(mapped, size, MADV_HUGEPAGE); // as the runtime does
        memory.emplace_back(mapped, release);
    }
    const auto touch = [&](int thread) { // by the thread that reads it, so that it lies near
        auto* first = static_cast<unsigned char*>(memory[static_cast<size_t>(thread)].get());
        std::fill(first, first + size, static_cast<unsigned char>(1));
    };
    const auto read = [&](int thread) { loops.read(memory[static_cast<size_t>(thread)].get(), bytes); };
    for (int time = 0; time < times; ++time) {
        if (cancelled && cancelled())
            throw Cancelled();
        if (time > 0)
            std::this_thread::sleep_for(betweenRepetitions);
        const double computed = bestRound(threads, [](int) {}, [&](int) { loops.multiplyAdds(); });
        peak.gflops = std::max(peak.gflops, threads * loops.flops / computed / 1e9);
        const double moved = bestRound(threads, touch, read);
        peak.gbs = std::max(peak.gbs, static_cast<double>(threads * bytes) / moved / 1e9);
    }
}

nlohmann::json toJson(const Peak& peak) {
    return {{"gflops", peak.gflops}, {"gbs", peak.gbs}};
}

std::optional<Peak> peakOf(const nlohmann::json& entry, const char* name) {
    const auto found = entry.find(name);
    if (found == entry.end() || !found->is_object())
        return std::nullopt;
    const auto number = [&](const char* key) {
        const auto at = found->find(key);
        return at != found->end() && at->is_number() ? at->get<double>() : 0.0;
    };
    const Peak peak{number("gflops"), number("gbs")};
    return peak.gflops > 0 && peak.gbs > 0 ? std::optional(peak) : std::nullopt;
}

/// {"instance": "…", "balance": {"CPU": 0.5}, "CPU, 4 threads": {"one": {"gflops": 117.2, "gbs": 31.1}, "all": {…}}}; an empty object if there is no such file.
nlohmann::json readKept(const std::filesystem::path& file) {
    std::ifstream stream(file);
    const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    std::optional<nlohmann::json> kept = parseJson(text);
    return kept && kept->is_object() ? *std::move(kept) : nlohmann::json::object();
}

void writeKept(const std::filesystem::path& path, const nlohmann::json& kept) {
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    const std::string text = dump(kept) + "\n";
    NewFile file(path, NewFile::Kind::Text);
    if (file.write(std::as_bytes(std::span(text))))
        file.keep();
}

} // namespace

std::string cpuName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (const size_t colon = line.find(": "); colon != std::string::npos && line.starts_with("model name"))
            return line.substr(colon + 2);
    return "this machine";
}

std::string machineInstance(bool keep) {
    const std::filesystem::path folder = keep ? driver::cacheFolder() : std::filesystem::path();
    if (folder.empty())
        return {};
    const std::filesystem::path path = folder / keptName;
    nlohmann::json kept = readKept(path);
    const auto isId = [](const nlohmann::json& value) {
        return value.is_string() && value.get_ref<const std::string&>().size() == 32 &&
               value.get_ref<const std::string&>().find_first_not_of("0123456789abcdef") == std::string::npos;
    };
    if (const auto found = kept.find("instance"); found != kept.end() && isId(*found))
        return *found;
    std::random_device random;
    Hash128 id;
    for (uint64_t* half : {&id.high, &id.low})
        *half = (uint64_t{random()} << 32) | random();
    kept["instance"] = toString(id);
    writeKept(path, kept);
    const nlohmann::json written = readKept(path); // or it could not be
    return written.contains("instance") ? toString(id) : std::string();
}

void keepBalance(const MachinePeaks& peaks) {
    const std::filesystem::path folder = driver::cacheFolder();
    if (folder.empty() || peaks.one.gflops <= 0)
        return;
    nlohmann::json kept = readKept(folder / keptName);
    const double balance = std::exp2(std::round(2 * std::log2(peaks.one.gbs / (peaks.one.gflops / 2))) / 2);
    kept[balanceName] = {{peaks.cpu, balance}};
    writeKept(folder / keptName, kept);
}

std::optional<double> measuredBalance(std::string_view target) {
    const std::filesystem::path folder = target == "native" ? driver::cacheFolder() : std::filesystem::path();
    if (folder.empty())
        return std::nullopt;
    const nlohmann::json kept = readKept(folder / keptName);
    const auto balance = kept.find(balanceName);
    if (balance == kept.end() || !balance->is_object())
        return std::nullopt;
    const auto own = balance->find(cpuName());
    if (own == balance->end() || !own->is_number() || !(own->get<double>() > 0))
        return std::nullopt;
    return own->get<double>();
}

MachinePeaks machinePeaks(int threads, bool keep, const std::function<bool()>& cancelled) {
    MachinePeaks peaks;
    peaks.cpu = cpuName();
    const int hardware = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    peaks.threads = threads > 0 ? std::min(threads, hardware) : hardware; // more of them do no more
    const std::filesystem::path folder = keep ? driver::cacheFolder() : std::filesystem::path();
    const std::filesystem::path path = folder / keptName;
    const std::string key = fmt::format("{}, {} threads", peaks.cpu, peaks.threads);
    nlohmann::json kept = folder.empty() ? nlohmann::json::object() : readKept(path);
    bool known = false;
    if (const auto entry = kept.find(key); entry != kept.end() && entry->is_object()) {
        const std::optional<Peak> one = peakOf(*entry, "one"), all = peakOf(*entry, "all");
        known = one && all;
        if (known) {
            peaks.one = *one;
            peaks.all = *all;
        }
    }
    const int times = known ? laterRepetitions : repetitions;
    measure(1, times, peaks.one, cancelled);
    if (peaks.threads > 1)
        measure(peaks.threads, times, peaks.all, cancelled);
    if (peaks.threads == 1)
        peaks.all = peaks.one;
    if (!folder.empty()) {
        kept = readKept(path); // others may have written meanwhile
        kept[key] = {{"one", toJson(peaks.one)}, {"all", toJson(peaks.all)}};
        writeKept(path, kept);
    }
    return peaks;
}

} // namespace lathe::inspect
