// SPDX-License-Identifier: Apache-2.0
//
// Portable bit, gray and pixel maps, as text (P1 … P3) and as bytes (P4 … P6), after Netpbm's descriptions of them.
#include "images/image.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace lathe::images {
namespace {

class PortableMap {
public:
    explicit PortableMap(Bytes file) : file_(file) {}

    bool read(Image& image) {
        const int kind = file_.size() > 2 ? file_[1] - '0' : 0;
        if (kind < 1 || kind > 6)
            return false;
        at_ = 2;
        isBits_ = kind == 1 || kind == 4;
        const auto width = word(), height = word(), most = isBits_ ? std::optional<int64_t>(1) : word();
        if (!width || !height || !most || *most < 1 || *most > 65535 ||
            !image.allocate(*height, *width, kind == 3 || kind == 6 ? 3 : 1))
            return false;
        most_ = *most;
        ++at_; // the one blank between the header and bytes
        return kind <= 3 ? readText(image) : isBits_ ? readBits(image) : readBytes(image);
    }

private:
    Bytes file_;
    size_t at_ = 0;
    int64_t most_ = 1;
    bool isBits_ = false;

    void skipBlanks() {
        for (; at_ < file_.size() && (std::isspace(file_[at_]) || file_[at_] == '#'); ++at_)
            if (file_[at_] == '#')
                while (at_ + 1 < file_.size() && file_[at_ + 1] != '\n')
                    ++at_;
    }

    /// The next number.
    std::optional<int64_t> word() {
        skipBlanks();
        int64_t value = 0;
        const size_t begin = at_;
        for (; at_ < file_.size() && std::isdigit(file_[at_]) && value < int64_t{1} << 32; ++at_)
            value = value * 10 + (file_[at_] - '0');
        return at_ > begin ? std::optional(value) : std::nullopt;
    }

    /// Of a sample; of a bit, 1 is black.
    uint8_t asByte(int64_t sample) const {
        if (isBits_)
            return sample == 0 ? 255 : 0;
        return static_cast<uint8_t>((std::min(sample, most_) * 255 + most_ / 2) / most_);
    }

    /// Bits need no blanks between them.
    bool readText(Image& image) {
        --at_;
        for (uint8_t *to = image.pixels.get(), *end = to + image.bytes(); to != end; ++to) {
            skipBlanks();
            if (at_ >= file_.size() || !std::isdigit(file_[at_]))
                return false;
            *to = asByte(isBits_ ? file_[at_++] - '0' : *word());
        }
        return true;
    }

    bool readBits(Image& image) {
        const auto stride = static_cast<size_t>((image.width + 7) / 8);
        if (at_ > file_.size() || stride * static_cast<size_t>(image.height) > file_.size() - at_)
            return false;
        for (int64_t y = 0; y < image.height; ++y, at_ += stride)
            for (int64_t x = 0; x < image.width; ++x)
                image.row(y)[x] = asByte(file_[at_ + static_cast<size_t>(x / 8)] >> (7 - x % 8) & 1);
        return true;
    }

    /// Of one byte, or of two with the upper one first.
    bool readBytes(Image& image) {
        const size_t each = most_ > 255 ? 2 : 1;
        if (at_ > file_.size() || image.bytes() * each > file_.size() - at_)
            return false;
        for (uint8_t *to = image.pixels.get(), *end = to + image.bytes(); to != end; ++to, at_ += each)
            *to = asByte(each == 1 ? file_[at_] : file_[at_] * 256 + file_[at_ + 1]);
        return true;
    }
};

} // namespace

bool readPnm(Bytes file, Image& image) {
    return PortableMap(file).read(image);
}

} // namespace lathe::images
