// SPDX-License-Identifier: Apache-2.0
//
// In the file: header, constants, handle, its relocations, symbols, names, sections. Constants are streamed.
#include "artifact/linked_weights.h"

#include "base/new_file.h"
#include "base/rounding.h"
#include "runtime/linked_model.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>

namespace lathe::artifact {
namespace {

constexpr int64_t weightAlignment = 64;

/// The relocation by which a word becomes an address.
uint32_t addressOn(uint16_t machine) {
    switch (machine) {
    case EM_X86_64:
        return R_X86_64_64;
    case EM_AARCH64:
        return R_AARCH64_ABS64;
    default:
        LATHE_ASSERT(machine == EM_RISCV, "code is made for three machines");
        return R_RISCV_64;
    }
}

/// A table of names, each at its offset.
class Names {
public:
    uint32_t add(std::string_view name) {
        const auto at = static_cast<uint32_t>(text_.size());
        text_.append(name).push_back('\0');
        return at;
    }
    const std::string& text() const { return text_; }

private:
    std::string text_ = std::string(1, '\0');
};

template <class T>
std::span<const std::byte> bytesOf(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

/// What is in the file but for the constants, which are `bytes` long.
struct LinkedObject {
    enum Section : uint16_t { None, Weights, Handle, Relocations, Symbols, SymbolNames, Stack, SectionNames, Sections };

    int64_t bytes = 0;
    Elf64_Ehdr header{};
    lathe_linked_model handle{};
    std::vector<Elf64_Rela> relocations; // of the handle
    std::array<Elf64_Sym, 4> symbols{};  // none, the weights' section, the model's tables, the handle
    Names symbolNames, sectionNames;
    std::array<Elf64_Shdr, Sections> sections{};

    void addSymbols(const std::string& symbol);
    /// One behind the other, in the order in which they are written; then their table.
    void placeSections();
};

/// Machine, ABI and flags stay: linkers compare them.
Elf64_Ehdr headerLike(std::span<const std::byte> object) {
    Elf64_Ehdr header{};
    LATHE_ASSERT(object.size() >= sizeof header, "objects have a header");
    std::memcpy(&header, object.data(), sizeof header);
    header.e_type = ET_REL;
    header.e_entry = header.e_phoff = 0;
    header.e_phnum = header.e_phentsize = 0;
    return header;
}

void LinkedObject::addSymbols(const std::string& symbol) {
    symbols[1].st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);
    symbols[1].st_shndx = Weights;
    symbols[2].st_name = symbolNames.add("lathe_model");
    symbols[2].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
    symbols[3].st_name = symbolNames.add(symbol);
    symbols[3].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbols[3].st_shndx = Handle;
    symbols[3].st_size = sizeof handle;
    const uint32_t address = addressOn(header.e_machine);
    relocations.push_back({offsetof(lathe_linked_model, desc), ELF64_R_INFO(2, address), 0});
    if (bytes > 0)
        relocations.push_back({offsetof(lathe_linked_model, constants), ELF64_R_INFO(1, address), 0});
}

void LinkedObject::placeSections() {
    int64_t at = weightAlignment; // of the header
    const auto place = [&](Section which, const char* name, uint32_t type, uint64_t flags, int64_t size,
                           uint64_t align) {
        Elf64_Shdr& section = sections[which];
        section.sh_name = sectionNames.add(name);
        section.sh_type = type;
        section.sh_flags = flags;
        section.sh_offset = static_cast<uint64_t>(at);
        section.sh_size = static_cast<uint64_t>(size);
        section.sh_addralign = align;
        at += size;
    };
    place(Weights, ".rodata.lathe_weights", SHT_PROGBITS, SHF_ALLOC, bytes, weightAlignment);
    place(Handle, ".data.rel.ro.lathe_model", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, sizeof handle, 8);
    place(Relocations, ".rela.data.rel.ro.lathe_model", SHT_RELA, SHF_INFO_LINK,
          static_cast<int64_t>(relocations.size() * sizeof(Elf64_Rela)), 8);
    place(Symbols, ".symtab", SHT_SYMTAB, 0, sizeof symbols, 8);
    place(SymbolNames, ".strtab", SHT_STRTAB, 0, std::ssize(symbolNames.text()), 1);
    place(Stack, ".note.GNU-stack", SHT_PROGBITS, 0, 0, 1);
    place(SectionNames, ".shstrtab", SHT_STRTAB, 0, 0, 1);
    sections[SectionNames].sh_size = sectionNames.text().size(); // its own among them
    at += std::ssize(sectionNames.text());
    sections[Relocations].sh_link = Symbols;
    sections[Relocations].sh_info = Handle;
    sections[Relocations].sh_entsize = sizeof(Elf64_Rela);
    sections[Symbols].sh_link = SymbolNames;
    sections[Symbols].sh_info = 2; // the first that is not local
    sections[Symbols].sh_entsize = sizeof(Elf64_Sym);
    header.e_shoff = static_cast<uint64_t>(roundUp(at, int64_t{8}));
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = Sections;
    header.e_shstrndx = SectionNames;
}

Result<void> writeObject(NewFile& file, const LinkedObject& object, const std::vector<ConstantSource>& constants) {
    const auto failed = [&] { return Failure(file.problem()); };
    if (!file.write(bytesOf(object.header)))
        return failed();
    for (const ConstantSource& constant : constants) {
        if (!file.padTo(weightAlignment + constant.offset))
            return failed();
        LATHE_TRY(const std::span<const std::byte> content, constant.content());
        if (!file.write(content))
            return failed();
    }
    if (!file.padTo(weightAlignment + object.bytes) || !file.write(bytesOf(object.handle)) ||
        !file.write(std::as_bytes(std::span(object.relocations))) || !file.write(bytesOf(object.symbols)) ||
        !file.write(std::as_bytes(std::span(object.symbolNames.text()))) ||
        !file.write(std::as_bytes(std::span(object.sectionNames.text()))) ||
        !file.padTo(static_cast<int64_t>(object.header.e_shoff)) || !file.write(bytesOf(object.sections)) ||
        !file.keep())
        return failed();
    return {};
}

} // namespace

Result<void> writeLinkedWeights(const std::filesystem::path& path, std::span<const std::byte> like,
                                const std::string& symbol, const std::vector<ConstantSource>& constants) {
    LinkedObject object;
    object.bytes = constants.empty() ? 0 : roundUp(constants.back().offset + constants.back().bytes, weightAlignment);
    if (object.bytes > linkedBytes)
        return failure(
            fmt::format("its constants take {} bytes, and a program holds {} at most", object.bytes, linkedBytes),
            "make a folder, which loads them");
    object.header = headerLike(like);
    object.handle.constant_bytes = object.bytes;
    object.addSymbols(symbol);
    object.placeSections();
    NewFile file(path, NewFile::Kind::Text);
    return writeObject(file, object, constants);
}

} // namespace lathe::artifact
