// SPDX-License-Identifier: Apache-2.0
//
// The runtime's interface for C++17: models and contexts that free themselves, tensors as views, errors as exceptions. A thin
// layer over lathe_rt.h, header only; what stands there of threads and lifetimes holds here too.
//
//   lathe::Model model("model/resnet50.so");
//   lathe::Context context(model, {/*threads*/ 4});
//   context.set(0, pixels.data(), {1, 3, 224, 224});
//   context.run();
//   lathe::View<const float> scores = context.output<float>(0); // until the next run
//
// Without exceptions (-fno-exceptions, or LATHE_NO_EXCEPTIONS) what fails calls std::abort after it has printed its sentence:
// programs that must go on use lathe_rt.h.
#ifndef LATHE_RT_HPP
#define LATHE_RT_HPP

#include "lathe_rt.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if !defined(LATHE_NO_EXCEPTIONS) && !defined(__cpp_exceptions)
#define LATHE_NO_EXCEPTIONS
#endif

namespace lathe {

/// What a call of the runtime refused, and why.
class Error : public std::runtime_error {
public:
    Error(lathe_status status, const std::string& message, std::string node = {})
        : std::runtime_error(message), status(status), node(std::move(node)) {}

    lathe_status status;
    std::string node; // of the model, where a run stopped; may be empty
};

/// Elements that belong to somebody else, and the dims that they have.
template <class T>
struct View {
    T* data = nullptr;
    std::size_t size = 0; // elements
    std::vector<std::int64_t> dims;

    T* begin() const { return data; }
    T* end() const { return data + size; }
    T& operator[](std::size_t index) const { return data[index]; }
};

namespace detail {

[[noreturn]] inline void fail(lathe_status status, const char* message, const char* node = "") {
#ifdef LATHE_NO_EXCEPTIONS
    std::fprintf(stderr, "lathe: %s: %s%s%s\n", lathe_status_name(status), message, *node ? " at " : "", node);
    std::abort();
#else
    throw Error(status, message, node);
#endif
}

inline void check(lathe_status status) {
    if (status != LATHE_OK)
        fail(status, lathe_thread_error());
}

template <class T>
constexpr DLDataType typeOf() {
    static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, lathe_string>,
                  "elements are numbers or lathe_string; others go through lathe_rt.h");
    constexpr int code = std::is_same_v<T, lathe_string> ? kDLOpaqueHandle
                         : std::is_same_v<T, bool>       ? kDLBool
                         : std::is_floating_point_v<T>   ? kDLFloat
                         : std::is_signed_v<T>           ? kDLInt
                                                         : kDLUInt;
    return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * sizeof(T)), 1};
}

} // namespace detail

/// A value that a model takes or gives. dims: >= 0, or -(symbol + 1), or INT64_MIN where only a run tells.
/// form: "" of a tensor, else what is around the tensors that these describe, from outside in: 'l' a list, 'o' an optional.
struct Value {
    std::string name;
    DLDataType dtype;
    std::vector<std::int64_t> dims;
    std::string form;
};

