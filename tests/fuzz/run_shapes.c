/* SPDX-License-Identifier: Apache-2.0
 *
 * A user of liblathe_rt who gives a model shapes of any kind. Reads lines of numbers, a seed and the dims of all inputs
 * one after the other; answers each with a line: the status, and for a good run the dims of each output. The last line
 * is the peak of the process' resident memory in KiB.
 */
#include "runtime/lathe_rt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MOST_INPUTS = 16 };
#define MEMORY ((int64_t)64 << 20)

/* Elements that are sizes as well: shapes are inputs of some models. */
static void fill(void* data, DLDataType type, uint64_t seed) {
    memset(data, 0, 4096);
    if (type.code != kDLInt || type.bits != 64)
        return;
    int64_t* elements = data;
    for (int i = 0; i < 512; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int bits = (int)(seed >> 33) % 63;
        const int64_t power = (int64_t)((uint64_t)1 << bits);
        elements[i] = seed >> 62 == 0 ? power - 1 : seed >> 62 == 1 ? (int64_t)(seed >> 40) % 5 - 1 : power;
    }
}

int main(int argc, char** argv) {
    lathe_model* model = NULL;
    if (argc != 2 || lathe_model_load(argv[1], &model) != LATHE_OK) {
        fprintf(stderr, "%s\n", lathe_thread_error());
        return 2;
    }
    lathe_context_options options;
    memset(&options, 0, sizeof options);
    options.struct_bytes = sizeof options;
    options.threads = 2;
    options.memory_limit = MEMORY;
    lathe_context* context = NULL;
    if (lathe_context_create(model, &options, &context) != LATHE_OK)
        return 2;
    const int32_t inputs = lathe_model_input_count(model), outputs = lathe_model_output_count(model);
    void* data[MOST_INPUTS];
    if (inputs > MOST_INPUTS)
        return 2;
    for (int32_t i = 0; i < inputs; ++i)
        if (!(data[i] = calloc(1, (size_t)MEMORY)))
            return 2;
    uint64_t seed;
    while (scanf("%" SCNu64, &seed) == 1) {
        int64_t dims[MOST_INPUTS][LATHE_MAX_RANK];
        lathe_status status = LATHE_OK;
        for (int32_t i = 0; i < inputs; ++i) {
            lathe_value_info info;
            lathe_model_input(model, i, &info);
            DLTensor tensor;
            memset(&tensor, 0, sizeof tensor);
            for (int32_t axis = 0; axis < info.rank; ++axis)
                if (scanf("%" SCNd64, &dims[i][axis]) != 1)
                    return 2;
            fill(data[i], info.dtype, seed + (uint64_t)i);
            tensor.data = data[i];
            tensor.device.device_type = kDLCPU;
            tensor.ndim = info.rank;
            tensor.dtype = info.dtype;
            tensor.shape = dims[i];
            /* What is larger than `data` is over the memory limit, so it is refused unread. */
            const lathe_status refused = lathe_set_input(context, i, &tensor);
            status = status ? status : refused;
        }
        if (status == LATHE_OK)
            status = lathe_run(context);
        printf("%d", (int)status);
        for (int32_t i = 0; status == LATHE_OK && i < outputs; ++i) {
            DLTensor output;
            if (lathe_get_output(context, i, &output) != LATHE_OK)
                return 2;
            int64_t bytes = (output.dtype.bits + 7) / 8;
            printf(" ;");
            for (int32_t axis = 0; axis < output.ndim; ++axis) {
                printf(" %" PRId64, output.shape[axis]);
                bytes *= output.shape[axis];
            }
            /* Every byte of it can be read. */
            volatile char sum = 0;
            for (int64_t at = 0; at < bytes; at += 64)
                sum ^= ((const char*)output.data)[at];
            if (bytes > 0)
                sum ^= ((const char*)output.data)[bytes - 1];
        }
        if (status != LATHE_OK && !*lathe_last_error(context))
            return 3;
        printf("\n");
        fflush(stdout);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
    for (int32_t i = 0; i < inputs; ++i)
        free(data[i]);
    lathe_context_free(context);
    lathe_model_free(model);
    return 0;
}
