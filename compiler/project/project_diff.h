// SPDX-License-Identifier: Apache-2.0
//
// What is different in the work that two projects keep: what was decided, for what their models are compiled and run, and
// whether these were the same file when the projects were written. Where a window was left is no difference, nor where a model
// lies. What is different in the models themselves says graph/model_diff.h.
#pragma once

#include "project/project.h"

#include <string_view>
#include <vector>

namespace lathe::project {

struct ProjectChange {
    std::string_view what;     // "decision", "setting", "model"
    std::string name;          // "skip" with "fuse" behind it; "numerics"; "sizes batch"; "contents"
    std::string before, after; // empty: added, removed; an element of a list is the whole name, and has "yes" here
};

/// Decisions first, each by name; the model last.
std::vector<ProjectChange> diffProjects(const Project& before, const Project& after);

} // namespace lathe::project
