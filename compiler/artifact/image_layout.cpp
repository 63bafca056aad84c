// SPDX-License-Identifier: Apache-2.0
#include "artifact/image_layout.h"

#include "base/rounding.h"
#include "runtime/artifact_image.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace lathe::artifact {
namespace {

constexpr int64_t page = 4096;         // of the file; constants begin at a multiple
constexpr int64_t largestPage = 65536; // of any machine; addresses of segments keep that far apart
constexpr std::string_view sectionName = ".lathe.constants";

template <class T>
T readAt(std::span<const std::byte> bytes, uint64_t offset) {
    LATHE_ASSERT(offset <= bytes.size() && sizeof(T) <= bytes.size() - offset,
                 "what headers point at lies in the object");
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

template <class T>
void writeAt(std::vector<std::byte>& bytes, uint64_t offset, const T& value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof value);
}

class Layout {
public:
    explicit Layout(std::span<const std::byte> object) : object_(object), header_(readAt<Elf64_Ehdr>(object, 0)) {
        LATHE_ASSERT(std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 && header_.e_shnum > 0,
                     "the linker makes ELF files");
        for (uint64_t i = 0; i < header_.e_phnum; ++i)
            segments_.push_back(readAt<Elf64_Phdr>(object, header_.e_phoff + i * sizeof(Elf64_Phdr)));
        for (uint64_t i = 0; i < header_.e_shnum; ++i)
            sections_.push_back(readAt<Elf64_Shdr>(object, header_.e_shoff + i * sizeof(Elf64_Shdr)));
    }

    ImageLayout make(uint64_t constantBytes, bool apart) {
        ImageLayout layout;
        lathe_trailer& trailer = layout.trailer;
        trailer.bytes = constantBytes;
        trailer.weights_apart = apart;
        std::memcpy(trailer.magic, LATHE_TRAILER_MAGIC, sizeof trailer.magic);
        listCode(trailer);

        const uint64_t bytes = runtime::lastSegmentBytes(trailer);
        // The table of sections is the end of what the linker writes; another one takes its place.
        const uint64_t linked = header_.e_shoff;
        const auto start = static_cast<uint64_t>(roundUp(static_cast<int64_t>(linked), page));
        const uint64_t address = addSegment(start, bytes);
        addSection(layout.tail, start, bytes, address);
        layout.head.assign(object_.begin(), object_.begin() + static_cast<ptrdiff_t>(linked));
        layout.head.resize(start);
        writeAt(layout.head, 0, header_);
        for (size_t i = 0; i < segments_.size(); ++i)
            writeAt(layout.head, header_.e_phoff + i * sizeof(Elf64_Phdr), segments_[i]);
        hashCode(layout, start);
        return layout;
    }

private:
    /// The sections that are loaded and that no tool changes or moves.
    void listCode(lathe_trailer& trailer) {
        size_t count = 0;
        for (const Elf64_Shdr& section : sections_) {
            if (!(section.sh_flags & SHF_ALLOC) || section.sh_size == 0)
                continue;
            if (section.sh_type == SHT_DYNSYM)
                trailer.symbols_bytes = section.sh_size;
            if (section.sh_type == SHT_GNU_HASH)
                trailer.gnu_hash_bytes = section.sh_size;
            if (section.sh_type == SHT_HASH)
                trailer.hash_bytes = section.sh_size;
            constexpr uint32_t changed[] = {SHT_NOBITS, SHT_DYNSYM,  SHT_GNU_HASH, SHT_HASH,
                                            SHT_STRTAB, SHT_DYNAMIC, SHT_NOTE};
            if (std::ranges::find(changed, section.sh_type) != std::end(changed))
                continue;
            LATHE_ASSERT(count < LATHE_CODE_RANGES, "an artifact has few sections");
            trailer.code[count++] = {section.sh_addr, section.sh_size};
        }
    }

    uint64_t addSegment(uint64_t offset, uint64_t bytes) {
        LATHE_ASSERT(!segments_.empty() && segments_[0].p_type == PT_PHDR, "the linker tells where its table is");
        segments_.erase(segments_.begin());
        uint64_t end = 0;
        size_t behind = 0;
        for (size_t i = 0; i < segments_.size(); ++i)
            if (segments_[i].p_type == PT_LOAD) {
                end = segments_[i].p_vaddr + segments_[i].p_memsz;
                behind = i + 1;
            }
        // Offset and address agree in a page of any size.
        const uint64_t address =
            static_cast<uint64_t>(roundUp(static_cast<int64_t>(end), largestPage)) + offset % largestPage;
        Elf64_Phdr segment{};
        segment.p_type = PT_LOAD;
        segment.p_flags = PF_R;
        segment.p_offset = offset;
        segment.p_vaddr = segment.p_paddr = address;
        segment.p_filesz = segment.p_memsz = bytes;
        segment.p_align = largestPage;
        segments_.insert(segments_.begin() + static_cast<ptrdiff_t>(behind), segment);
        return address;
    }

    void addSection(std::vector<std::byte>& tail, uint64_t offset, uint64_t bytes, uint64_t address) {
        Elf64_Shdr& names = sections_.at(header_.e_shstrndx);
        LATHE_ASSERT(names.sh_offset <= object_.size() && names.sh_size <= object_.size() - names.sh_offset,
                     "names of sections lie in the object");
        const auto old = object_.subspan(names.sh_offset, names.sh_size);
        tail.assign(old.begin(), old.end());
        Elf64_Shdr section{};
        section.sh_name = static_cast<uint32_t>(tail.size());
        for (const char c : sectionName)
            tail.push_back(static_cast<std::byte>(c));
        tail.push_back(std::byte{0});
        names.sh_offset = offset + bytes;
        names.sh_size = tail.size();
        section.sh_type = SHT_PROGBITS;
        section.sh_flags = SHF_ALLOC;
        section.sh_addr = address;
        section.sh_offset = offset;
        section.sh_size = bytes;
        section.sh_addralign = page;
        sections_.push_back(section);
        while ((offset + bytes + tail.size()) % alignof(Elf64_Shdr) != 0)
            tail.push_back(std::byte{0});
        const uint64_t table = offset + bytes + tail.size();
        for (const Elf64_Shdr& row : sections_)
            append(tail, row);
        header_.e_shoff = table;
        header_.e_shnum = static_cast<uint16_t>(sections_.size());
    }

    /// By what will read it, of the head alone: it needs nothing of the constants.
    void hashCode(ImageLayout& layout, uint64_t start) const {
        runtime::ArtifactImage image;
        image.size = start;
        image.read = [&](void* to, size_t bytes, uint64_t offset) {
            if (offset > layout.head.size() || bytes > layout.head.size() - offset)
                return false;
            std::memcpy(to, layout.head.data() + offset, bytes);
            return true;
        };
        image.header = header_;
        image.segments = segments_;
        image.trailer = layout.trailer;
        image.last = static_cast<size_t>(
            std::ranges::find_if(segments_, [&](const Elf64_Phdr& segment) { return segment.p_offset == start; }) -
            segments_.begin());
        const char* bad = runtime::hashCode(image, layout.trailer.code_hash);
        LATHE_ASSERT(bad == nullptr, "what was written can be read");
    }

    std::span<const std::byte> object_;
    Elf64_Ehdr header_;
    std::vector<Elf64_Phdr> segments_;
    std::vector<Elf64_Shdr> sections_;
};

} // namespace

ImageLayout layOut(std::span<const std::byte> sharedObject, uint64_t constantBytes, bool apart) {
    return Layout(sharedObject).make(constantBytes, apart);
}

} // namespace lathe::artifact
