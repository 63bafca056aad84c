/* SPDX-License-Identifier: Apache-2.0
 * Runs a compiled model (float32 in, float32 out) from two threads at once, each with a context of its own:
 *     gcc -std=c99 run_model.c -I<include> -llathe_rt -lpthread -lm && ./a.out model.so input.raw [expected.raw]
 * Files are raw little-endian floats; symbolic dims are taken as 1. Exit code 1: an error, or not what was expected. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/lathe_rt.h"

static lathe_model* model;
static float *input, *expected; /* expected is NULL if not given */
static long expected_count;

static float* read_floats(const char* path, long* count) {
    FILE* file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) { perror(path); exit(1); }
    *count = ftell(file) / (long)sizeof(float);
    rewind(file);
    float* data = malloc((size_t)(*count + 1) * sizeof(float));
    if (!data || fread(data, sizeof(float), (size_t)*count, file) != (size_t)*count) { perror(path); exit(1); }
    fclose(file);
    return data;
}

static void* run(void* thread) {
    lathe_context* context = NULL;
    lathe_context_options options = {.struct_bytes = sizeof options, .threads = 1};
    if (lathe_context_create(model, &options, &context)) { fprintf(stderr, "%s\n", lathe_thread_error()); return "bad"; }
    lathe_value_info info;
    lathe_model_input(model, 0, &info);
    int64_t dims[LATHE_MAX_RANK];
    for (int i = 0; i < info.rank; ++i) dims[i] = info.dims[i] < 0 ? 1 : info.dims[i];
    DLTensor in = {.data = input, .device = {kDLCPU, 0}, .ndim = info.rank, .dtype = info.dtype, .shape = dims}, out;
    void* bad = "bad";
    if (lathe_set_input(context, 0, &in) || lathe_run(context) || lathe_get_output(context, 0, &out)) {
        fprintf(stderr, "%s\n", lathe_last_error(context));
    } else {
        const float* data = out.data;
        long count = 1, wrong = 0;
        for (int i = 0; i < out.ndim; ++i) count *= out.shape[i];
        for (long i = 0; i < count && i < expected_count; ++i)
            wrong += !(fabsf(data[i] - expected[i]) <= 1e-3f + 1e-3f * fabsf(expected[i]));
        printf("context %s: %ld values, %ld wrong; %g %g\n", (char*)thread, count, wrong, data[0], data[count - 1]);
        bad = wrong || (expected && count != expected_count) ? "bad" : NULL;
    }
    lathe_context_free(context);
    return bad;
}

int main(int argc, char** argv) {
    long count;
    if (argc < 3) { fprintf(stderr, "run_model ARTIFACT INPUT [EXPECTED]\n"); return 2; }
    if (lathe_model_load(argv[1], &model)) { fprintf(stderr, "%s\n", lathe_thread_error()); return 1; }
    input = read_floats(argv[2], &count);
    if (argc > 3) expected = read_floats(argv[3], &expected_count);
    pthread_t other;
    void *first, *second = "bad";
    if (pthread_create(&other, NULL, run, "2")) return 1;
    first = run("1");
    pthread_join(other, &second);
    lathe_model_free(model);
    free(input), free(expected);
    return first || second;
}
