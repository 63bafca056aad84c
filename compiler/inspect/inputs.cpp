// SPDX-License-Identifier: Apache-2.0
#include "inspect/inputs.h"

#include "base/guarded.h"
#include "base/narrow_float.h"
#include "model/asked_sizes.h"
#include "relay/data_types.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace lathe::inspect {
namespace {

using model::HostTensor;

const device::RunnerValue* inputNamed(const std::vector<device::RunnerValue>& inputs, const std::string& name) {
    const auto found = std::ranges::find(inputs, name, &device::RunnerValue::name);
    return found == inputs.end() ? nullptr : &*found;
}

std::vector<model::SizedInput> sizedInputs(const std::vector<device::RunnerValue>& inputs) {
    std::vector<model::SizedInput> sized;
    for (const device::RunnerValue& input : inputs) {
        model::SizedInput& each = sized.emplace_back(model::SizedInput{input.name, true, {}, device::typeText(input)});
        for (size_t i = 0; i < input.dims.size(); ++i) {
            const bool isOpen = device::isSymbol(input.dims[i]);
            each.dims.push_back({isOpen ? -1 : input.dims[i], isOpen && i < input.sizes.size() ? input.sizes[i] : ""});
        }
    }
    return sized;
}

/// Gives the symbols of an input the sizes of `shape` that are not left open; fails where one has another already.
Result<void> bind(const device::RunnerValue& input, const std::vector<int64_t>& shape,
                  std::map<int64_t, int64_t>& symbols) {
    for (size_t i = 0; i < std::min(shape.size(), input.dims.size()); ++i) {
        if (!device::isSymbol(input.dims[i]) || shape[i] < 0)
            continue;
        const auto [at, fresh] = symbols.try_emplace(input.dims[i], shape[i]);
        if (at->second != shape[i])
            return failure(fmt::format("dim {} of input '{}' is {}, but another dim that must equal it is {}", i,
                                       input.name, shape[i], at->second),
                           "lathe inspect shows which dims are the same symbol");
    }
    return {};
}

driver::Shapes shapesOf(const Tensors& tensors) {
    driver::Shapes shapes;
    for (const auto& [name, tensor] : tensors)
        if (!tensor.isComposed())
            shapes.emplace_back(name, tensor.shape);
    return shapes;
}

std::vector<std::string> randomWords(size_t count, std::mt19937_64& generator) {
    std::vector<std::string> words(count);
    for (std::string& word : words)
        for (uint64_t letters = 1 + generator() % 8; letters > 0; --letters)
            word += static_cast<char>('a' + generator() % 26);
    return words;
}

int64_t machineBytes() {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? int64_t{pages} * page : INT64_MAX;
}

} // namespace

std::vector<device::RunnerValue> inputsOf(const relay::Function& main) {
    std::vector<device::RunnerValue> inputs;
    std::unordered_map<const arith::ExprNode*, int64_t> symbols;
    for (const relay::Param& param : relay::inputParams(main)) {
        device::RunnerValue& input = inputs.emplace_back(device::RunnerValue{param.name, types::Void, {}});
        relay::Type inner = param.type;
        for (; relay::asDataType(inner); inner = relay::elementOf(inner))
            input.form += relay::isList(inner) ? 'l' : 'o';
        const relay::TensorType* type = relay::asTensor(inner);
        if (!type)
            continue; // it can only be empty
        input.dtype = type->dtype;
        for (const arith::Expr& dim : type->shape) {
            if (relay::isAny(dim)) {
                input.sizes.emplace_back();
                input.dims.push_back(device::knownWhileRunning);
                continue;
            }
            input.sizes.push_back(arith::asInt(dim) ? "" : arith::toString(dim));
            if (const auto size = arith::asInt(dim))
                input.dims.push_back(*size);
            else
                input.dims.push_back(
                    -symbols.try_emplace(dim.get(), static_cast<int64_t>(symbols.size()) + 1).first->second);
        }
    }
    return inputs;
}

Result<driver::Shapes> byInput(const std::vector<device::RunnerValue>& inputs, const driver::Shapes& asked) {
    return model::sizesByInput(sizedInputs(inputs), asked);
}

