// SPDX-License-Identifier: Apache-2.0
//
// Objects lie in pieces of the context's memory, on a list of all of them, so that a run that failed leaves nothing. Nothing
// recurses: a value of a recursive data type may be nested as deep as a loop is long.
#include "runtime/objects.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace lathe::runtime {

namespace {

constexpr auto slotBytes = static_cast<int64_t>(sizeof(Object*));

int64_t alignedBytes(int64_t bytes) {
    return (bytes + memoryAlignment - 1) / memoryAlignment * memoryAlignment;
}

void moveSlots(Object** to, Object* const* from, int64_t count) {
    if (count > 0)
        std::memmove(to, from, static_cast<size_t>(count * slotBytes));
}

int64_t productOf(const int64_t* dims, int32_t from, int32_t to) {
    int64_t product = 1;
    for (int32_t axis = from; axis < to; ++axis)
        product *= dims[axis];
    return product;
}

} // namespace

void* ObjectHeap::take(int64_t bytes) {
    void* const piece = memory_.allocate(bytes);
    if (piece)
        peak_ = std::max(peak_, used_ += bytes);
    return piece;
}

void ObjectHeap::giveBack(void* piece, int64_t bytes) {
    if (piece)
        used_ -= bytes;
    memory_.release(piece, bytes);
}

Object* ObjectHeap::allocate(int64_t bytes, int32_t rank) {
    void* const piece = take(bytes);
    if (!piece)
        return nullptr;
    auto* object = new (piece) Object{};
    object->next = objects_;
    if (objects_)
        objects_->previous = object;
    objects_ = object;
    object->references = 1;
    object->counted = counted_;
    object->rank = rank;
    object->pieceBytes = bytes;
    return object;
}

Object* ObjectHeap::tensor(int64_t bytes, int32_t rank) {
    const int64_t before =
        alignedBytes(static_cast<int64_t>(sizeof(Object)) + rank * static_cast<int64_t>(sizeof(int64_t)));
    if (bytes < 0 || bytes > limits::pieceBytes - before) {
        memory_.noteRefused(bytes);
        return nullptr;
    }
    Object* const object = allocate(before + bytes, rank);
    if (object) {
        object->data = reinterpret_cast<char*>(object) + before;
        std::fill_n(object->dims(), rank, 0);
    }
    return object;
}

Object* ObjectHeap::list(int32_t tag) {
    Object* const object = allocate(static_cast<int64_t>(sizeof(Object)), -1);
    if (object)
        object->tag = tag;
    return object;
}

bool ObjectHeap::makeRoom(Object& list, bool inFront) {
    if (inFront ? list.first > 0 : list.first + list.count < list.capacity)
        return true;
    // What is free goes to both sides, most of it to the one that is asked for, so that inserting takes constant time at
    // either end, and by turns.
    const bool fits = list.count * 2 <= list.capacity && list.capacity > 0;
    const int64_t capacity = fits ? list.capacity : std::max<int64_t>(8, list.capacity * 2);
    auto* slots = fits ? list.parts : static_cast<Object**>(take(capacity * slotBytes));
    if (!slots)
        return false;
    const int64_t left = capacity - list.count;
    const int64_t first = inFront ? left - left / 4 : left / 4;
    moveSlots(slots + first, list.parts + list.first, list.count);
    if (!fits)
        giveBack(list.parts, list.capacity * slotBytes);
    list.parts = slots;
    list.capacity = capacity;
    list.first = first;
    return true;
}

Object* ObjectHeap::owned(Object* list) {
    if (list->counted ? list->references == 1 : !counted_)
        return list;
    Object* copy = this->list(list->tag);
    if (copy && list->count > 0) {
        copy->parts = static_cast<Object**>(take(list->count * slotBytes));
        copy->capacity = copy->parts ? list->count : 0;
        copy->count = copy->capacity;
        moveSlots(copy->parts, list->parts + list->first, copy->count);
        for (int64_t i = 0; i < copy->count; ++i)
            retain(copy->at(i));
        if (!copy->parts) {
            release(copy);
            copy = nullptr;
        }
    }
    release(list);
    return copy;
}

