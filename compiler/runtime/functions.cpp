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

Object* objectInput(lathe_exec* exec, int32_t input) {
    return exec->context->objectInput(input);
}
void objectOutput(lathe_exec* exec, int32_t output, Object* object) {
    exec->context->setObjectOutput(output, object);
}
Object* objectTensor(lathe_exec* exec, int64_t bytes, int32_t rank) {
    return exec->context->objects().tensor(bytes, rank);
}
Object* objectList(lathe_exec* exec, int32_t tag) {
    return exec->context->objects().list(tag);
}
Object* objectInsert(lathe_exec* exec, Object* list, int64_t place, Object* element) {
    return exec->context->objects().insert(list, place, element);
}
Object* objectErase(lathe_exec* exec, Object* list, int64_t place) {
    return exec->context->objects().erase(list, place);
}
Object* objectAt(lathe_exec*, const Object* list, int64_t place) {
    ObjectHeap::retain(list->at(place));
    return list->at(place);
}
int64_t objectLength(lathe_exec*, const Object* list) {
    return list->count;
}
int64_t objectTag(lathe_exec*, const Object* list) {
    return list->tag;
}
void* objectData(lathe_exec*, Object* tensor) {
    return tensor->data;
}
int64_t objectDim(lathe_exec*, const Object* tensor, int32_t axis) {
    return tensor->dims()[axis];
}
void objectSetDim(lathe_exec*, Object* tensor, int32_t axis, int64_t value) {
    tensor->dims()[axis] = value;
}
int64_t objectExtent(lathe_exec*, const Object* list, int32_t axis, int32_t extent) {
    return extentAlong(*list, axis, extent);
}
void objectJoin(lathe_exec*, const Object* list, int32_t axis, int32_t stack, int32_t elementBytes, void* to) {
    joinAlong(*list, axis, stack != 0, elementBytes, static_cast<char*>(to));
}
void objectRetain(lathe_exec*, Object* object) {
    ObjectHeap::retain(object);
}
void objectRelease(lathe_exec* exec, Object* object) {
    exec->context->objects().release(object);
}

int64_t decodeImage(lathe_exec* exec, const void* bytes, int64_t size, int32_t format) {
    return exec->context->image().decode(bytes, size, format);
}
void imagePixels(lathe_exec* exec, void* to, int64_t bytes) {
    exec->context->image().take(to, bytes);
}

constexpr lathe_functions table = {
    parallel,      inputData,   inputDim,     constant,     outputDim,    outputData,   arenaPush,   arenaMark,
    arenaRelease,  fail,        profile,      math32,       math64,       copy,         fill,        seed,
    keep,          objectInput, objectOutput, objectTensor, objectList,   objectInsert, objectErase, objectAt,
    objectLength,  objectTag,   objectData,   objectDim,    objectSetDim, objectExtent, objectJoin,  objectRetain,
    objectRelease, decodeImage, imagePixels,  string,
};
static_assert(sizeof(lathe_functions) == LATHE_FN_COUNT * sizeof(void*), "lathe_function and lathe_functions differ");

} // namespace

const lathe_functions* functionTable() {
    return &table;
}

} // namespace lathe::runtime
