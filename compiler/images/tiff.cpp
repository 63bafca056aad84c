// SPDX-License-Identifier: Apache-2.0
//
// TIFF by libtiff, which makes bytes of red, green and blue of whatever a file stores; its first page.
#include "images/image.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <tiffio.h>

namespace lathe::images {
namespace {

constexpr tmsize_t mostTiffBytes = tmsize_t{1} << 30; // that one piece of a file may unpack to

struct TiffSource {
    Bytes file;
    size_t at = 0;
};

tmsize_t readTiffBytes(thandle_t handle, void* to, tmsize_t count) {
    auto& source = *static_cast<TiffSource*>(handle);
    const size_t left = source.at < source.file.size() ? source.file.size() - source.at : 0;
    const size_t taken = std::min(left, count < 0 ? 0 : static_cast<size_t>(count));
    if (taken > 0)
        std::memcpy(to, source.file.data() + source.at, taken);
    source.at += taken;
    return static_cast<tmsize_t>(taken);
}

tmsize_t writeNothing(thandle_t, void*, tmsize_t) {
    return 0;
}

toff_t seekTiff(thandle_t handle, toff_t offset, int whence) {
    auto& source = *static_cast<TiffSource*>(handle);
    const uint64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? source.at : source.file.size();
    return source.at = static_cast<size_t>(from + offset); // wraps: an offset may be negative
}

int closeNothing(thandle_t) {
    return 0;
}

toff_t sizeOfTiff(thandle_t handle) {
    return static_cast<TiffSource*>(handle)->file.size();
}

int ignoreTiff(TIFF*, void*, const char*, const char*, va_list) {
    return 1; // it is dealt with
}

struct CloseTiff {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
struct FreeOptions {
    void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

} // namespace

bool readTiff(Bytes file, Image& image) {
    TiffSource source{file};
    const std::unique_ptr<TIFFOpenOptions, FreeOptions> options(TIFFOpenOptionsAlloc());
    if (!options)
        return false;
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), ignoreTiff, nullptr);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignoreTiff, nullptr);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), mostTiffBytes);
    const std::unique_ptr<TIFF, CloseTiff> tiff(TIFFClientOpenExt("image", "rm", &source, readTiffBytes, writeNothing,
                                                                  seekTiff, closeNothing, sizeOfTiff, nullptr, nullptr,
                                                                  options.get()));
    uint32_t width = 0, height = 0;
    if (!tiff || !TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) ||
        !TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height) || !image.allocate(height, width, 3))
        return false;
    const size_t count = size_t{width} * height;
    const std::unique_ptr<uint32_t, void (*)(void*)> raster(
        static_cast<uint32_t*>(std::calloc(count, sizeof(uint32_t))), std::free);
    if (!raster || !TIFFReadRGBAImageOriented(tiff.get(), width, height, raster.get(), ORIENTATION_TOPLEFT, 1))
        return false;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t pixel = raster.get()[i];
        uint8_t* to = image.pixels.get() + 3 * i;
        to[0] = static_cast<uint8_t>(TIFFGetR(pixel));
        to[1] = static_cast<uint8_t>(TIFFGetG(pixel));
        to[2] = static_cast<uint8_t>(TIFFGetB(pixel));
    }
    return true;
}

} // namespace lathe::images
