// SPDX-License-Identifier: Apache-2.0
#include "records/best.h"
#include "records/lines.h"

#include <cctype>
#include <fmt/format.h>
#include <fstream>

namespace lathe::records {

std::filesystem::path shippedFolder() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "share" / "lathe" /
           "records";
}

std::string shippedName(const std::string& machine) {
    std::string name;
    for (const char c : machine.substr(0, machine.find(';'))) {
        if (std::isalnum(static_cast<unsigned char>(c)))
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    return fmt::format("{}{}{}.jsonl", name, name.ends_with('-') ? "" : "-",
                       toString(hashBytes(std::as_bytes(std::span(machine)))).substr(0, 8));
}

Result<std::optional<File>> shippedFor(const std::filesystem::path& folder, const Setting& setting) {
    const std::filesystem::path path = folder / shippedName(setting.machine);
    std::ifstream lines(path);
    if (!lines)
        return std::nullopt;
    LATHE_TRY(File file, File::inMemory(path));
    auto imported = importLines(lines, file);
    if (!imported || imported->skipped > 0) {
        Diagnostic problem = imported
                                 ? error(fmt::format("{} lines are skipped: {}", imported->skipped, imported->first))
                                 : imported.error();
        problem.file = path.string();
        return Failure(problem);
    }
    return std::optional(std::move(file));
}

} // namespace lathe::records
