// SPDX-License-Identifier: Apache-2.0
//
// An artifact for each target, with what it needs of a machine, and the runtime that it is loaded by.
#include "deploy/planner.h"

#include "codegen/target.h"
#include "runtime/artifact_image.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <set>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

constexpr int64_t runtimePages = 65536; // the runtime is linked for these (cmake/runtimes.cmake), programs too

/// The largest pages that the artifact can be loaded with: each of its segments begins at a multiple of them.
int64_t pageSizeOf(const fs::path& artifact) {
    std::ifstream file(artifact, std::ios::binary | std::ios::ate);
    runtime::ArtifactImage image;
    image.size = static_cast<uint64_t>(file.tellg());
    image.read = [&](void* to, size_t bytes, uint64_t offset) {
        file.seekg(static_cast<std::streamoff>(offset));
        return static_cast<bool>(file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)));
    };
    LATHE_ASSERT(!runtime::readHeader(image) && !runtime::readSegments(image), "what was compiled is an artifact");
    uint64_t least = runtimePages;
    for (const Elf64_Phdr& segment : image.segments)
        if (segment.p_type == PT_LOAD)
            least = std::min(least, uint64_t{segment.p_align});
    return static_cast<int64_t>(least);
}

/// "x86-64-v3", "aarch64-cortex-a72": short, and a part of a path. Features beside the cpu's own stand in the manifest.
std::string tagOf(const Target& target) {
    std::string tag(target.cpu);
    if (target.architecture != Architecture::X86_64)
        tag = fmt::format("{}-{}", codegen::nameOf(target.architecture), target.cpu);
    for (char& c : tag)
        if (!isBundlePath(std::string(1, c)) && c != '.')
            c = '-';
    return tag;
}

} // namespace

Result<void> Planner::findRuntimes() {
    if (!hasVariants(options_.form) && options_.targets.size() > 1)
        return failure(ErrorKind::Usage, "a program is for one target: it has no variants", "name one --target");
    for (const Target& target : options_.targets) {
        LATHE_TRY(RuntimePackage package, findRuntime(target, options_.runtimeFolder));
        packages_.push_back(std::move(package));
    }
    return {};
}

Result<void> Planner::compileVariants() {
    std::set<std::string> tags;
    const auto count = static_cast<double>(options_.targets.size());
    for (size_t i = 0; i < options_.targets.size(); ++i) {
        const Target& target = options_.targets[i];
        if (std::ranges::count(options_.targets, target) > 1)
            return failure(ErrorKind::Usage, fmt::format("the target '{}' is named twice", toString(target)),
                           "name it once");
        std::string tag = tagOf(target);
        for (int n = 2; !tags.insert(tag).second; ++n)
            tag = fmt::format("{}-{}", tagOf(target), n);
        LATHE_TRY(Compiled compiled, compile(target, options_.compile.numerics, options_.decisions, tag,
                                             0.05 + 0.6 * static_cast<double>(i) / count,
                                             0.05 + 0.6 * static_cast<double>(i + 1) / count));
        const std::string path = options_.targets.size() == 1 ? fmt::format("model/{}.so", options_.name)
                                                              : fmt::format("model/{}-{}.so", options_.name, tag);
        ManifestVariant& variant = manifest_.variants.emplace_back();
        variant.path = path;
        variant.tag = tag;
        variant.triple = packages_[i].triple;
        variant.machine = codegen::nameOf(target.architecture);
        variant.target = toString(target);
        variant.cpu = target.cpu;
        codegen::Required needs = codegen::requiredOf(target);
        variant.isa = std::move(needs.isa);
        variant.vectorBits = needs.vectorBits;
        if (options_.form == BundleForm::Folder) {
            variant.glibc = packages_[i].glibc;
            variant.glibcxx = packages_[i].glibcxx;
            variant.maxPageSize = std::min(pageSizeOf(compiled.first->path()), runtimePages);
        } else if (options_.form == BundleForm::Program) {
            variant.maxPageSize = runtimePages;
        }
        if (options_.form == BundleForm::Folder) {
            addCopy(path, FileKind::Artifact, compiled.first->path(), true);
            bundle_.held.push_back(compiled.first);
        }
        variants_.push_back(std::move(compiled));
    }
    trace_ = variants_.front().second;
    for (const ManifestVariant& variant : manifest_.variants)
        bundle_.plan.tag += (bundle_.plan.tag.empty() ? "" : "+") + variant.tag;
    return {};
}

} // namespace lathe::deploy
