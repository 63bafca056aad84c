// SPDX-License-Identifier: Apache-2.0
//
// Windows bitmaps of all versions: palettes of 1, 4 and 8 bits, plain or in runs, and pixels of 16, 24 and 32 bits whose
// colours stand under masks. After "Bitmap Storage", Microsoft's description of the format.
#include "images/image.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace lathe::images {
namespace {

enum Compression : uint32_t { Plain = 0, Runs8 = 1, Runs4 = 2, Masks = 3, MasksWithOpacity = 6 };

class Bitmap {
public:
    explicit Bitmap(Bytes file) : file_(file) {}

    bool read(Image& image) {
        if (!readHeader() || !image.allocate(height_, width_, 3))
            return false;
        if (bits_ <= 8 && !readPalette())
            return false;
        if (compression_ == Runs8 || compression_ == Runs4)
            return readRuns(image);
        const int64_t stride = (width_ * bits_ + 31) / 32 * 4; // a row is a multiple of four bytes
        if (stride * height_ > static_cast<int64_t>(file_.size()) - pixels_)
            return false;
        for (int64_t y = 0; y < height_; ++y)
            if (!readRow(pixels_ + y * stride, line(image, y)))
                return false;
        return true;
    }

private:
    Bytes file_;
    int64_t width_ = 0, height_ = 0, pixels_ = 0, paletteAt_ = 0;
    int bits_ = 0, entryBytes_ = 4;
    uint32_t compression_ = Plain;
    size_t colours_ = 0; // as the header has it
    bool isTopDown_ = false;
    std::array<uint32_t, 3> masks_ = {};
    std::array<std::array<uint8_t, 3>, 256> palette_ = {};

    uint32_t number(int64_t at, int bytes) const {
        uint32_t value = 0;
        for (int i = 0; i < bytes; ++i)
            value |= uint32_t{file_[static_cast<size_t>(at + i)]} << (8 * i);
        return value;
    }
    bool has(int64_t at, int64_t bytes) const { return at >= 0 && at + bytes <= static_cast<int64_t>(file_.size()); }
    uint8_t* line(Image& image, int64_t y) const { return image.row(isTopDown_ ? y : height_ - 1 - y); }

    bool readHeader() {
        if (!has(0, 26))
            return false;
        pixels_ = number(10, 4);
        const int64_t size = number(14, 4);
        const bool isOld = size == 12;
        if (!isOld && (size < 40 || !has(14, size)))
            return false;
        const auto height = static_cast<int32_t>(isOld ? number(20, 2) : number(22, 4));
        width_ = isOld ? number(18, 2) : static_cast<int32_t>(number(18, 4));
        isTopDown_ = height < 0;
        height_ = isTopDown_ ? -int64_t{height} : height;
        bits_ = static_cast<int>(number(isOld ? 24 : 28, 2));
        compression_ = isOld ? uint32_t{Plain} : number(30, 4);
        colours_ = isOld ? 0 : number(46, 4);
        entryBytes_ = isOld ? 3 : 4;
        const bool hasMasks = compression_ == Masks || compression_ == MasksWithOpacity;
        paletteAt_ = 14 + size + (hasMasks && size == 40 ? 12 : 0);
        return readMasks(hasMasks) && fits();
    }

    /// Behind the oldest of the headers that know masks, and in the others at the same place.
    bool readMasks(bool given) {
        if (!given) {
            masks_ = bits_ == 16 ? std::array<uint32_t, 3>{0x7c00, 0x3e0, 0x1f}
                                 : std::array<uint32_t, 3>{0xff0000, 0xff00, 0xff};
            return true;
        }
        if (!has(54, 12))
            return false;
        for (int i = 0; i < 3; ++i)
            masks_[static_cast<size_t>(i)] = number(54 + 4 * i, 4);
        return true;
    }

    bool fits() const {
        switch (compression_) {
        case Plain:
            return bits_ == 1 || bits_ == 4 || bits_ == 8 || bits_ == 16 || bits_ == 24 || bits_ == 32;
        case Runs8:
            return bits_ == 8;
        case Runs4:
            return bits_ == 4;
        case Masks:
        case MasksWithOpacity:
            return bits_ == 16 || bits_ == 32;
        default:
            return false;
        }
    }

    bool readPalette() {
        const size_t most = size_t{1} << bits_, count = colours_ == 0 ? most : std::min(colours_, most);
        if (!has(paletteAt_, static_cast<int64_t>(count) * entryBytes_))
            return false;
        for (size_t i = 0; i < count; ++i)
            for (size_t c = 0; c < 3; ++c) // blue comes first
                palette_[i][2 - c] = file_[static_cast<size_t>(paletteAt_) + i * static_cast<size_t>(entryBytes_) + c];
        return true;
    }

    void put(uint8_t* row, int64_t x, uint32_t index) const { std::copy_n(palette_[index].data(), 3, row + 3 * x); }

    static uint8_t under(uint32_t mask, uint32_t pixel) {
        if (mask == 0)
            return 0;
        const uint64_t most = mask >> std::countr_zero(mask);
        return static_cast<uint8_t>(((pixel & mask) >> std::countr_zero(mask)) * uint64_t{255} / most);
    }

    bool readRow(int64_t at, uint8_t* row) const {
        for (int64_t x = 0; x < width_; ++x) {
            if (bits_ <= 8) {
                const int64_t bit = x * bits_;
                const uint32_t byte = number(at + bit / 8, 1);
                put(row, x, byte >> (8 - bits_ - bit % 8) & ((1U << bits_) - 1));
                continue;
            }
            const uint32_t pixel = number(at + x * bits_ / 8, bits_ / 8);
            for (size_t c = 0; c < 3; ++c)
                row[3 * x + static_cast<int64_t>(c)] = under(masks_[c], pixel);
        }
        return true;
    }

    /// Pixels that no run reaches have the palette's first colour.
    bool readRuns(Image& image) {
        for (int64_t y = 0; y < height_; ++y)
            for (int64_t x = 0; x < width_; ++x)
                put(image.row(y), x, 0);
        int64_t x = 0, y = 0;
        const auto index = [&](int64_t first, int64_t i) {
            const uint32_t byte = number(first + (bits_ == 4 ? i / 2 : i), 1);
            return bits_ == 8 ? byte : i % 2 == 0 ? byte >> 4 : byte & 15;
        };
        for (int64_t at = pixels_; y < height_;) {
            if (!has(at, 2))
                return false;
            const int64_t count = number(at, 1), what = number(at + 1, 1);
            at += 2;
            if (count == 0 && what == 1)
                return true;
            if (count == 0 && what == 0) {
                x = 0;
                ++y;
            } else if (count == 0 && what == 2) {
                if (!has(at, 2))
                    return false;
                x += number(at, 1);
                y += number(at + 1, 1);
                at += 2;
            } else {
                const int64_t taken = count > 0 ? count : what, bytes = (taken * bits_ + 15) / 16 * 2;
                const int64_t first = count > 0 ? at - 1 : at;
                if (count == 0 && !has(at, bytes))
                    return false;
                for (int64_t i = 0; i < taken && x < width_; ++i, ++x)
                    put(line(image, y), x, index(first, count > 0 ? i % 2 * (bits_ == 4) : i));
                at += count > 0 ? 0 : bytes;
            }
        }
        return true;
    }
};

} // namespace

bool readBmp(Bytes file, Image& image) {
    return Bitmap(file).read(image);
}

} // namespace lathe::images
