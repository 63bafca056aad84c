// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/stack_trace.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <ranges>

namespace lathe::frontend::torch {
namespace {

constexpr size_t mostFrames = 32, longestText = 300, longestPath = 4096;

std::string_view trimmed(std::string_view text) {
    const size_t begin = std::min(text.find_first_not_of(" \t\r"), text.size());
    const size_t end = text.find_last_not_of(" \t\r");
    return end == std::string_view::npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

/// Of `File "net.py", line 13, in forward`.
std::optional<model::SourceLine> frameOf(std::string_view text) {
    constexpr std::string_view file = "File \"", line = "\", line ", in = ", in ";
    if (!text.starts_with(file))
        return std::nullopt;
    text.remove_prefix(file.size());
    const size_t end = text.rfind(line); // a file may be called anything
    if (end == std::string_view::npos || end > longestPath)
        return std::nullopt;
    model::SourceLine frame;
    frame.file = text.substr(0, end);
    text.remove_prefix(end + line.size());
    const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), frame.line);
    if (failed != std::errc() || frame.line < 1)
        return std::nullopt;
    text.remove_prefix(static_cast<size_t>(rest - text.data()));
    if (text.starts_with(in))
        frame.function = trimmed(text.substr(in.size())).substr(0, longestText);
    return frame;
}

/// Of an installed PyTorch, not of a folder of the author's that is called so.
bool isOfPytorch(const model::SourceLine& frame) {
    return frame.file.contains("site-packages/torch/") || frame.file.contains("dist-packages/torch/") ||
           frame.file.starts_with("<eval_with_key>");
}

} // namespace

std::vector<model::SourceLine> readStackTrace(std::string_view text) {
    std::vector<model::SourceLine> frames;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (auto frame = frameOf(line)) {
            if (frames.size() == mostFrames)
                frames.erase(frames.begin());
            frames.push_back(*std::move(frame));
        } else if (!frames.empty() && frames.back().text.empty()) { // what marks a part of it stands on the next line
            frames.back().text = line.substr(0, longestText);
        }
    }
    std::vector<model::SourceLine> lines, ofPytorch;
    for (model::SourceLine& frame : frames | std::views::reverse)
        (isOfPytorch(frame) ? ofPytorch : lines).push_back(std::move(frame));
    std::ranges::move(ofPytorch, std::back_inserter(lines));
    return lines;
}

} // namespace lathe::frontend::torch
