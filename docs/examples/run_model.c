/* SPDX-License-Identifier: Apache-2.0
 * Runs a compiled model (float32 in and out, symbolic dims taken as 1) from two threads, each with a context of its own:
 *     gcc run_model.c -I BUNDLE/include -L LIB -llathe_rt -lpthread -lm && ./a.out model.so input.raw expected.raw */
#include "lathe/lathe_rt.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static lathe_model* model; /* shared by all contexts, immutable */
static float *input, *expected;
static long input_count, expected_count;

static float* read_floats(const char* path, long* count) {
    FILE* file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        return NULL;
    size_t size = (size_t)ftell(file);
    float* data = malloc(size + 1);
    rewind(file);
    *count = data ? (long)(fread(data, 1, size, file) / sizeof(float)) : 0;
    fclose(file);
    return data;
}

static void* run(void* bad) { /* gives bad back if it went badly, else NULL */
    lathe_context* context = NULL;
    lathe_value_info info;
    int64_t dims[LATHE_MAX_RANK];
    DLTensor out;
    long count = 1, values = 1, wrong = 0;
    lathe_model_input(model, 0, &info);
    for (int i = 0; i < info.rank; ++i)
        count *= (long)(dims[i] = info.dims[i] < 0 ? 1 : info.dims[i]);
    DLTensor in = {input, {kDLCPU, 0}, info.rank, info.dtype, dims, NULL, 0};
    if (count != input_count || lathe_context_create(model, NULL, &context) || lathe_set_input(context, 0, &in) ||
        lathe_run(context) || lathe_get_output(context, 0, &out)) {
        fprintf(stderr, "%s\n", context ? lathe_last_error(context) : "the input's size is not the model's");
        return bad;
    }
    for (int i = 0; i < out.ndim; ++i)
        values *= (long)out.shape[i];
    for (long i = 0; i < values && i < expected_count; ++i)
        wrong += !(fabs(((const float*)out.data)[i] - expected[i]) <= 1e-3 + 1e-3 * fabs(expected[i]));
    printf("%ld values, %ld wrong\n", values, wrong);
    lathe_context_free(context);
    return wrong || values != expected_count ? bad : NULL;
}

int main(int argc, char** argv) {
    pthread_t other;
    void *first, *second;
    if (argc == 4 && !lathe_model_load(argv[1], &model) && (input = read_floats(argv[2], &input_count)) &&
        (expected = read_floats(argv[3], &expected_count)) && !pthread_create(&other, NULL, run, model))
        return (first = run(model), pthread_join(other, &second)) || first || second;
    fprintf(stderr, "run_model ARTIFACT INPUT EXPECTED: %s\n", lathe_thread_error());
    return 1;
}
