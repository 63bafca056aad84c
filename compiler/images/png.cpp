// SPDX-License-Identifier: Apache-2.0
//
// PNG by libpng: palettes and small samples widened to bytes, large ones cut to their upper byte, opacity left out.
#include "images/image.h"

#include "abi/images.h"

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <png.h>

namespace lathe::images {
namespace {

constexpr png_alloc_size_t mostChunkBytes = 1 << 24; // of one text, profile or the like
constexpr png_uint_32 mostChunks = 1000;

struct PngSource {
    const uint8_t* at;
    size_t left;
};

void takeBytes(png_structp png, png_bytep to, size_t count) {
    auto& source = *static_cast<PngSource*>(png_get_io_ptr(png));
    if (count > source.left)
        png_error(png, "ends early");
    std::memcpy(to, source.at, count);
    source.at += count;
    source.left -= count;
}

void leavePng(png_structp png, png_const_charp) {
    png_longjmp(png, 1);
}

void ignorePng(png_structp, png_const_charp) {}

/// `image` belongs to the caller: a fault jumps over nothing that has a destructor.
bool decodePng(png_structp png, png_infop info, PngSource& source, Image& image) {
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_set_read_fn(png, &source, takeBytes);
    png_set_user_limits(png, LATHE_IMAGE_SIDE, LATHE_IMAGE_SIDE);
    png_set_chunk_malloc_max(png, mostChunkBytes);
    png_set_chunk_cache_max(png, mostChunks);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_strip_16(png);
    png_set_strip_alpha(png);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    const int channels = png_get_channels(png, info);
    if ((channels != 1 && channels != 3) || png_get_bit_depth(png, info) != 8 ||
        !image.allocate(png_get_image_height(png, info), png_get_image_width(png, info), channels))
        return false;
    for (int pass = 0; pass < passes; ++pass)
        for (int64_t y = 0; y < image.height; ++y)
            png_read_row(png, image.row(y), nullptr);
    png_read_end(png, nullptr);
    return true;
}

} // namespace

bool readPng(Bytes file, Image& image) {
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, leavePng, ignorePng);
    png_infop info = png ? png_create_info_struct(png) : nullptr;
    PngSource source{file.data(), file.size()};
    const bool isRead = info && decodePng(png, info, source, image);
    png_destroy_read_struct(&png, &info, nullptr);
    return isRead;
}

} // namespace lathe::images
