// SPDX-License-Identifier: Apache-2.0
//
// What reads each kind of image file. Readers get bytes that may be anything and give all pixels or nothing. Those of libjpeg
// and libpng leave a fault by longjmp: between their setjmp and where they are called stands nothing that has a destructor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace lathe::images {

struct Freed {
    void operator()(uint8_t* pixels) const { std::free(pixels); }
};

/// [height, width, channels], one or three of them: gray, or red, green and blue.
struct Image {
    int64_t height = 0, width = 0;
    int channels = 0;
    std::unique_ptr<uint8_t, Freed> pixels;

    /// Zeros. False if they would be none, or too many (abi/images.h).
    bool allocate(int64_t wantedHeight, int64_t wantedWidth, int wantedChannels);
    uint8_t* row(int64_t y) { return pixels.get() + y * width * channels; }
    size_t bytes() const { return static_cast<size_t>(height * width * channels); }
};

using Bytes = std::span<const uint8_t>;

bool readBmp(Bytes file, Image& image);
bool readJpeg(Bytes file, Image& image);
bool readJpeg2000(Bytes file, Image& image);
bool readPng(Bytes file, Image& image);
bool readPnm(Bytes file, Image& image);
bool readTiff(Bytes file, Image& image);
bool readWebp(Bytes file, Image& image);

} // namespace lathe::images
