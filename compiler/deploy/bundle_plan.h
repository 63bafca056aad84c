// SPDX-License-Identifier: Apache-2.0
//
// What a bundle is before it is written: a list of files, each with its content or with the file that it is copied from.
// A value, so that what would be written can be shown with its sizes (a dry run, a summary page) and is what is written.
//
// Layout, below the bundle's folder (TRIPLE: x86_64-linux-gnu):
//   README.md manifest.json SHA256SUMS check
//   model/NAME.so                         the artifact; with several variants NAME-TAG.so each, best first in the manifest
//   lib/TRIPLE/…  include/lathe/…         the runtime package's libraries and headers, and NAME.h
//   bin/TRIPLE/lathe-check                self-check, a static program
//   python/lathe_model/  examples/  lib/cmake/Lathe/  lib/pkgconfig/
//   golden/CASE/{input_N.npy,output_N.npy,case.json}   by ordinal: names of values are any bytes, file names are not
//   reproduce/  licenses/  sbom.spdx.json  sbom.cdx.json
// Of a program it is bin/NAME instead of all that is named after a model or a triple; of a static library lib/libNAME.a,
// lib/liblathe_rt*.a, include/lathe/ and examples/ in C. Of the form C source, README.md, manifest.json, SHA256SUMS, golden/, reproduce/, licenses/ and the SBOMs, and
//   Makefile  source/NAME*  golden/{compare.c,npy.h}
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::deploy {

enum class FileKind {
    Artifact,
    Source,
    Runtime,
    Header,
    Python,
    Example,
    Build,
    Golden,
    Check,
    Document,
    Licence,
    Sbom,
    Reproduce
};
std::string_view toString(FileKind kind); // "artifact", "source", …

struct PlannedFile {
    std::string path; // in the bundle, as isBundlePath allows it
    FileKind kind = FileKind::Document;
    std::string text;           // the content; or
    std::filesystem::path from; // not empty: the file that it is copied from
    bool program = false;       // may be executed
};

struct BundlePlan {
    std::string name;                 // of the model: isModelName
    std::string tag;                  // of the target: "x86-64-v3"
    std::vector<PlannedFile> files;   // sorted by path, manifest.json and SHA256SUMS among them
    uint64_t bytes = 0;               // of all of them
    std::vector<std::string> remarks; // what whoever exports should know: a sentence each
    std::string bundleId;             // of the manifest
};

/// Whether a manifest, an archive or SHA256SUMS may name a file so: relative, no empty part, none that is "." or "..",
/// no character that a file system, a shell or a terminal takes for something else (letters, digits and "._+-%" alone),
/// at most 200 of them and 16 parts. Whoever keeps to it writes nowhere else.
bool isBundlePath(std::string_view path);

/// Whether a model may be called so: [a-z_][a-z0-9_]{0,63}, so that it is an identifier in C and Python,
/// and none of the names that a bundle's own files and the runtime's functions have ("abi", "dlpack", "lathe", "lathe_…",
/// "linked_model", "runtime", "runtime_static").
bool isModelName(std::string_view name);
/// The nearest such name: "ResNet-50 (v2).onnx" → "resnet_50_v2".
std::string modelNameOf(const std::filesystem::path& model);

} // namespace lathe::deploy
