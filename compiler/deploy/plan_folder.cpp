// SPDX-License-Identifier: Apache-2.0
//
// The form that works as it lies there: artifacts, the runtime, headers, a Python module, examples, the self-check.
#include "deploy/planner.h"
#include "deploy/texts.h"

#include <fmt/format.h>

namespace lathe::deploy {

namespace fs = std::filesystem;

void Planner::addPackages() {
    std::set<std::string> triples;
    for (const RuntimePackage& package : packages_) {
        if (!triples.insert(package.triple).second)
            continue;
        for (const std::string& file : package.files) {
            const fs::path from = package.folder / file;
            const std::string name = from.filename().string();
            if (file.starts_with("lib/liblathe_rt."))
                addCopy(fmt::format("lib/{}/{}", package.triple, name), FileKind::Runtime, from, name.contains(".so"));
            else if (file == "bin/lathe-check")
                addCopy(fmt::format("bin/{}/lathe-check", package.triple), FileKind::Check, from, true);
            else if (file.starts_with("include/lathe/") && triples.size() == 1 && name != "lathe_rt.hpp" &&
                     has(Part::C))
                addCopy(file, FileKind::Header, from);
        }
    }
}

void Planner::addFolderTexts(const Words& known) {
    Words words = known;
    words["LOAD"] = options_.name + "_load(bundle, ";
    words["LINK"] = fmt::format("../lib/{0}/liblathe_rt.so.1 -Wl,-rpath,'$ORIGIN/../lib/{0}' -lm", words["TRIPLE"]);
    add("check", FileKind::Check, filled("check.sh", words), true);
    const size_t outputs = cases_.empty() ? 0 : cases_.front().golden.outputs.size();
    if (has(Part::C)) {
        add("include/lathe/" + options_.name + ".h", FileKind::Header, headerOf(manifest_, interface_, outputs));
        add("lib/cmake/Lathe/LatheConfig.cmake", FileKind::Build, filled("LatheConfig.cmake", words));
        add("lib/pkgconfig/lathe.pc", FileKind::Build, filled("lathe.pc", words));
    }
    if (has(Part::Cpp))
        add("include/lathe/lathe_rt.hpp", FileKind::Header, std::string(textOf("lathe_rt.hpp")));
    if (has(Part::Python)) {
        add("python/lathe_model/__init__.py", FileKind::Python, filled("lathe_model.py", words));
        for (const char* file :
             {"_array.py", "_context.py", "_errors.py", "_golden.py", "_model.py", "_pool.py", "_profile.py",
              "_runtime.py", "_strings.py", "_tensors.py", "_values.py"}) // of lathe_rt
            add(fmt::format("python/lathe_model/{}", file), FileKind::Python, std::string(textOf(file)));
        add("python/lathe_model/py.typed", FileKind::Python, "");
    }
    if (has(Part::Examples) && !cases_.empty()) {
        if (has(Part::C) && has(Part::Cpp))
            for (const char* file : {"npy.h", "golden.h", "main.c", "main.cpp", "Makefile", "CMakeLists.txt"})
                add(fmt::format("examples/{}", file), FileKind::Example, filled(file, words));
        if (has(Part::Python))
            add("examples/main.py", FileKind::Example, filled("main.py", words));
    }
    const bool examples = has(Part::Examples) && !cases_.empty();
    use_ = "\n## Is it whole, and right here?\n\n    ./check\n";
    if (has(Part::C))
        use_ +=
            fmt::format("\n## From C and C++\n\n{}A program of your own includes `lathe/{}.h` (folder `include`) and "
                        "links\n`lib/{}/liblathe_rt.so.1`, or `liblathe_rt.a` with `-lstdc++ -lpthread -ldl -lm`.\n",
                        examples && has(Part::Cpp)
                            ? "    make -C examples run\n\nor with CMake: `cmake -S examples -B build && cmake --build "
                              "build`. "
                            : "",
                        options_.name, words.at("TRIPLE"));
    if (has(Part::Python))
        use_ += fmt::format("\n## From Python\n\n{}```python\nimport sys\nsys.path.insert(0, \"python\")\nfrom "
                            "lathe_model import Model\n\nmodel = Model()\noutputs = model({})\n```\n",
                            examples ? "    python3 examples/main.py\n\n" : "",
                            interface_.inputs.size() == 1 ? "x" : "*inputs");
}

} // namespace lathe::deploy
