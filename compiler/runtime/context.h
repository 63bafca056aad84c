// SPDX-License-Identifier: Apache-2.0
//
// One place where a model runs: its inputs and outputs, memory, threads, profile and last error. Used by one thread at
// a time; during a run its workers see it only through the pool.
#pragma once

#include "runtime/context_states.h"
#include "runtime/context_strings.h"
#include "runtime/decoded_image.h"
#include "runtime/exec.h"
#include "runtime/memory.h"
#include "runtime/model.h"
#include "runtime/objects.h"
#include "runtime/profile.h"
#include "runtime/thread_pool.h"

#include <memory>
#include <vector>

namespace lathe::runtime {

class Context {
public:
    /// Throws std::bad_alloc. `options` as lathe_context_create takes it, but complete.
    Context(std::shared_ptr<const Model> model, const lathe_context_options& options);

    // ---- what the C interface offers
    lathe_status setInput(int32_t index, const DLTensor* tensor);
    lathe_status bindInput(int32_t index, const DLTensor* tensor);
    lathe_status bindOutput(int32_t index, const DLTensor* tensor);
    lathe_status run();
    lathe_status output(int32_t index, DLTensor* tensor);
    lathe_status setInputValue(int32_t index, const lathe_value* value);
    lathe_status outputValue(int32_t index, lathe_value* value);
    lathe_status setState(int32_t index, const DLTensor* tensor);
    lathe_status state(int32_t index, DLTensor* tensor);
    void resetStates();
    void setSeed(uint64_t seed);
    lathe_memory_info memoryInfo() const;

    const Model& model() const { return *model_; }
    Profile& profile() { return profile_; }
    const Profile& profile() const { return profile_; }
    int threads() const { return pool_.threads(); }
    ErrorText& error() { return error_; }
    const ErrorText& error() const { return error_; }
    const ErrorText& errorNode() const { return errorNode_; }

    // ---- what generated code asks for, see lathe_functions
    int32_t parallel(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks);
    void* inputData(int32_t input) { return inputs_[static_cast<size_t>(input)].read; }
    const void* constant(int32_t index) const {
        const void* const handles = strings_.constant(index);
        return handles ? handles : model_->constant(index);
    }
    ContextStrings& strings() { return strings_; }
    int64_t inputDim(int32_t input, int32_t axis) const { return inputs_[static_cast<size_t>(input)].dims[axis]; }
    void setOutputDim(int32_t output, int32_t axis, int64_t value);
    void* outputData(int32_t output, int64_t bytes);
    Arena& arena() { return arena_; }
    void* pushOutsideRegion(const lathe_exec* exec, int64_t bytes);
    void* keep(const lathe_exec* exec, int32_t place, int64_t bytes);
    ObjectHeap& objects() { return objects_; }
    Object* objectInput(int32_t input);
    void setObjectOutput(int32_t output, Object* object) { outputs_[static_cast<size_t>(output)].object = object; }
    void noteFailure(int32_t call, int32_t status);
    uint64_t seed() const { return runSeed_; }
    DecodedImage& image() { return image_; }

private:
    struct Input {
        void* data = nullptr; // null: not set
        int64_t dims[LATHE_MAX_RANK] = {};
        int64_t bytes = 0;
        GrowingBuffer own;
        Object* object = nullptr; // of a list or an optional
        bool wasRead = false;     // by a run, whose outputs may hold parts of it
        GrowingBuffer handles;    // of strings
        void* read = nullptr;     // by a run: data, or handles
    };
    struct Output {
        void* data = nullptr; // null: not written by the last run
        int64_t dims[LATHE_MAX_RANK] = {};
        int64_t strides[LATHE_MAX_RANK] = {};
        void* bound = nullptr;
        int64_t boundBytes = 0;
        int64_t bytes = 0; // as asked for by the last run
        GrowingBuffer own;
        Object* object = nullptr;             // of a list or an optional
        std::vector<lathe_value> values = {}; // what it is made of, once somebody asked
        std::vector<int64_t> valueStrides = {};
        GrowingBuffer handles; // of strings: what the run writes in place of data
    };

    lathe_status checkState(int32_t index);
    void describeStates();
    /// What the next run reads and writes of them.
    void bindStates();
    void createAbsent();
    Object* inputObject(const lathe_value_desc& value, DLDataType type, const char* form, const lathe_value& given,
                        lathe_status& status);
    Object* inputTensor(const lathe_value_desc& value, DLDataType type, const lathe_value& given, lathe_status& status);
    void dropInput(Input& input);
    /// What the run before left: outputs, and parts of inputs that have others by now.
    void dropOutputs();
    void describe(Output& output, const lathe_value_desc& value);
    lathe_status checkInput(int32_t index, const DLTensor* tensor, int64_t& bytes);
    /// That each of an input's strings is there: `data` are its elements, without gaps.
    lathe_status checkStrings(int32_t index, const void* data, int64_t bytes);
    /// The bytes of an input's strings go behind its elements, which are copied; null if there is no memory.
    void* copyStrings(Input& input);
    /// What the next run reads of the inputs: of strings the handles. False if there is no memory.
    bool readInputs();
    /// Outputs of strings, from the handles that the run wrote.
    void writeStrings();
    /// Where the outputs' elements go; null if that is too small or there is no memory.
    void* placeOf(int32_t index, int64_t bytes);
    /// That what a run will write to is neither an input nor another output, not even in part: kernels read it meanwhile.
    lathe_status checkOverlap();
    void prepareRun();
    lathe_status explain(int32_t status);
    /// What the sizes of a failing run were made of: the dims of the inputs that have symbols.
    void appendInputDims();
    lathe_status checkOutputs();
    /// That the dims, as they are set by now, make the bytes that were asked for.
    bool outputFits(int32_t index) const;
    lathe_status contradiction(int32_t index);

    std::shared_ptr<const Model> model_;
    Memory memory_;
    Arena arena_;
    ContextStates states_;
    ContextStrings strings_;
    std::vector<Input> inputs_; // the model's, and behind them its states, as of the outputs
    std::vector<Output> outputs_;
    std::vector<GrowingBuffer> kept_; // by place
    ObjectHeap objects_;              // of the run
    ObjectHeap inputObjects_;
    std::vector<Object*> retired_; // there, of inputs that were set anew since the last run
    DecodedImage image_;
    Profile profile_;
    ThreadPool pool_;
    lathe_exec exec_;
    bool good_ = false;     // the last run was
    int32_t tooSmall_ = -1; // the output whose bound buffer was too small, and what it would have needed
    int64_t neededBytes_ = 0;
    int32_t contradicted_ = -1; // the output whose dims do not make the bytes that the entry asked for
    Failure failure_;
    bool seedGiven_ = false;
    uint64_t seed_ = 0;
    uint64_t runSeed_ = 0;
    ErrorText error_, errorNode_;
};

} // namespace lathe::runtime

struct lathe_context : lathe::runtime::Context {
    using Context::Context;
};
