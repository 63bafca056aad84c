// SPDX-License-Identifier: Apache-2.0
#include "fuzz/targets.h"

namespace lathe::fuzz {
namespace {

constexpr Target all[] = {
    {"onnx", importModel, [](std::string bytes, Random& random) { return mutateFields(bytes, random); }},
    {"tflite", importModel, nullptr},
    {"pt2", importModel, mutateText},
    {"torchscript", importScript, mutateText},
    {"pickle", readPickle, nullptr},
    {"tensorflow", importModel, mutateText},
    {"keras", importModel, mutateText},
    {"relay", readRelay, mutateText},
    {"tir", readTir, mutateText},
    {"trace", replayTrace, mutateText},
    {"artifact", loadArtifact, nullptr},
    {"manifest", readManifest, mutateText},
    {"requests", serveRequests, nullptr},
    {"replies", readReplies, nullptr},
    {"tensor", readTensorFile, nullptr},
    {"records", importRecords, mutateText},
};

} // namespace

std::span<const Target> targets() {
    return all;
}

MemoryFile fileOf(std::string_view bytes) {
    MemoryFile file("fuzz");
    require(file.append(std::as_bytes(std::span(bytes))).has_value(), "a file in memory");
    return file;
}

} // namespace lathe::fuzz