driver::Shapes asDeclared(const model::ModelGraph* graph, const driver::Shapes& asked) {
    return graph ? model::sizesByInput(model::sizedInputs(*graph->graph), asked).value_or(asked) : asked;
}

Result<driver::Shapes> inputShapes(const std::vector<device::RunnerValue>& inputs, const Tensors& given,
                                   const driver::Shapes& asked) {
    std::map<int64_t, int64_t> symbols; // as in RunnerValue::dims -> size
    for (const auto& [name, tensor] : given) {
        const device::RunnerValue* input = inputNamed(inputs, name);
        if (!input)
            return Failure(model::noInput(name, sizedInputs(inputs)));
        // Contradictions among given tensors are the runner's to name.
        (void)bind(*input, tensor.shape, symbols);
    }
    LATHE_TRY(const driver::Shapes wanted, byInput(inputs, asked));
    for (const auto& [name, shape] : wanted) {
        if (const auto at = given.find(name);
            at != given.end() && !at->second.isComposed() && !driver::agrees(at->second.shape, shape))
            return failure(fmt::format("input '{}' is given as [{}], but is to be [{}]", name,
                                       fmt::join(at->second.shape, ","), fmt::join(shape, ",")),
                           "leave its shape to the file");
        LATHE_CHECKED(bind(*inputNamed(inputs, name), shape, symbols));
    }
    driver::Shapes shapes;
    for (const device::RunnerValue& input : inputs) {
        std::vector<int64_t> shape = input.dims;
        for (int64_t& dim : shape)
            if (dim < 0)
                dim = symbols.contains(dim) ? symbols[dim] : 1;
        if (const auto at = given.find(input.name); at != given.end())
            shape = at->second.shape;
        else if (input.dtype != types::Void && !model::byteSize(input.dtype, shape))
            return failure(fmt::format("input '{}' would be {}[{}], which is too large for a tensor", input.name,
                                       toString(input.dtype), fmt::join(shape, ",")),
                           "choose smaller sizes");
        shapes.emplace_back(input.name, std::move(shape));
    }
    return shapes;
}

std::string nameOfSize(const device::RunnerValue& input, size_t dim) {
    return dim < input.sizes.size() && !input.sizes[dim].empty() ? input.sizes[dim]
                                                                 : fmt::format("dim {} of {}", dim, input.name);
}

std::vector<std::string> sizesTakenAsOne(const std::vector<device::RunnerValue>& inputs, const Tensors& given,
                                         const driver::Shapes& asked) {
    std::map<int64_t, int64_t> symbols;
    for (const auto& [name, shape] :
         byInput(inputs, driver::shapesOfRun(asked, shapesOf(given))).value_or(driver::Shapes()))
        (void)bind(*inputNamed(inputs, name), shape, symbols);
    std::vector<std::string> names;
    for (const device::RunnerValue& input : inputs)
        for (size_t i = 0; i < input.dims.size(); ++i)
            if (device::isSymbol(input.dims[i]) && symbols.try_emplace(input.dims[i], 1).second)
                names.push_back(nameOfSize(input, i));
    return names;
}

HostTensor randomTensor(DataType dtype, const std::vector<int64_t>& shape, std::mt19937_64& generator,
                        device::IntegerRange range, const std::function<bool()>& cancelled) {
    if (dtype.isInt())
        range = device::within(dtype, range);
    HostTensor tensor;
    tensor.dtype = dtype;
    tensor.shape = shape;
    const auto count = static_cast<size_t>(tensor.elements()), size = static_cast<size_t>(dtype.bytes());
    if (dtype == types::String) {
        tensor.strings = randomWords(count, generator);
        return tensor;
    }
    tensor.bytes.resize(count * size);
    std::normal_distribution<double> normal;
    for (size_t i = 0; i < count; ++i) {
        if (i % 65536 == 0 && cancelled && cancelled())
            throw Cancelled{};
        uint64_t bits = 0;
        if (dtype == types::Float32)
            bits = std::bit_cast<uint32_t>(static_cast<float>(normal(generator)));
        else if (dtype == types::Float64)
            bits = std::bit_cast<uint64_t>(normal(generator));
        else if (dtype.isFloat())
            bits = floatToBits(normal(generator), dtype);
        else if (dtype.isInt())
            bits = static_cast<uint64_t>(range.least) + generator() % static_cast<uint64_t>(range.end - range.least);
        else
            bits = generator() % 2;
        std::memcpy(tensor.bytes.data() + i * size, &bits, size);
    }
    return tensor;
}

