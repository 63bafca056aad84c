/* SPDX-License-Identifier: Apache-2.0
 *
 * A model that is part of the program: what its static library defines, once, by the model's name. C99.
 */
#ifndef LATHE_LINKED_MODEL_H
#define LATHE_LINKED_MODEL_H

#include "lathe_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lathe_linked_model {
    const lathe_model_desc* desc;
    const void* constants; /* NULL: it has none */
    int64_t constant_bytes;
} lathe_linked_model;

/* As lathe_model_load, of what is in memory. */
static inline lathe_status lathe_linked_model_open(const lathe_linked_model* linked, lathe_model** model) {
    return lathe_model_from_memory(linked->desc, linked->constants, linked->constant_bytes, model);
}

#ifdef __cplusplus
}
#endif

#endif