/// A loaded artifact. May be shared by threads; contexts keep it alive.
class Model {
public:
    explicit Model(const std::string& path) { detail::check(lathe_model_load(path.c_str(), &model_)); }
    /// Takes over a model that was loaded otherwise.
    explicit Model(lathe_model* model) : model_(model) {}
    ~Model() { lathe_model_free(model_); }
    Model(Model&& other) noexcept : model_(std::exchange(other.model_, nullptr)) {}
    Model& operator=(Model&& other) noexcept {
        std::swap(model_, other.model_);
        return *this;
    }
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    lathe_model* get() const { return model_; }
    std::string name() const { return lathe_model_name(model_); }
    std::string metadata() const { return lathe_model_metadata(model_); }
    std::vector<Value> inputs() const { return values(lathe_model_input_count(model_), lathe_model_input); }
    std::vector<Value> outputs() const { return values(lathe_model_output_count(model_), lathe_model_output); }
    std::vector<Value> states() const { return values(lathe_model_state_count(model_), lathe_model_state); }
    /// The ordinal of an input, output or state; throws for none.
    std::int32_t input(const std::string& name) const {
        return found(lathe_model_find_input(model_, name.c_str()), "input", name);
    }
    std::int32_t output(const std::string& name) const {
        return found(lathe_model_find_output(model_, name.c_str()), "output", name);
    }
    std::int32_t state(const std::string& name) const {
        return found(lathe_model_find_state(model_, name.c_str()), "state", name);
    }

private:
    template <class Read>
    std::vector<Value> values(std::int32_t count, Read read) const {
        std::vector<Value> all;
        for (std::int32_t i = 0; i < count; ++i) {
            lathe_value_info info{};
            detail::check(read(model_, i, &info));
            all.push_back({info.name, info.dtype, {info.dims, info.dims + (info.rank > 0 ? info.rank : 0)}, info.form});
        }
        return all;
    }
    static std::int32_t found(std::int32_t index, const char* what, const std::string& name) {
        if (index < 0)
            detail::fail(LATHE_INVALID_ARGUMENT, ("the model has no " + (what + (" '" + name + "'"))).c_str());
        return index;
    }

    lathe_model* model_ = nullptr;
};

struct ContextOptions {
    std::int32_t threads = 0;      // the caller's included; 0: as many as this process may use
    std::int64_t memory_limit = 0; // bytes; 0: none
};

