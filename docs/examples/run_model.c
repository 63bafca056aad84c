/* SPDX-License-Identifier: Apache-2.0
 * Runs a compiled model (float32 in, float32 out) from two threads at once, each with a context of its own:
 *     gcc -std=c99 run_model.c -I INCLUDE -L LIB -llathe_rt -lpthread -lm && ./a.out model.so input.raw [expected.raw]
 * Files are raw floats; symbolic dims are taken as 1. Exit code 1: an error, or values that were not expected. */
#include "runtime/lathe_rt.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static lathe_model* model; /* for the life of the program */
static float *input, *expected;
static long input_count, expected_count; /* 0: not given */

static float* read_floats(const char* path, long* count) {
    FILE* file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(1);
    }
    *count = ftell(file) / (long)sizeof(float);
    rewind(file);
    float* data = calloc((size_t)*count + 1, sizeof(float));
    if (!data || fread(data, sizeof(float), (size_t)*count, file) != (size_t)*count) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return data;
}

static void* run(void* bad) { /* gives bad back if it went badly, else NULL */
    lathe_context* context = NULL;
    if (lathe_context_create(model, NULL, &context)) {
        fprintf(stderr, "%s\n", lathe_thread_error());
        return bad;
    }
    lathe_value_info info;
    int64_t dims[LATHE_MAX_RANK];
    lathe_model_input(model, 0, &info);
    long needed = 1, count = 1, wrong = 0;
    for (int i = 0; i < info.rank; ++i)
        needed *= (long)(dims[i] = info.dims[i] < 0 ? 1 : info.dims[i]);
    DLTensor in = {input, {kDLCPU, 0}, info.rank, info.dtype, dims, NULL, 0}, out;
    if (needed != input_count || lathe_set_input(context, 0, &in) || lathe_run(context) ||
        lathe_get_output(context, 0, &out)) {
        fprintf(stderr, "the model takes %ld values, the file has %ld; %s\n", needed, input_count,
                lathe_last_error(context));
        wrong = 1;
    } else {
        const float* data = out.data;
        for (int i = 0; i < out.ndim; ++i)
            count *= (long)out.shape[i];
        for (long i = 0; i < count && i < expected_count; ++i)
            wrong += !(fabs(data[i] - expected[i]) <= 1e-3 + 1e-3 * fabs(expected[i]));
        printf("%ld values, %ld wrong; the first is %g, the last %g\n", count, wrong, data[0], data[count - 1]);
        wrong += expected_count && count != expected_count;
    }
    lathe_context_free(context);
    return wrong ? bad : NULL;
}

int main(int argc, char** argv) {
    if (argc < 3) {
        fprintf(stderr, "run_model ARTIFACT INPUT [EXPECTED]\n");
        return 2;
    }
    if (lathe_model_load(argv[1], &model)) {
        fprintf(stderr, "%s\n", lathe_thread_error());
        return 1;
    }
    input = read_floats(argv[2], &input_count);
    if (argc > 3)
        expected = read_floats(argv[3], &expected_count);
    pthread_t other;
    if (pthread_create(&other, NULL, run, model))
        return 1;
    void *first = run(model), *second = model;
    return pthread_join(other, &second) || first || second;
}
