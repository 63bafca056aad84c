// SPDX-License-Identifier: Apache-2.0
//
// What several sections use: headings, links, bars, folded texts and differences.
#include "base/counted.h"
#include "base/text_diff.h"
#include "report/sections.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::report {
namespace {

constexpr size_t shownNodes = 2;

/// Writes lines as long as there is room, and counts the others.
class Lines {
public:
    explicit Lines(Html& html) : html_(html) {}

    /// kind: a class of the style; empty: none.
    void write(std::string_view kind, std::string_view mark, std::string_view line) {
        if (lines_ == mostLines || bytes_ > mostBytes) {
            ++left_;
            return;
        }
        ++lines_;
        bytes_ += std::min(line.size(), mostColumns);
        if (!kind.empty())
            html_.open("span", {{"class", kind}});
        html_.text(mark).text(line.substr(0, mostColumns)).text(line.size() > mostColumns ? " …\n" : "\n");
        if (!kind.empty())
            html_.close();
    }
    /// Behind the text.
    void noteRest() const {
        if (left_)
            html_.element("p", counted(left_, "more line is", "more lines are") + " left out.", {{"class", "note"}});
    }
    bool full() const { return left_ > 0; }

private:
    static constexpr size_t mostLines = 500, mostBytes = size_t{48} << 10, mostColumns = 400;

    Html& html_;
    size_t lines_ = 0, bytes_ = 0, left_ = 0;
};

void openFolded(Html& html, std::string_view title, std::string_view note) {
    html.open("details").open("summary").text(title).element("span", note, {{"class", "note"}}).close();
}

} // namespace

void openSection(Html& html, std::string_view id, std::string_view title, std::string_view sentence) {
    html.open("section", {{"id", id}}).element("h2", title);
    if (!sentence.empty())
        html.element("p", sentence, {{"class", "note"}});
}

void writeLink(Html& html, const std::string& link, std::string_view text) {
    if (link.empty())
        html.text(text);
    else
        html.element("a", text, {{"href", link}});
}

void writeNodes(Html& html, const Facts& facts, std::span<const int32_t> nodes) {
    for (size_t i = 0; i < std::min(nodes.size(), shownNodes); ++i)
        html.text(i ? ", " : "").text(facts.nameOf(nodes[i]));
    if (nodes.size() > shownNodes)
        html.element("span", fmt::format(" and {} more", nodes.size() - shownNodes), {{"class", "note"}});
}

void writeCode(Html& html, std::string_view title, std::string_view text) {
    const std::vector<std::string> lines = splitLines(text);
    openFolded(html, title, " " + counted(lines.size(), "line", "lines"));
    Lines written(html);
    html.open("pre");
    for (const std::string& line : lines)
        written.write("", "", line);
    html.close();
    written.noteRest();
    html.close();
}

void writeDifference(Html& html, std::string_view title, std::string_view before, std::string_view after) {
    constexpr size_t context = 2;
    using Kind = DiffRow::Kind;
    const std::vector<std::string> a = splitLines(before), b = splitLines(after);
    const std::vector<DiffRow> rows = diffLines(a, b);
    size_t removed = 0, added = 0;
    std::vector<char> shown(rows.size()); // differences, and the lines around them
    for (size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].kind == Kind::Same)
            continue;
        removed += rows[i].before >= 0;
        added += rows[i].after >= 0;
        const size_t first = i - std::min(i, context), last = std::min(rows.size() - 1, i + context);
        std::fill(shown.begin() + static_cast<ptrdiff_t>(first), shown.begin() + static_cast<ptrdiff_t>(last) + 1, 1);
    }
    openFolded(html, title, fmt::format(" {} removed, {} added", counted(removed, "line", "lines"), added));
    html.open("pre", {{"class", "diff"}});
    Lines written(html);
    std::vector<const std::string*> waiting; // added lines come behind the removed ones of their run
    const auto flush = [&] {
        for (const std::string* line : waiting)
            written.write("added", "+ ", *line);
        waiting.clear();
    };
    for (size_t i = 0; i < rows.size(); ++i) {
        const DiffRow& row = rows[i];
        if (!shown[i]) {
            flush();
            if (i && shown[i - 1] && !written.full())
                html.element("span", "  ⋯\n", {{"class", "note"}});
        } else if (row.kind == Kind::Same) {
            flush();
            written.write("", "  ", a[static_cast<size_t>(row.before)]);
        } else {
            if (row.before >= 0)
                written.write("removed", "- ", a[static_cast<size_t>(row.before)]);
            if (row.after >= 0)
                waiting.push_back(&b[static_cast<size_t>(row.after)]);
        }
    }
    flush();
    html.close();
    written.noteRest();
    html.close();
}

std::string number(double pixels) {
    return fmt::format("{:.2f}", pixels);
}

void writeBar(Html& html, double share) {
    const double length = std::clamp(share, 0.0, 1.0) * 100;
    html.open("span", {{"class", "bar"}})
        .element("span", "", {{"style", fmt::format("width:{:.1f}%", length)}})
        .close();
}

} // namespace lathe::report
