// SPDX-License-Identifier: Apache-2.0
#include "records/tried.h"

#include "records/file.h"

namespace lathe::records {

std::set<std::string> triedWorkloads() {
    std::set<std::string> tried;
    std::error_code failed;
    const std::filesystem::path path = defaultFile();
    if (path.empty() || !std::filesystem::exists(path, failed))
        return tried;
    const auto file = File::open(path, File::Access::Read);
    const auto tasks = file ? file->tasks() : Failure(file.error());
    if (tasks)
        for (const Task& task : *tasks)
            tried.insert(task.workload);
    return tried;
}

} // namespace lathe::records
