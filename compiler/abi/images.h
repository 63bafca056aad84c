/* SPDX-License-Identifier: Apache-2.0
 *
 * What runtime and liblathe_images agree on: the one function of that library, which decodes image files. It is a library of
 * its own so that runtimes of models without images need none that read them. C99; includes nothing of ours.
 */
#ifndef LATHE_IMAGES_H
#define LATHE_IMAGES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LATHE_IMAGES_LIBRARY "liblathe_images.so"
#define LATHE_IMAGES_FUNCTION "lathe_decode_image"
/* No image has more pixels, or more of them along a side: what a file of a few bytes may ask for. */
#define LATHE_IMAGE_PIXELS (INT64_C(1) << 27)
#define LATHE_IMAGE_SIDE (INT64_C(1) << 20)

enum lathe_pixel_format { LATHE_PIXELS_RGB = 0, LATHE_PIXELS_BGR, LATHE_PIXELS_GRAYSCALE };

typedef struct lathe_image {
    int64_t height, width;
    uint8_t* pixels; /* [height, width, 3], or [height, width, 1] in grayscale; free() it */
} lathe_image;

/* Decodes a BMP, JPEG, JPEG 2000, PNG, PNM, TIFF or WebP file of `size` bytes, whose first bytes say which it is. 0: it did;
 * 1: they are no image, a damaged one, or too large; `image` is as it was then. Any thread. */
int32_t lathe_decode_image(const void* bytes, int64_t size, int32_t format, lathe_image* image);
typedef int32_t (*lathe_decode_image_function)(const void* bytes, int64_t size, int32_t format, lathe_image* image);

#ifdef __cplusplus
}
#endif

#endif
