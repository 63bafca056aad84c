// SPDX-License-Identifier: Apache-2.0
//
// Values whose number, sizes or presence only a run tells: tensors that lists hold, lists, and what is made of them (an
// optional is a list of one at most, a value of a data type the list of its fields with a tag). The compiled entry counts the
// references to them, so that a value of which there is one can be changed in place, and a loop's values go as it turns.
//
// After A. Reinking, N. Xie, L. de Moura, D. Leijen: Perceus: Garbage Free Reference Counting with Reuse (PLDI 2021): who is
// given a reference owns it, and hands it on or drops it.
#pragma once

#include "runtime/memory.h"

#include <cstdint>

struct lathe_object {
    lathe_object *previous, *next; // of the heap's; next is also that of those that are to be freed
    int64_t references;            // counted by nobody where `counted` is not set
    bool counted;
    int32_t tag;  // of a list: which constructor made it
    int32_t rank; // of a tensor; -1: a list
    int64_t pieceBytes;
    // A tensor: its dims stand behind this, and behind them its elements.
    char* data;
    // A list: elements first … first + count - 1 of its parts; none is null.
    lathe_object** parts;
    int64_t capacity, first, count;

    int64_t* dims() { return reinterpret_cast<int64_t*>(this + 1); }
    const int64_t* dims() const { return reinterpret_cast<const int64_t*>(this + 1); }
    bool isTensor() const { return rank >= 0; }
    lathe_object* at(int64_t place) const { return parts[first + place]; }
};

namespace lathe::runtime {

using Object = lathe_object;

/// All objects of runs, or all of inputs. Nothing throws; null: out of memory.
class ObjectHeap {
public:
    /// counted: objects go when there is no reference to them any more. Else they stay until the heap drops them, and nobody
    /// changes them in place.
    ObjectHeap(Memory& memory, bool counted) : memory_(memory), counted_(counted) {}
    ~ObjectHeap() { clear(); }
    ObjectHeap(const ObjectHeap&) = delete;
    ObjectHeap& operator=(const ObjectHeap&) = delete;

    /// With one reference, the caller's. Dims and elements are still to be written.
    Object* tensor(int64_t bytes, int32_t rank);
    Object* list(int32_t tag);
    /// The list with the element before that at `place`, at its end for its length. Takes both references, also where it fails.
    /// In amortised constant time at either end of a list that has no other reference.
    Object* insert(Object* list, int64_t place, Object* element);
    /// The list without the element at `place`. Takes the reference.
    Object* erase(Object* list, int64_t place);

    static void retain(Object* object) { object->references += object->counted ? 1 : 0; }
    void release(Object* object);
    /// Of a heap that does not count: the object with all that is in it, of which nothing is in another object.
    void drop(Object* object);
    /// All objects.
    void clear();

    int64_t used() const { return used_; }
    /// Most that was used since.
    void startPeak() { peak_ = used_; }
    int64_t peak() const { return peak_; }

private:
    Object* allocate(int64_t bytes, int32_t rank);
    void* take(int64_t bytes);
    void giveBack(void* piece, int64_t bytes);
    void unlink(Object* object);
    void free(Object* object);
    /// A list that nobody else sees: the same, or a copy. Takes the reference.
    Object* owned(Object* list);
    bool makeRoom(Object& list, bool inFront);

    Memory& memory_;
    bool counted_;
    Object* objects_ = nullptr;
    int64_t used_ = 0, peak_ = 0;
};

/// As lathe_functions has them.
int64_t extentAlong(const Object& list, int32_t axis, int32_t extent);
void joinAlong(const Object& list, int32_t axis, bool stack, int64_t elementBytes, char* to);

} // namespace lathe::runtime
