// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.h"

#include "base/json.h"

namespace lathe {

std::string toJson(const Diagnostic& diagnostic) {
    const nlohmann::json line = {{"severity", toString(diagnostic.severity)},
                                 {"kind", diagnostic.severity == Severity::Note ? "" : toString(diagnostic.kind)},
                                 {"file", diagnostic.file},
                                 {"node", diagnostic.node},
                                 {"operator", diagnostic.op},
                                 {"line", diagnostic.line},
                                 {"what", diagnostic.what},
                                 {"hint", diagnostic.hint}};
    return dump(line);
}

} // namespace lathe
