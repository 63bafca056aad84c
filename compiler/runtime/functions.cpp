// SPDX-License-Identifier: Apache-2.0
//
// Generated code's way into the runtime. Nothing here throws; indices are the compiler's own and not checked again.
#include "runtime/functions.h"

#include "runtime/context.h"
#include "runtime/math.h"

#include <cstring>

namespace lathe::runtime {

namespace {

int32_t parallel(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks) {
    return exec->context->parallel(exec, task, closure, chunks);
}
void* inputData(lathe_exec* exec, int32_t input) {
    return exec->context->inputData(input);
}
int64_t inputDim(lathe_exec* exec, int32_t input, int32_t axis) {
    return exec->context->inputDim(input, axis);
}
const void* constant(lathe_exec* exec, int32_t index) {
    return exec->context->constant(index);
}
void outputDim(lathe_exec* exec, int32_t output, int32_t axis, int64_t value) {
    exec->context->setOutputDim(output, axis, value);
}
void* outputData(lathe_exec* exec, int32_t output, int64_t bytes) {
    return exec->context->outputData(output, bytes);
}
void* arenaPush(lathe_exec* exec, int64_t bytes) {
    return exec->context->pushOutsideRegion(exec, bytes);
}
int64_t arenaMark(lathe_exec* exec) {
    return exec->context->arena().mark();
}
void arenaRelease(lathe_exec* exec, int64_t mark) {
    if (!exec->inRegion)
        exec->context->arena().release(mark);
}
void fail(lathe_exec* exec, int32_t call, int32_t status) {
    exec->context->noteFailure(call, status);
}
void profile(lathe_exec* exec, int32_t call, int32_t end) {
    exec->context->profile().noteCall(call, end != 0);
}
void copy(void* to, const void* from, int64_t bytes) {
    if (bytes > 0)
        std::memmove(to, from, static_cast<size_t>(bytes));
}
void fill(void* to, int32_t byte, int64_t bytes) {
    if (bytes > 0)
        std::memset(to, byte, static_cast<size_t>(bytes));
}
uint64_t seed(lathe_exec* exec) {
    return exec->context->seed();
}
void* keep(lathe_exec* exec, int32_t place, int64_t bytes) {
    return exec->context->keep(exec, place, bytes);
}
int64_t string(lathe_exec* exec, int32_t function, int64_t a, int64_t b, int64_t c) {
    return exec->context->strings().call(function, a, b, c);
}

constexpr lathe_functions table = {
    parallel, inputData, inputDim, constant, outputDim, outputData, arenaPush, arenaMark, arenaRelease,
    fail,     profile,   math32,   math64,   copy,      fill,       seed,      keep,      string,
};
static_assert(sizeof(lathe_functions) == LATHE_FN_COUNT * sizeof(void*), "lathe_function and lathe_functions differ");

} // namespace

const lathe_functions* functionTable() {
    return &table;
}

} // namespace lathe::runtime
