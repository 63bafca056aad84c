// SPDX-License-Identifier: Apache-2.0
//
// `lathe records study`: what a study found, shown and as decisions.
#pragma once

#include "app/cli/commands.h"
#include "records/file.h"

namespace lathe::cli {

/// Choices in the graph, and the schedules that the model kept; -o writes them as decisions.
Result<void> showStudy(const records::File& file, const RecordsArgs& args, const Common& common);

} // namespace lathe::cli
