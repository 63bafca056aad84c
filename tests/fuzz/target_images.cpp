// SPDX-License-Identifier: Apache-2.0
//
// Image files: decoded whole, in limits, with each pixel written, or refused.
#include "abi/images.h"
#include "fuzz/targets.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>

namespace lathe::fuzz {

bool decodeImage(std::string_view bytes) {
    bool isImage = false;
    for (const int32_t format : {LATHE_PIXELS_RGB, LATHE_PIXELS_GRAYSCALE}) {
        lathe_image image = {};
        if (lathe_decode_image(bytes.data(), static_cast<int64_t>(bytes.size()), format, &image) != 0) {
            require(!image.pixels, "refused, and gives pixels");
            continue;
        }
        const std::unique_ptr<uint8_t, void (*)(void*)> owner(image.pixels, std::free);
        require(image.height > 0 && image.width > 0 && image.height <= LATHE_IMAGE_SIDE &&
                    image.width <= LATHE_IMAGE_PIXELS / image.height && image.width <= LATHE_IMAGE_SIDE,
                "an image out of limits");
        const auto count = static_cast<size_t>(image.height * image.width * (format == LATHE_PIXELS_GRAYSCALE ? 1 : 3));
        // A sanitizer finds what lies beyond, or was never written.
        volatile uint8_t most = std::ranges::max(std::span(image.pixels, count));
        (void)most;
        isImage = true;
    }
    return isImage;
}

} // namespace lathe::fuzz