/// One place where a model runs; one thread at a time.
class Context {
public:
    explicit Context(const Model& model, ContextOptions options = {}) : model_(model.get()) {
        lathe_context_options asked{};
        asked.struct_bytes = sizeof(asked);
        asked.threads = options.threads;
        asked.memory_limit = options.memory_limit;
        detail::check(lathe_context_create(model_, &asked, &context_));
    }
    ~Context() { lathe_context_free(context_); }
    Context(Context&& other) noexcept : model_(other.model_), context_(std::exchange(other.context_, nullptr)) {}
    Context& operator=(Context&& other) noexcept {
        std::swap(model_, other.model_);
        std::swap(context_, other.context_);
        return *this;
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    lathe_context* get() const { return context_; }

    /// Copies an input: row-major elements of these dims.
    template <class T>
    void set(std::int32_t input, const T* data, const std::vector<std::int64_t>& dims) {
        setRaw(input, data, detail::typeOf<T>(), dims);
    }
    /// The same for elements that C++ has no type for, such as float16.
    void setRaw(std::int32_t input, const void* data, DLDataType dtype, const std::vector<std::int64_t>& dims) {
        std::vector<std::int64_t> shape = dims;
        DLTensor tensor = tensorOf(data, dtype, shape);
        check(lathe_set_input(context_, input, &tensor));
    }
    /// Copies an input whatever its form is: a list, an optional or a tensor.
    void setValue(std::int32_t input, const lathe_value& value) {
        check(lathe_set_input_value(context_, input, &value));
    }
    /// The same of a list of tensors.
    void setList(std::int32_t input, const std::vector<DLTensor>& tensors) {
        std::vector<lathe_value> elements(tensors.size());
        for (std::size_t i = 0; i < tensors.size(); ++i)
            elements[i].tensor = tensors[i];
        lathe_value list{};
        list.form = LATHE_LIST;
        list.count = static_cast<std::int64_t>(elements.size());
        list.elements = elements.data();
        setValue(input, list);
    }
    /// Copies an input of strings.
    void set(std::int32_t input, const std::vector<std::string>& strings, const std::vector<std::int64_t>& dims) {
        std::vector<lathe_string> elements;
        for (const std::string& text : strings)
            elements.push_back({text.data(), text.size()});
        std::size_t count = 1;
        for (const std::int64_t dim : dims)
            count *= static_cast<std::size_t>(dim);
        if (count != elements.size())
            detail::fail(LATHE_MISMATCH, "the dims do not make as many strings as there are");
        set(input, elements.data(), dims);
    }
    /// Uses the memory itself: 64-byte aligned, alive and unchanged until the input is set or bound again.
    template <class T>
    void bind(std::int32_t input, const T* data, const std::vector<std::int64_t>& dims) {
        std::vector<std::int64_t> shape = dims;
        DLTensor tensor = tensorOf(data, detail::typeOf<T>(), shape);
        check(lathe_bind_input(context_, input, &tensor));
    }
    /// Random operators draw from this seed in every run.
    void seed(std::uint64_t value) { check(lathe_set_seed(context_, value)); }
    void run() { check(lathe_run(context_)); }

    /// States are what they were in a new context.
    void resetStates() { check(lathe_reset_states(context_)); }
    /// The next run goes on from these elements.
    template <class T>
    void setState(std::int32_t state, const T* data, const std::vector<std::int64_t>& dims) {
        std::vector<std::int64_t> shape = dims;
        DLTensor tensor = tensorOf(data, detail::typeOf<T>(), shape);
        check(lathe_set_state(context_, state, &tensor));
    }
    /// What the next run goes on from, until that run, or until states are set or reset.
    DLTensor stateRaw(std::int32_t index) const {
        DLTensor tensor{};
        check(lathe_get_state(context_, index, &tensor));
        return tensor;
    }
    /// The same as elements of T, which must be the state's type.
    template <class T>
    View<const T> state(std::int32_t index) const {
        return viewOf<T>(stateRaw(index), "the state");
    }

    /// An output of the last run, until the next one.
    DLTensor outputRaw(std::int32_t index) const {
        DLTensor tensor{};
        check(lathe_get_output(context_, index, &tensor));
        return tensor;
    }
    /// The same as elements of T, which must be the output's type.
    template <class T>
    View<const T> output(std::int32_t index) const {
        return viewOf<T>(outputRaw(index), "the output");
    }
    /// An output whatever its form is: a list, an optional or a tensor.
    lathe_value outputValue(std::int32_t index) const {
        lathe_value value{};
        check(lathe_get_output_value(context_, index, &value));
        return value;
    }
    /// A tensor in one as elements of T.
    template <class T>
    static View<const T> elementsOf(const lathe_value& value) {
        return viewOf<T>(value.tensor, "the value");
    }
    /// Copies of the strings of an output.
    std::vector<std::string> strings(std::int32_t index) const {
        std::vector<std::string> copies;
        for (const lathe_string& text : output<lathe_string>(index))
            copies.emplace_back(text.data, text.size);
        return copies;
    }

private:
    template <class T>
    static View<const T> viewOf(const DLTensor& tensor, const std::string& what) {
        const DLDataType wanted = detail::typeOf<T>();
        if (tensor.dtype.code != wanted.code || tensor.dtype.bits != wanted.bits)
            detail::fail(LATHE_MISMATCH, (what + " has elements of another type").c_str());
        View<const T> view;
        view.dims.assign(tensor.shape, tensor.shape + tensor.ndim);
        view.size = 1;
        for (const std::int64_t dim : view.dims)
            view.size *= static_cast<std::size_t>(dim);
        view.data = reinterpret_cast<const T*>(static_cast<const char*>(tensor.data) + tensor.byte_offset);
        return view;
    }
    void check(lathe_status status) const {
        if (status != LATHE_OK)
            detail::fail(status, lathe_last_error(context_), lathe_last_error_node(context_));
    }
    static DLTensor tensorOf(const void* data, DLDataType dtype, std::vector<std::int64_t>& dims) {
        DLTensor tensor{};
        tensor.data = const_cast<void*>(data); // the runtime only reads it
        tensor.device = {kDLCPU, 0};
        tensor.ndim = static_cast<std::int32_t>(dims.size());
        tensor.dtype = dtype;
        tensor.shape = dims.data();
        return tensor;
    }

    lathe_model* model_;
    lathe_context* context_ = nullptr;
};

} // namespace lathe

#endif