Object* ObjectHeap::insert(Object* list, int64_t place, Object* element) {
    list = owned(list);
    const bool inFront = list && place < list->count - place;
    if (!list || !makeRoom(*list, inFront)) {
        if (list)
            release(list);
        release(element);
        return nullptr;
    }
    Object** const begin = list->parts + list->first;
    if (inFront) {
        moveSlots(begin - 1, begin, place);
        --list->first;
    } else {
        moveSlots(begin + place + 1, begin + place, list->count - place);
    }
    ++list->count;
    list->parts[list->first + place] = element;
    return list;
}

Object* ObjectHeap::erase(Object* list, int64_t place) {
    list = owned(list);
    if (!list)
        return nullptr;
    Object* const dead = list->at(place);
    Object** const begin = list->parts + list->first;
    if (place < list->count - 1 - place) {
        moveSlots(begin + 1, begin, place);
        ++list->first;
    } else {
        moveSlots(begin + place, begin + place + 1, list->count - place - 1);
    }
    --list->count;
    release(dead);
    return list;
}

void ObjectHeap::unlink(Object* object) {
    (object->previous ? object->previous->next : objects_) = object->next;
    if (object->next)
        object->next->previous = object->previous;
}

void ObjectHeap::free(Object* object) {
    giveBack(object->parts, object->capacity * slotBytes);
    giveBack(object, object->pieceBytes);
}

void ObjectHeap::release(Object* object) {
    if (object->counted && --object->references == 0)
        drop(object);
}

void ObjectHeap::drop(Object* object) {
    unlink(object);
    object->next = nullptr;
    for (Object* open = object; open;) {
        Object* const dead = open;
        open = dead->next;
        for (int64_t i = 0; i < dead->count; ++i) {
            Object* const element = dead->at(i);
            if (element->counted != counted_ || (counted_ && --element->references > 0))
                continue; // of the other heap, or in use
            unlink(element);
            element->next = open;
            open = element;
        }
        free(dead);
    }
}

void ObjectHeap::clear() {
    while (objects_) {
        Object* const dead = objects_;
        objects_ = dead->next;
        free(dead);
    }
}

int64_t extentAlong(const Object& list, int32_t axis, int32_t asked) {
    if (asked == LATHE_EXTENT_FIRST)
        return list.count > 0 ? list.at(0)->dims()[axis] : 0;
    const bool stack = asked == LATHE_EXTENT_COUNT;
    int64_t extent = stack ? list.count : 0;
    for (int64_t i = 0; i < list.count; ++i) {
        const Object &first = *list.at(0), &tensor = *list.at(i);
        for (int32_t other = 0; other < first.rank; ++other)
            if ((stack || other != axis) && tensor.dims()[other] != first.dims()[other])
                return -1;
        if (!stack && __builtin_add_overflow(extent, tensor.dims()[axis], &extent))
            return INT64_MAX; // more than any size may be, which is the entry's to say
    }
    return extent;
}

void joinAlong(const Object& list, int32_t axis, bool stack, int64_t elementBytes, char* to) {
    if (list.count == 0)
        return;
    const Object& first = *list.at(0);
    const int64_t rows = productOf(first.dims(), 0, axis);
    const int64_t inner = productOf(first.dims(), stack ? axis : axis + 1, first.rank) * elementBytes;
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t i = 0; i < list.count; ++i) {
            const Object& tensor = *list.at(i);
            const int64_t bytes = stack ? inner : tensor.dims()[axis] * inner;
            if (bytes > 0)
                std::memcpy(to, tensor.data + row * bytes, static_cast<size_t>(bytes));
            to += bytes;
        }
}

} // namespace lathe::runtime
