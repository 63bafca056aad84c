// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/report.h"

#include "base/json.h"
#include "base/printable.h"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace lathe::selfcheck {
namespace {

// What a signal handler may look at: the line that it writes, made before it is needed.
struct Line {
    char text[512];
    size_t bytes = 0;
};
Line crashLine, hangLine;

void fill(Line& line, const std::string& text) {
    line.bytes = std::min(text.size(), sizeof line.text);
    std::memcpy(line.text, text.data(), line.bytes);
}

void end(const Line& line) {
    [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, line.text, line.bytes);
    _exit(1);
}

void onCrash(int) {
    end(crashLine);
}

void onHang(int) {
    end(hangLine);
}

std::string lineOf(bool json, const std::string& step, const char* verdict, const std::string& text,
                   nlohmann::json facts) {
    if (!json)
        return fmt::format("{}: {}{}\n", printable(step), std::strcmp(verdict, "failed") == 0 ? "FAILED: " : "",
                           printable(text));
    facts["step"] = step;
    facts["verdict"] = verdict;
    facts["text"] = text;
    return dump(facts) + "\n";
}

} // namespace

Report::Report(bool json, unsigned seconds) : json_(json), seconds_(seconds) {
    // On a stack of its own, for the code may have used up the other.
    static std::array<std::byte, 64 << 10> stack;
    const stack_t own{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
    sigaltstack(&own, nullptr);
    struct sigaction action{};
    action.sa_handler = onCrash;
    action.sa_flags = SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        sigaction(signal, &action, nullptr);
    std::signal(SIGALRM, onHang);
}

void Report::begin(const std::string& step) {
    step_ = step;
    fill(crashLine,
         lineOf(json_, step, "failed", "the code crashed: please report the model", nlohmann::json::object()));
    fill(hangLine,
         lineOf(json_, step, "failed", fmt::format("it has not ended in {} s; --timeout S allows more", seconds_),
                nlohmann::json::object()));
    alarm(seconds_);
}

void Report::say(const char* verdict, const std::string& text, const nlohmann::json& facts) const {
    const std::string line = lineOf(json_, step_, verdict, text, facts);
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

void Report::good(const std::string& text, const nlohmann::json& facts) {
    say("good", text, facts);
}

void Report::bad(const Diagnostic& problem) {
    allGood_ = false;
    nlohmann::json facts = nlohmann::json::object();
    if (!problem.file.empty())
        facts["file"] = problem.file;
    say("failed", data::sentenceOf(problem), facts);
}

void Report::note(const std::string& text) {
    say("skipped", printable(text), nlohmann::json::object());
}

} // namespace lathe::selfcheck
