// SPDX-License-Identifier: Apache-2.0
//
// Which reader a file is for, by its first bytes, and the pixels in the format that is asked for.
#include "abi/images.h"
#include "images/image.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace lathe::images {

bool Image::allocate(int64_t wantedHeight, int64_t wantedWidth, int wantedChannels) {
    if (wantedHeight < 1 || wantedWidth < 1 || wantedHeight > LATHE_IMAGE_SIDE || wantedWidth > LATHE_IMAGE_SIDE ||
        wantedHeight * wantedWidth > LATHE_IMAGE_PIXELS)
        return false;
    height = wantedHeight;
    width = wantedWidth;
    channels = wantedChannels;
    pixels.reset(static_cast<uint8_t*>(std::calloc(bytes(), 1)));
    return pixels != nullptr;
}

namespace {

using namespace std::string_view_literals;

struct Kind {
    std::string_view begins;
    size_t at; // where in the file it stands
    bool (*read)(Bytes, Image&);
};

constexpr Kind kinds[] = {
    {"BM"sv, 0, readBmp},
    {"\xff\xd8\xff"sv, 0, readJpeg},
    {"\xff\x4f\xff\x51"sv, 0, readJpeg2000}, // the code stream alone
    {"\0\0\0\x0cjP  \r\n\x87\n"sv, 0, readJpeg2000},
    {"\x89PNG\r\n\x1a\n"sv, 0, readPng},
    {"II*\0"sv, 0, readTiff},
    {"MM\0*"sv, 0, readTiff},
    {"WEBP"sv, 8, readWebp},
    {"P"sv, 0, readPnm},
};

bool readAny(Bytes file, Image& image) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    const auto fits = [&](const Kind& kind) {
        return text.size() > kind.at && text.substr(kind.at).starts_with(kind.begins);
    };
    const auto found = std::ranges::find_if(kinds, fits);
    return found != std::end(kinds) && found->read(file, image) && image.pixels;
}

/// Three channels, or one by the weights of ITU-R 601 in 16 bits.
bool convert(Image& image, int32_t format) {
    const int channels = format == LATHE_PIXELS_GRAYSCALE ? 1 : 3;
    if (image.channels == channels) {
        if (format == LATHE_PIXELS_BGR)
            for (uint8_t *p = image.pixels.get(), *end = p + image.bytes(); p != end; p += 3)
                std::swap(p[0], p[2]);
        return true;
    }
    Image other;
    if (!other.allocate(image.height, image.width, channels))
        return false;
    const uint8_t* from = image.pixels.get();
    for (uint8_t *p = other.pixels.get(), *end = p + other.bytes(); p != end; p += channels) {
        if (channels == 1) {
            *p = static_cast<uint8_t>((from[0] * 19595 + from[1] * 38470 + from[2] * 7471 + 0x8000) >> 16);
            from += 3;
        } else {
            std::fill_n(p, 3, *from++);
        }
    }
    image = std::move(other);
    return true;
}

} // namespace
} // namespace lathe::images

extern "C" __attribute__((visibility("default"))) int32_t lathe_decode_image(const void* bytes, int64_t size,
                                                                             int32_t format, lathe_image* image) {
    using namespace lathe::images;
    Image decoded;
    if (!bytes || size < 1 || !readAny({static_cast<const uint8_t*>(bytes), static_cast<size_t>(size)}, decoded) ||
        !convert(decoded, format))
        return 1;
    *image = {decoded.height, decoded.width, decoded.pixels.release()};
    return 0;
}
