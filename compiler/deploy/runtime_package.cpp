// SPDX-License-Identifier: Apache-2.0
#include "deploy/runtime_package.h"

#include "base/json.h"
#include "base/user_folder.h"
#include "codegen/target.h"
#include "deploy/bundle_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>

namespace lathe::deploy {

namespace fs = std::filesystem;

namespace {

/// "2.17"
bool isVersion(std::string_view text) {
    return !text.empty() && text.size() < 20 &&
           std::ranges::all_of(text, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

} // namespace

std::vector<fs::path> runtimeFolders(const fs::path& named) {
    if (!named.empty())
        return {named};
    std::vector<fs::path> folders;
    if (const fs::path own = userFolder(UserFolder::Data); !own.empty())
        folders.push_back(own / "runtimes");
    std::error_code ignored;
    folders.push_back(fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "share" / "lathe" /
                      "runtimes");
    return folders;
}

Result<RuntimePackage> findRuntime(const Target& target, const fs::path& named) {
    RuntimePackage package;
    package.triple = codegen::libraryTriple(target.architecture);
    std::vector<std::string> searched;
    std::error_code failed;
    for (const fs::path& folder : runtimeFolders(named)) {
        searched.push_back(folder.string());
        if (fs::is_directory(folder / package.triple, failed)) {
            package.folder = folder / package.triple;
            break;
        }
    }
    if (package.folder.empty())
        return failure(
            fmt::format("there is no runtime for {} in {}", package.triple, fmt::join(searched, " or ")),
            fmt::format("'./dev build release runtimes' makes those of all targets; --runtime-dir DIR names a folder "
                        "that has {}/lib/liblathe_rt.so.1",
                        package.triple));
    for (fs::recursive_directory_iterator at(package.folder, failed), end; !failed && at != end; at.increment(failed))
        if (at->is_regular_file(failed) && !at->is_symlink(failed))
            if (std::string file = at->path().lexically_relative(package.folder).generic_string(); isBundlePath(file))
                package.files.push_back(std::move(file));
    std::ranges::sort(package.files);
    for (const char* needed : {"lib/liblathe_rt.so.1", "include/lathe/lathe_rt.h", "bin/lathe-check"})
        if (!std::ranges::binary_search(package.files, needed)) {
            Diagnostic lacking = error(fmt::format("the runtime for {} lacks {}", package.triple, needed),
                                       "build it anew: ./dev build release runtimes");
            lacking.file = package.folder.string();
            return Failure(lacking);
        }
    std::ifstream file(package.folder / "runtime.json", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto described = parseJson(text);
    if (described && described->is_object() && described->contains("floor") && (*described)["floor"].is_object())
        for (const auto& [name, into] : {std::pair{"GLIBC", &package.glibc}, std::pair{"GLIBCXX", &package.glibcxx}})
            if (const auto at = (*described)["floor"].find(name);
                at != (*described)["floor"].end() && at->is_string() && isVersion(at->get<std::string>()))
                *into = at->get<std::string>();
    return package;
}

} // namespace lathe::deploy
