/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads golden tensors from their NumPy files, and holds values against them. The types are the model's own; a file has the
 * bytes of the elements, whatever NumPy calls them. C99.
 */
#ifndef NPY_H
#define NPY_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NPY_MAX_RANK 32

typedef struct npy_array {
    int32_t rank;
    int64_t dims[NPY_MAX_RANK];
    char type[16]; /* as NumPy calls that of its elements: "<f4" */
    void* data;    /* free() it; NULL: the file could not be read */
    size_t bytes;
} npy_array;

/* NPY_EXACT: elements that are equal or not, byte by byte. */
typedef enum npy_kind { NPY_EXACT, NPY_FLOAT, NPY_BFLOAT } npy_kind;

static inline npy_array npy_read(const char* path) {
    npy_array array;
    char header[65536];
    unsigned char prefix[10];
    FILE* file;
    memset(&array, 0, sizeof array);
    file = fopen(path, "rb");
    if (file && fread(prefix, 1, 10, file) == 10) {
        const size_t length = prefix[8] | (size_t)prefix[9] << 8;
        const long begin = 10 + (long)length;
        if (length < sizeof header && fread(header, 1, length, file) == length) {
            const char* at;
            header[length] = 0;
            at = strstr(header, "'descr': '");
            if (at)
                sscanf(at + 10, "%15[^']", array.type);
            at = strstr(header, "'shape': (");
            for (at = at ? at + 10 : ")"; *at != ')' && *at && array.rank < NPY_MAX_RANK;) {
                array.dims[array.rank++] = strtoll(at, (char**)&at, 10);
                while (*at == ',' || *at == ' ')
                    ++at;
            }
            fseek(file, 0, SEEK_END);
            array.bytes = (size_t)(ftell(file) - begin);
            array.data = malloc(array.bytes + 1);
            fseek(file, begin, SEEK_SET);
            if (array.data && fread(array.data, 1, array.bytes, file) != array.bytes) {
                free(array.data);
                array.data = NULL;
            }
        }
    }
    if (file)
        fclose(file);
    if (!array.data)
        fprintf(stderr, "%s cannot be read\n", path);
    return array;
}

/* Element `index` as a double: NPY_FLOAT of 16, 32 and 64 bits, NPY_BFLOAT of 16. */
static inline double npy_element(npy_kind kind, size_t width, const void* data, size_t index) {
    if (width == 8)
        return ((const double*)data)[index];
    if (width == 4)
        return ((const float*)data)[index];
    {
        const uint16_t bits = ((const uint16_t*)data)[index];
        const int significand = kind == NPY_BFLOAT ? 7 : 10, bias = kind == NPY_BFLOAT ? 127 : 15;
        const int exponent = (bits & 0x7fff) >> significand, fraction = bits & ((1 << significand) - 1);
        const double value = exponent == 2 * bias + 1 ? (fraction ? NAN : INFINITY)
                             : exponent               ? ldexp(1 + ldexp(fraction, -significand), exponent - bias)
                                                      : ldexp(fraction, 1 - bias - significand);
        return bits & 0x8000 ? -value : value;
    }
}

/* How many elements, of `width` bytes each, are not as expected: farther off than `absolute` and than `of_range` of the
 * largest expected value; -1: there are more or fewer. */
static inline long npy_wrong(npy_kind kind, size_t width, const void* got, size_t got_bytes, const npy_array* expected,
                             double absolute, double of_range) {
    const size_t count = width ? got_bytes / width : 0;
    size_t i;
    long wrong = 0;
    double range = 0, limit;
    if (got_bytes != expected->bytes)
        return -1;
    if (kind == NPY_EXACT) {
        for (i = 0; i < count; ++i)
            wrong += memcmp((const char*)got + i * width, (const char*)expected->data + i * width, width) != 0;
        return wrong;
    }
    for (i = 0; i < count; ++i) {
        const double value = fabs(npy_element(kind, width, expected->data, i));
        range = isfinite(value) && value > range ? value : range;
    }
    limit = fmax(absolute, of_range * range);
    for (i = 0; i < count; ++i) {
        const double a = npy_element(kind, width, got, i), b = npy_element(kind, width, expected->data, i);
        wrong += !(a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= limit);
    }
    return wrong;
}

#endif