namespace {

/// A list has a few elements, an optional has a value; where nothing is known of what they hold, they are empty.
HostTensor randomValue(const device::RunnerValue& input, std::string_view form, const std::vector<int64_t>& shape,
                       std::mt19937_64& generator, device::IntegerRange range, const std::function<bool()>& cancelled) {
    constexpr size_t listLength = 3;
    if (form.empty())
        return randomTensor(input.dtype, shape, generator, range, cancelled);
    HostTensor value = model::composed(form.front());
    const bool isEmpty = input.dtype == types::Void && form.size() == 1;
    for (size_t i = 0; i < (form.front() == 'l' ? listLength : 1) && !isEmpty; ++i)
        value.parts.push_back(randomValue(input, form.substr(1), shape, generator, range, cancelled));
    return value;
}

} // namespace

Result<driver::Shapes> drawInputs(const std::vector<device::RunnerValue>& inputs, const Tensors& given,
                                  const driver::Shapes& asked, uint64_t seed, const TakeInput& take,
                                  const std::function<bool()>& cancelled) {
    LATHE_TRY(const driver::Shapes shapes, inputShapes(inputs, given, asked));
    int64_t drawn = 0; // bytes; each is at most limits::tensorBytes
    for (size_t i = 0; i < shapes.size(); ++i)
        if (!given.contains(shapes[i].first))
            drawn +=
                inputs[i].dtype == types::Void ? 0 : model::byteSize(inputs[i].dtype, shapes[i].second).value_or(0);
    if (drawn > machineBytes() / 4)
        return failure(fmt::format("random inputs of these sizes take {} bytes, more than a quarter of this machine's "
                                   "memory",
                                   drawn),
                       "choose smaller sizes");
    const std::vector<device::IntegerRange> ranges = device::rangesOf(inputs, shapes);
    std::mt19937_64 generator(seed);
    for (size_t i = 0; i < shapes.size(); ++i) {
        const auto& [name, shape] = shapes[i];
        const auto own = given.find(name);
        LATHE_CHECKED(own != given.end()
                          ? take(i, own->second)
                          : take(i, randomValue(inputs[i], inputs[i].form, shape, generator, ranges[i], cancelled)));
    }
    return shapes;
}

Diagnostic drawnNote(const std::vector<std::string>& names, std::string hint) {
    Diagnostic note = error(fmt::format("inputs drawn at random: {}", fmt::join(names, ", ")), std::move(hint));
    note.severity = Severity::Note;
    return note;
}

std::vector<std::string> drawnInputs(const std::vector<device::RunnerValue>& inputs, const Tensors& given) {
    std::vector<std::string> names;
    for (const device::RunnerValue& input : inputs)
        if (!given.contains(input.name))
            names.push_back(input.name);
    return names;
}

Result<driver::Shapes> setInputs(device::RunnerClient& runner, const device::RunnerModel& loaded, const Tensors& given,
                                 const driver::Shapes& asked, uint64_t seed, const std::function<bool()>& cancelled) {
    const TakeInput take = [&](size_t i, const HostTensor& tensor) {
        return runner.setInput(loaded.inputs[i].name, tensor);
    };
    return drawInputs(loaded.inputs, given, asked, seed, take, cancelled);
}

std::unordered_map<const arith::ExprNode*, int64_t> symbolValues(const relay::Function& main,
                                                                 const driver::Shapes& shapes) {
    std::unordered_map<const arith::ExprNode*, int64_t> values;
    for (const relay::Param& param : relay::inputParams(main))
        if (const relay::TensorType* type = relay::asTensor(param.type))
            for (const auto& [name, shape] : shapes)
                if (name == param.name)
                    for (size_t i = 0; i < std::min(shape.size(), type->shape.size()); ++i)
                        if (type->shape[i].kind() == arith::ExprKind::Var && shape[i] >= 0)
                            values[type->shape[i].get()] = shape[i];
    return values;
}

} // namespace lathe::inspect
