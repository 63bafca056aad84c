// SPDX-License-Identifier: Apache-2.0
//
// The linker's notes, as the loader mapped them.
#include "codegen/build_id.h"

#include <algorithm>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/TargetSelect.h>
#include <span>

namespace lathe::codegen {
namespace {

/// The NT_GNU_BUILD_ID in the notes of a segment, as hexadecimal digits; "" if there is none.
std::string idIn(std::span<const std::byte> notes) {
    const auto padded = [](size_t size) { return (size + 3) / 4 * 4; };
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
        const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(notes.data());
        const size_t name = sizeof(note), content = name + padded(note.n_namesz);
        const size_t end = content + padded(note.n_descsz);
        if (end > notes.size())
            break;
        const std::string_view owner(reinterpret_cast<const char*>(notes.data() + name), note.n_namesz);
        if (note.n_type == NT_GNU_BUILD_ID && owner == std::string_view("GNU\0", 4)) {
            std::string id;
            for (const std::byte byte : notes.subspan(content, note.n_descsz))
                id += fmt::format("{:02x}", static_cast<unsigned>(byte));
            return id;
        }
        notes = notes.subspan(end);
    }
    return {};
}

/// What dl_iterate_phdr looks for, and finds.
struct Search {
    uintptr_t address;
    std::string id;
};

int visit(dl_phdr_info* object, size_t, void* data) {
    Search& search = *static_cast<Search*>(data);
    const std::span headers(object->dlpi_phdr, object->dlpi_phnum);
    const bool holds = std::ranges::any_of(headers, [&](const ElfW(Phdr) & header) {
        return header.p_type == PT_LOAD && search.address - object->dlpi_addr - header.p_vaddr < header.p_memsz;
    });
    if (!holds)
        return 0;
    for (const ElfW(Phdr) & header : headers)
        if (header.p_type == PT_NOTE && search.id.empty())
            search.id = idIn({reinterpret_cast<const std::byte*>(object->dlpi_addr + header.p_vaddr), header.p_memsz});
    return 1;
}

std::string idOfObjectWith(uintptr_t address) {
    Search search{address, {}};
    dl_iterate_phdr(visit, &search);
    return search.id;
}

} // namespace

std::string buildId() {
    const std::string own = idOfObjectWith(reinterpret_cast<uintptr_t>(&buildId));
    const std::string llvm = idOfObjectWith(reinterpret_cast<uintptr_t>(&LLVMInitializeX86Target));
    return own.empty() || llvm.empty() ? std::string() : own + "-" + llvm;
}

std::string llvmVersion() {
    return LLVM_VERSION_STRING;
}

} // namespace lathe::codegen
