/* SPDX-License-Identifier: Apache-2.0
 *
 * A model written by hand: y[n, 4] = x[n, 4] + c[4], and z[k], whose size (3) only running tells.
 * What x[0, 0] is may ask for trouble instead. Built when the tests run, as the compiler's output would be: no library.
 */
#include "abi/abi.h"

enum { FLOAT = 4 };

static const lathe_functions* functions;
static const int64_t row_dims[] = {-1, 4};
static const int64_t unknown_dims[] = {INT64_MIN};
static const lathe_value_desc inputs[] = {{"x", FLOAT, 32, 2, row_dims, NULL}};
static const lathe_value_desc outputs[] = {{"y", FLOAT, 32, 2, row_dims, NULL},
                                           {"z", FLOAT, 32, 1, unknown_dims, NULL}};
static const char* const symbols[] = {"n"};
static const lathe_constant_desc constants[] = {{1, 2, 0, 16, 0}};
static const lathe_check_desc kernel_checks[] = {{LATHE_CHECK_INVALID_VALUE, 0, "never"},
                                                 {LATHE_CHECK_INDEX_OUT_OF_RANGE, 1, "index out of range (7 of 4)"}};
static const lathe_check_desc entry_checks[] = {{LATHE_CHECK_OUT_OF_MEMORY, 0, "out of memory"}};
static const lathe_kernel_desc kernels[] = {{"add", 2, kernel_checks}};
static const char* const nodes[] = {"add_1", "gather_3"};
static const lathe_call_desc calls[] = {{"fused_add", 0, 2, nodes, 4, 32}};

struct closure {
    const float *x, *c;
    float* y;
};

static int32_t add_row(void* data, int64_t row, lathe_exec* exec) {
    const struct closure* closure = data;
    (void)exec;
    for (int i = 0; i < 4; ++i)
        closure->y[4 * row + i] = closure->x[4 * row + i] + closure->c[i];
    return 0;
}

/* Declared here: a kernel that prints is what the runner must be proof against. Weak: the static runner has none for it. */
__attribute__((weak)) int printf(const char*, ...);

static int32_t misbehave(lathe_exec* exec, int what) {
    switch (what) {
    case -101:
        *(volatile int*)(intptr_t)(what + 101) = 1;
        return 0;
    case -102:
        for (volatile int i = 0;; ++i) {
        }
    case -103:
        if (printf)
            printf("LHTR this is not the protocol\n");
        return 0;
    case -104:
        functions->fail(exec, 0, 2);
        return 2;
    case -105:
        return functions->arena_push(exec, (int64_t)1 << 40) ? 0 : (functions->fail(exec, -1, 1), 1);
    default:
        return 0;
    }
}

static int32_t entry(lathe_exec* exec) {
    const int64_t n = functions->input_dim(exec, 0, 0);
    struct closure closure = {functions->input_data(exec, 0), functions->constant(exec, 0), 0};
    const int32_t bad = n > 0 ? misbehave(exec, (int)closure.x[0]) : 0;
    if (bad)
        return bad;
    functions->output_dim(exec, 0, 0, n);
    closure.y = functions->output_data(exec, 0, n * 16);
    functions->profile(exec, 0, 0);
    const int32_t status = functions->parallel(exec, add_row, &closure, n);
    functions->profile(exec, 0, 1);
    functions->output_dim(exec, 1, 0, 3);
    float* z = functions->output_data(exec, 1, 12);
    if (status || !closure.y || !z)
        return 1;
    for (int i = 0; i < 3; ++i)
        z[i] = (float)i;
    return 0;
}

lathe_model_desc lathe_model = {.abi_version = LATHE_ABI_VERSION,
                                .name = "probe",
                                .input_count = 1,
                                .output_count = 2,
                                .symbol_count = 1,
                                .constant_count = 1,
                                .kernel_count = 1,
                                .call_count = 1,
                                .entry_check_count = 1,
                                .inputs = inputs,
                                .outputs = outputs,
                                .symbols = symbols,
                                .constants = constants,
                                .kernels = kernels,
                                .calls = calls,
                                .entry_checks = entry_checks,
                                .metadata = "{}",
                                .entry = entry,
                                .functions = &functions};
