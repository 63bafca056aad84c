// SPDX-License-Identifier: Apache-2.0
//
// Lists and optionals at the border: an input is copied into objects, an output is shown as it lies in them.
#include "runtime/context.h"
#include "runtime/dtype.h"
#include "runtime/forms.h"
#include "runtime/tensor.h"

#include <algorithm>
#include <new>

namespace lathe::runtime {

namespace {

struct Amount {
    size_t values = 0, strides = 0;
};

/// Of what is in an object. As deep as its form is long.
void countParts(const Object& object, Amount& amount) {
    for (int64_t i = 0; i < object.count; ++i)
        countParts(*object.at(i), amount);
    amount.values += static_cast<size_t>(object.count);
    amount.strides += object.isTensor() ? static_cast<size_t>(object.rank) : 0;
}

/// Room that was taken for all parts of a value, given out in order.
struct Parts {
    lathe_value* values;
    int64_t* strides;
    DLDataType type;

    void show(Object& object, const char* form, lathe_value& value) {
        value = {};
        value.form = formOf(form);
        if (object.isTensor()) {
            value.tensor.data = object.data;
            value.tensor.device = {kDLCPU, 0};
            value.tensor.ndim = object.rank;
            value.tensor.dtype = type;
            value.tensor.shape = object.dims();
            value.tensor.strides = strides;
            setStrides(object.rank, object.dims(), strides);
            strides += object.rank;
            return;
        }
        value.count = object.count;
        lathe_value* const elements = values;
        value.elements = elements;
        values += object.count;
        for (int64_t i = 0; i < object.count; ++i)
            show(*object.at(i), form + 1, elements[i]);
    }
};

} // namespace

/// An optional that nobody sets is absent.
void Context::createAbsent() {
    for (int32_t i = 0; i < model_->desc().input_count; ++i)
        if (isComposed(model_->desc().inputs[i]) && *model_->desc().inputs[i].form == 'o') {
            Object*& object = inputs_[static_cast<size_t>(i)].object;
            object = inputObjects_.list(0);
            if (!object)
                throw std::bad_alloc();
        }
}

Object* Context::objectInput(int32_t input) {
    return inputs_[static_cast<size_t>(input)].object;
}

Object* Context::inputTensor(const lathe_value_desc& value, DLDataType type, const lathe_value& given,
                             lathe_status& status) {
    int64_t bytes = 0;
    if ((status = checkTensor(value, type, "input", &given.tensor, bytes, error_)))
        return nullptr;
    Object* const tensor = inputObjects_.tensor(bytes, given.tensor.ndim);
    if (!tensor) {
        status = error_.set(LATHE_OUT_OF_MEMORY, "input '%s': no memory for %lld bytes", value.name,
                            static_cast<long long>(bytes));
        return nullptr;
    }
    std::copy_n(given.tensor.shape, given.tensor.ndim, tensor->dims());
    copyCompact(given.tensor, elementBytes(type), tensor->data);
    return tensor;
}

/// The value as an object, or null and the status that says why not.
Object* Context::inputObject(const lathe_value_desc& value, DLDataType type, const char* form, const lathe_value& given,
                             lathe_status& status) {
    if (given.form != formOf(form)) {
        status = error_.set(LATHE_MISMATCH, "input '%s': %s is needed where another form of value is given", value.name,
                            formName(form));
        return nullptr;
    }
    if (!*form)
        return inputTensor(value, type, given, status);
    if (given.count < 0 || (given.count > 0 && !given.elements) || (*form == 'o' && given.count > 1)) {
        status = error_.set(LATHE_INVALID_ARGUMENT, "input '%s': %s of %lld elements", value.name, formName(form),
                            static_cast<long long>(given.count));
        return nullptr;
    }
    if (given.count > 0 && !form[1] && value.rank < 0) {
        status = error_.set(LATHE_MISMATCH,
                            "input '%s' was compiled for empty lists: the model does not say of what rank their "
                            "elements are",
                            value.name);
        return nullptr;
    }
    Object* list = inputObjects_.list(0);
    for (int64_t i = 0; list && i < given.count; ++i) {
        Object* const element = inputObject(value, type, form + 1, given.elements[i], status);
        Object* const longer = element ? inputObjects_.insert(list, i, element) : nullptr;
        if (element && !longer)
            inputObjects_.drop(element);
        if (!longer)
            inputObjects_.drop(list);
        list = longer;
    }
    if (!list && status == LATHE_OK)
        status = error_.set(LATHE_OUT_OF_MEMORY, "input '%s': no memory for its list", value.name);
    return list;
}

void Context::dropInput(Input& input) {
    if (input.object && input.wasRead)
        retired_.push_back(input.object);
    else if (input.object)
        inputObjects_.drop(input.object);
    input.object = nullptr;
    input.wasRead = false;
}

lathe_status Context::setInputValue(int32_t index, const lathe_value* value) {
    const lathe_model_desc& desc = model_->desc();
    errorNode_.clear();
    if (index < 0 || index >= desc.input_count)
        return error_.set(LATHE_INVALID_ARGUMENT, "the model has no input %d, it has %d inputs", index,
                          desc.input_count);
    if (!value)
        return error_.set(LATHE_INVALID_ARGUMENT, "input '%s': no value given", desc.inputs[index].name);
    const lathe_value_desc& input = desc.inputs[index];
    if (!isComposed(input) && value->form == LATHE_TENSOR)
        return setInput(index, &value->tensor);
    memory_.clearRefused();
    lathe_status status = LATHE_OK;
    Object* const object = inputObject(input, model_->inputTypes()[static_cast<size_t>(index)],
                                       input.form ? input.form : "", *value, status);
    if (!object)
        return status;
    dropInput(inputs_[static_cast<size_t>(index)]);
    inputs_[static_cast<size_t>(index)].object = object;
    return LATHE_OK;
}

void Context::dropOutputs() {
    for (Output& output : outputs_) {
        output.object = nullptr;
        output.values.clear();
        output.valueStrides.clear();
    }
    objects_.clear();
    for (Object* const object : retired_)
        inputObjects_.drop(object);
    retired_.clear();
}

/// The parts of what the last run gave, for as long as the run's objects are there.
void Context::describe(Output& output, const lathe_value_desc& value) {
    if (!output.values.empty())
        return;
    Amount amount;
    countParts(*output.object, amount);
    output.valueStrides.resize(amount.strides);
    output.values.resize(amount.values + 1);
    Parts parts{output.values.data() + 1, output.valueStrides.data(), {}};
    parts.type = model_->outputTypes()[static_cast<size_t>(&output - outputs_.data())];
    parts.show(*output.object, value.form, output.values.front());
}

lathe_status Context::outputValue(int32_t index, lathe_value* value) {
    const lathe_model_desc& desc = model_->desc();
    errorNode_.clear();
    if (index < 0 || index >= desc.output_count)
        return error_.set(LATHE_INVALID_ARGUMENT, "the model has no output %d, it has %d outputs", index,
                          desc.output_count);
    if (!value)
        return error_.set(LATHE_INVALID_ARGUMENT, "output '%s': no value given", desc.outputs[index].name);
    *value = {};
    if (!isComposed(desc.outputs[index]))
        return output(index, &value->tensor);
    if (!good_)
        return error_.set(LATHE_INVALID_ARGUMENT,
                          "there is no output '%s': the last run did not succeed, or there was none",
                          desc.outputs[index].name);
    Output& output = outputs_[static_cast<size_t>(index)];
    describe(output, desc.outputs[index]);
    *value = output.values.front();
    return LATHE_OK;
}

} // namespace lathe::runtime
