// SPDX-License-Identifier: Apache-2.0
#include "runtime/decoded_image.h"

#include "abi/images.h"

#include <cstring>
#include <dlfcn.h>
#include <string>

namespace lathe::runtime {
namespace {

lathe_decode_image_function openDecoder() {
    Dl_info where{};
    if (!dladdr(reinterpret_cast<const void*>(&openDecoder), &where) || !where.dli_fname)
        return nullptr;
    std::string path = where.dli_fname;
    path.erase(path.rfind('/') + 1); // all of a name alone
    path += LATHE_IMAGES_LIBRARY;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); // to the end of the process
    return library ? reinterpret_cast<lathe_decode_image_function>(dlsym(library, LATHE_IMAGES_FUNCTION)) : nullptr;
}

lathe_decode_image_function decoder() {
    static const lathe_decode_image_function function = openDecoder();
    return function;
}

} // namespace

int64_t DecodedImage::decode(const void* bytes, int64_t size, int32_t format) {
    pixels_.reset();
    if (!decoder())
        return -1;
    lathe_image image{};
    if (decoder()(bytes, size, format, &image) != 0)
        return 0;
    pixels_.reset(image.pixels);
    return image.height << 32 | image.width;
}

void DecodedImage::take(void* to, int64_t bytes) {
    if (pixels_ && bytes > 0)
        std::memcpy(to, pixels_.get(), static_cast<size_t>(bytes));
    pixels_.reset();
}

} // namespace lathe::runtime
