// SPDX-License-Identifier: Apache-2.0
//
// Which kernels somebody has tuned already, whether that found anything or not.
#pragma once

#include <set>
#include <string>

namespace lathe::records {

/// Workloads that a study of the default file of records looked at; none where there is no such file, or it cannot be read.
std::set<std::string> triedWorkloads();

} // namespace lathe::records
