// SPDX-License-Identifier: Apache-2.0
//
// Files that come from elsewhere: manifests of bundles, tensors, records.
#include "deploy/manifest.h"
#include "driver/tensor_files.h"
#include "fuzz/targets.h"
#include "records/lines.h"

#include <fstream>
#include <sstream>

namespace lathe::fuzz {

bool readManifest(std::string_view json) {
    const auto manifest = deploy::parseManifest(json);
    if (!manifest)
        return false;
    const std::string written = deploy::toJson(*manifest);
    const auto again = deploy::parseManifest(written);
    require(again && deploy::toJson(*again) == written, "written, the manifest reads back otherwise:\n" + written);
    return true;
}

bool readTensorFile(std::string_view bytes) {
    const MemoryFile memory = fileOf(bytes);
    const auto tensor = driver::readTensorFile(memory.path());
    if (tensor)
        require(model::elementsOf(tensor->shape).has_value(), "more elements than can be");
    return tensor.has_value();
}

bool importRecords(std::string_view lines) {
    auto file = records::File::inMemory("fuzz.db");
    require(file.has_value(), "a file in memory");
    std::istringstream stream{std::string(lines)};
    const auto imported = records::importLines(stream, *file);
    if (!imported)
        return false;
    // What was taken goes out and comes in again: all of it.
    std::string out;
    int64_t count = -1; // the first line is the header
    require(records::exportLines(*file, [&](const std::string& line) { out += line + '\n', ++count; }).has_value(),
            "what was imported cannot be exported");
    auto other = records::File::inMemory("other.db");
    std::istringstream exported(out);
    const auto again = records::importLines(exported, *other);
    require(again && again->lines == count && again->skipped == 0,
            "what was exported is not imported: " + (again ? again->first : toString(again.error())));
    return true;
}

} // namespace lathe::fuzz
