// SPDX-License-Identifier: Apache-2.0
//
// JPEG by libjpeg-turbo, with its default ("fancy") upsampling, which is what ONNX asks for. What ends before its end, or
// has more scans than a camera or a browser would write, is no image.
#include "images/image.h"

#include <csetjmp>
#include <cstdio>

extern "C" {
#include <jerror.h>
#include <jpeglib.h>
}

namespace lathe::images {
namespace {

constexpr int mostScans = 500; // each makes the library go over the whole image

struct JpegFault {
    jpeg_error_mgr base; // first: libjpeg knows this part alone
    std::jmp_buf to;
    bool endsEarly;
};

void leave(j_common_ptr info) {
    std::longjmp(reinterpret_cast<JpegFault*>(info->err)->to, 1);
}

void note(j_common_ptr info, int level) {
    if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF)
        reinterpret_cast<JpegFault*>(info->err)->endsEarly = true;
}

void quiet(j_common_ptr) {}

void watch(j_common_ptr info) {
    if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > mostScans)
        leave(info);
}

/// Inks as an Adobe file stores them, which is inverted, or as any other does, in place of the first three of four bytes.
void inksToLight(const uint8_t* inks, uint8_t* light, JDIMENSION width, bool isInverted) {
    for (JDIMENSION x = 0; x < width; ++x, inks += 4, light += 3)
        for (int c = 0; c < 3; ++c) {
            const int ink = isInverted ? inks[c] : 255 - inks[c], black = isInverted ? inks[3] : 255 - inks[3];
            light[c] = static_cast<uint8_t>((ink * black + 127) / 255);
        }
}

/// All rows; `line` gets room for one of four inks. What libjpeg itself keeps goes by the size, which is known to be in limits
/// before it begins.
bool readRows(jpeg_decompress_struct& info, Image& image, Image& line) {
    const bool isInks = info.out_color_space == JCS_CMYK;
    if (!image.allocate(info.image_height, info.image_width, info.out_color_space == JCS_GRAYSCALE ? 1 : 3) ||
        (isInks && !line.allocate(4, info.image_width, 1)))
        return false;
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
        uint8_t* const to = image.row(info.output_scanline);
        JSAMPROW row = isInks ? line.pixels.get() : to;
        if (jpeg_read_scanlines(&info, &row, 1) != 1)
            return false;
        if (isInks)
            inksToLight(row, to, info.output_width, info.saw_Adobe_marker);
    }
    jpeg_finish_decompress(&info);
    return true;
}

/// `image` and `line` belong to the caller: a fault jumps over nothing that has a destructor.
bool decodeJpeg(const uint8_t* bytes, size_t size, jpeg_decompress_struct& info, JpegFault& fault,
                jpeg_progress_mgr& progress, Image& image, Image& line) {
    if (setjmp(fault.to))
        return false;
    jpeg_create_decompress(&info);
    progress.progress_monitor = watch;
    info.progress = &progress;
    jpeg_mem_src(&info, bytes, size);
    if (jpeg_read_header(&info, TRUE) != JPEG_HEADER_OK)
        return false;
    const J_COLOR_SPACE stored = info.jpeg_color_space;
    info.out_color_space = stored == JCS_GRAYSCALE                    ? JCS_GRAYSCALE
                           : stored == JCS_CMYK || stored == JCS_YCCK ? JCS_CMYK
                                                                      : JCS_RGB;
    return readRows(info, image, line) && !fault.endsEarly;
}

} // namespace

bool readJpeg(Bytes file, Image& image) {
    jpeg_decompress_struct info = {};
    JpegFault fault = {};
    jpeg_progress_mgr progress = {};
    Image line;
    info.err = jpeg_std_error(&fault.base);
    fault.base.error_exit = leave;
    fault.base.emit_message = note;
    fault.base.output_message = quiet;
    const bool isRead = decodeJpeg(file.data(), file.size(), info, fault, progress, image, line);
    jpeg_destroy_decompress(&info);
    return isRead;
}

} // namespace lathe::images
