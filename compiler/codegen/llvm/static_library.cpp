// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/static_library.h"

#include <fmt/format.h>
#include <llvm/ObjCopy/ConfigManager.h>
#include <llvm/ObjCopy/ObjCopy.h>
#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Object/SymbolicFile.h>
#include <llvm/Support/raw_ostream.h>

namespace lathe::codegen {
namespace {

llvm::StringRef textOf(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Failure failed(llvm::Error problem) {
    return failure("the static library cannot be made: " + llvm::toString(std::move(problem)));
}

/// A symbol that the object needs and does not have; empty: none.
Result<std::string> missingIn(const llvm::object::Binary& object) {
    const auto* file = llvm::dyn_cast<llvm::object::SymbolicFile>(&object);
    LATHE_ASSERT(file, "the linker makes ELF files");
    for (const llvm::object::BasicSymbolRef symbol : file->symbols()) {
        llvm::Expected<uint32_t> flags = symbol.getFlags();
        if (!flags)
            return failed(flags.takeError());
        std::string name;
        llvm::raw_string_ostream out(name);
        if (llvm::Error problem = symbol.printName(out))
            return failed(std::move(problem));
        if ((*flags & llvm::object::BasicSymbolRef::SF_Undefined) && !name.empty())
            return name;
    }
    return std::string();
}

} // namespace

Result<std::vector<std::byte>> libraryOf(std::vector<std::byte> object, const std::string& symbol,
                                         const std::string& member) {
    llvm::Expected<std::unique_ptr<llvm::object::Binary>> binary =
        llvm::object::createBinary(llvm::MemoryBufferRef(textOf(object), member));
    if (!binary)
        return failed(binary.takeError());
    LATHE_TRY(const std::string missing, missingIn(**binary));
    if (!missing.empty())
        return failure(fmt::format("linking failed: undefined symbol: {}", missing));
    llvm::objcopy::ConfigManager config;
    config.Common.StripDebug = true;
    if (llvm::Error problem = config.Common.SymbolsToKeepGlobal.addMatcher(llvm::objcopy::NameOrPattern::create(
            symbol, llvm::objcopy::MatchStyle::Literal, [](llvm::Error error) { return error; })))
        return failed(std::move(problem));
    llvm::SmallVector<char, 0> local;
    {
        llvm::raw_svector_ostream out(local);
        if (llvm::Error problem = llvm::objcopy::executeObjcopyOnBinary(config, **binary, out))
            return failed(std::move(problem));
    }
    binary->reset();
    object = {};
    llvm::SmallVector<llvm::NewArchiveMember, 1> members;
    members.emplace_back(llvm::MemoryBufferRef(llvm::StringRef(local.data(), local.size()), member));
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> archive =
        llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
                                   /*Deterministic=*/true, /*Thin=*/false, llvm::warnToStderr);
    if (!archive)
        return failed(archive.takeError());
    const auto* begin = reinterpret_cast<const std::byte*>((*archive)->getBufferStart());
    return std::vector<std::byte>(begin, begin + (*archive)->getBufferSize());
}

} // namespace lathe::codegen
