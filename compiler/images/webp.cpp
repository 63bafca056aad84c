// SPDX-License-Identifier: Apache-2.0
//
// WebP by libwebp; of a moving image there is none.
#include "images/image.h"

#include <webp/decode.h>

namespace lathe::images {

bool readWebp(Bytes file, Image& image) {
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(file.data(), file.size(), &features) != VP8_STATUS_OK || features.has_animation != 0 ||
        !image.allocate(features.height, features.width, 3))
        return false;
    return WebPDecodeRGBInto(file.data(), file.size(), image.pixels.get(), image.bytes(),
                             static_cast<int>(image.width * 3)) != nullptr;
}

} // namespace lathe::images
