// SPDX-License-Identifier: Apache-2.0
//
// A project: a model and what was made of the work on it. It is a value; compiler/project/file.h keeps it in a file.
#pragma once

#include "driver/decisions.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace lathe::project {

/// The model, so that it is found again, and known for the same.
struct ModelReference {
    std::filesystem::path path; // absolute
    int64_t bytes = 0;          // of the file, or of all files in the folder
    std::string hash;           // of its bytes (base/hash.h), of a folder with the files' names; 32 hexadecimal digits

    bool operator==(const ModelReference&) const = default;
};

/// Reads the whole file, or all files of a folder. Fails if they cannot be read, if it is neither, or the work was cancelled.
Result<ModelReference> referenceTo(const std::filesystem::path& model, const std::function<bool()>& cancelled = {});

/// Names of what is kept: for what the model is compiled and run, a JSON object; and the texts of decisions and settings that
/// could not be read, so that they are not lost.
inline constexpr const char* settingsKey = "settings";
/// And among these which graph of the model's file is open (project/graph_choice.h).
inline constexpr const char* graphKey = "graph";
inline constexpr const char* unreadDecisions = "unread decisions";
inline constexpr const char* unreadSettings = "unread settings";

struct Project {
    ModelReference model;
    driver::Decisions decisions;
    /// What of the file could not be read, and so is not there; the text of such decisions is kept under unreadDecisions.
    std::vector<Diagnostic> warnings = {};
    /// What the programs that work on it keep, by names of theirs: "page", "settings". Texts; what a program does not know
    /// it leaves as it is.
    std::map<std::string, std::string> kept;

    bool operator==(const Project&) const = default;
};

} // namespace lathe::project
