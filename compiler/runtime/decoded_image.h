// SPDX-License-Identifier: Apache-2.0
//
// Images that models decode. What decodes them is a library apart, liblathe_images, looked for beside this one when the
// first image comes; of a runtime without it only models with images are any the worse.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace lathe::runtime {

/// The image that was decoded last, from when its size is asked for until its pixels are taken.
class DecodedImage {
public:
    /// height * 2^32 + width; 0: no image; -1: no library.
    int64_t decode(const void* bytes, int64_t size, int32_t format);
    /// Copies the pixels, of which there are so many, and lets go of them.
    void take(void* to, int64_t bytes);

private:
    struct Free {
        void operator()(void* pixels) const { std::free(pixels); }
    };
    std::unique_ptr<void, Free> pixels_;
};

} // namespace lathe::runtime
