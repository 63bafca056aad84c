// SPDX-License-Identifier: Apache-2.0
//
// JPEG 2000 by OpenJPEG: gray or three colours of any precision, scaled to bytes; planes of fewer samples are stretched.
#include "images/image.h"

#include <algorithm>
#include <cstring>
#include <openjpeg.h>

namespace lathe::images {
namespace {

struct CodeSource {
    Bytes file;
    size_t at = 0;
};

OPJ_SIZE_T readCode(void* to, OPJ_SIZE_T count, void* handle) {
    auto& source = *static_cast<CodeSource*>(handle);
    const size_t taken = std::min<size_t>(count, source.file.size() - source.at);
    if (taken == 0)
        return static_cast<OPJ_SIZE_T>(-1); // the end
    std::memcpy(to, source.file.data() + source.at, taken);
    source.at += taken;
    return taken;
}

OPJ_OFF_T skipCode(OPJ_OFF_T count, void* handle) {
    auto& source = *static_cast<CodeSource*>(handle);
    if (count < 0 || static_cast<size_t>(count) > source.file.size() - source.at)
        return -1;
    source.at += static_cast<size_t>(count);
    return count;
}

OPJ_BOOL seekCode(OPJ_OFF_T to, void* handle) {
    auto& source = *static_cast<CodeSource*>(handle);
    if (to < 0 || static_cast<size_t>(to) > source.file.size())
        return OPJ_FALSE;
    source.at = static_cast<size_t>(to);
    return OPJ_TRUE;
}

void ignoreCode(const char*, void*) {}

struct DestroyStream {
    void operator()(opj_stream_t* stream) const { opj_stream_destroy(stream); }
};
struct DestroyCodec {
    void operator()(opj_codec_t* codec) const { opj_destroy_codec(codec); }
};
struct DestroyImage {
    void operator()(opj_image_t* image) const { opj_image_destroy(image); }
};
using Decoded = std::unique_ptr<opj_image_t, DestroyImage>;

bool allocateFor(const opj_image_t& decoded, Image& image) {
    return image.allocate(int64_t{decoded.y1} - decoded.y0, int64_t{decoded.x1} - decoded.x0,
                          decoded.numcomps < 3 ? 1 : 3);
}

/// Whether the header asks for no more than an image may have, before anything is decoded.
bool isInLimits(const opj_image_t& decoded, Image& image) {
    if (decoded.numcomps < 1 || decoded.numcomps > 4 || decoded.x1 <= decoded.x0 || decoded.y1 <= decoded.y0)
        return false;
    for (OPJ_UINT32 i = 0; i < decoded.numcomps; ++i)
        if (decoded.comps[i].dx < 1 || decoded.comps[i].dy < 1 || decoded.comps[i].prec < 1 ||
            decoded.comps[i].prec > 31)
            return false;
    return allocateFor(decoded, image);
}

/// The sample of a plane at a pixel, as a byte.
int sampleOf(const opj_image_comp_t& plane, int64_t y, int64_t x) {
    const int64_t row = std::min<int64_t>(y / plane.dy, int64_t{plane.h} - 1),
                  column = std::min<int64_t>(x / plane.dx, int64_t{plane.w} - 1);
    const int64_t most = (int64_t{1} << plane.prec) - 1;
    int64_t value = plane.data[row * plane.w + column];
    if (plane.sgnd)
        value += int64_t{1} << (plane.prec - 1);
    value = std::clamp<int64_t>(value, 0, most);
    return static_cast<int>(plane.prec >= 8 ? value >> (plane.prec - 8) : value * 255 / most);
}

uint8_t asByte(double value) {
    return static_cast<uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

/// A palette has made planes of indices by now.
bool takePlanes(const opj_image_t& decoded, Image& image) {
    if (!allocateFor(decoded, image))
        return false;
    for (int c = 0; c < image.channels; ++c)
        if (!decoded.comps[c].data || decoded.comps[c].w < 1 || decoded.comps[c].h < 1)
            return false;
    const bool isLuma = decoded.color_space == OPJ_CLRSPC_SYCC && image.channels == 3;
    for (int64_t y = 0; y < image.height; ++y) {
        uint8_t* to = image.row(y);
        for (int64_t x = 0; x < image.width; ++x, to += image.channels) {
            int samples[3] = {};
            for (int c = 0; c < image.channels; ++c)
                samples[c] = sampleOf(decoded.comps[c], y, x);
            if (!isLuma) {
                std::copy_n(samples, image.channels, to);
                continue;
            }
            const int blue = samples[1] - 128, red = samples[2] - 128; // ITU-R 601
            to[0] = asByte(samples[0] + 1.402 * red);
            to[1] = asByte(samples[0] - 0.344136 * blue - 0.714136 * red);
            to[2] = asByte(samples[0] + 1.772 * blue);
        }
    }
    return true;
}

} // namespace

bool readJpeg2000(Bytes file, Image& image) {
    CodeSource source{file};
    const std::unique_ptr<opj_codec_t, DestroyCodec> codec(
        opj_create_decompress(file[0] == 0 ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K));
    const std::unique_ptr<opj_stream_t, DestroyStream> stream(opj_stream_default_create(OPJ_TRUE));
    if (!codec || !stream)
        return false;
    opj_set_info_handler(codec.get(), ignoreCode, nullptr);
    opj_set_warning_handler(codec.get(), ignoreCode, nullptr);
    opj_set_error_handler(codec.get(), ignoreCode, nullptr);
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    opj_stream_set_read_function(stream.get(), readCode);
    opj_stream_set_skip_function(stream.get(), skipCode);
    opj_stream_set_seek_function(stream.get(), seekCode);
    opj_stream_set_user_data(stream.get(), &source, nullptr);
    opj_stream_set_user_data_length(stream.get(), file.size());
    opj_image_t* header = nullptr;
    if (!opj_setup_decoder(codec.get(), &parameters) || !opj_decoder_set_strict_mode(codec.get(), OPJ_TRUE) ||
        !opj_read_header(stream.get(), codec.get(), &header))
        return false;
    const Decoded decoded(header);
    return decoded && isInLimits(*decoded, image) && opj_decode(codec.get(), stream.get(), decoded.get()) &&
           opj_end_decompress(codec.get(), stream.get()) && takePlanes(*decoded, image);
}

} // namespace lathe::images
