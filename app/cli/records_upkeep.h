// SPDX-License-Identifier: Apache-2.0
//
// What `lathe records` does about whether records are still right: verify, rehash, evaluate-model.
#pragma once

#include "app/cli/commands.h"
#include "records/file.h"

namespace lathe::cli {

/// Fails with what is wrong with the file or its schedules; args.time: those of this setting are timed once more.
Result<void> verifyRecords(records::File& file, const RecordsArgs& args, const Common& common);
Result<void> rehashRecords(records::File& file, const Common& common);
Result<void> evaluateModel(const records::File& file, const Common& common);

} // namespace lathe::cli
