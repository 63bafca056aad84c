// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session.h"

#include "base/narrow_float.h"
#include "frontend/frontend.h"
#include "runtime/abi.h"

#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <unistd.h>

namespace lathe::cli {
namespace {

namespace fs = std::filesystem;

bool isArtifact(const fs::path& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    lathe_trailer trailer{};
    if (!file || file.tellg() < static_cast<std::streamoff>(sizeof(trailer)))
        return false;
    file.seekg(-static_cast<std::streamoff>(sizeof(trailer)), std::ios::end);
    file.read(reinterpret_cast<char*>(&trailer), sizeof(trailer));
    return file && std::memcmp(trailer.magic, LATHE_TRAILER_MAGIC, sizeof(trailer.magic)) == 0;
}

struct NpyType {
    const char* code;
    DataType dtype;
};
constexpr NpyType npyTypes[] = {{"|b1", types::Bool},    {"|i1", types::Int8},    {"|u1", types::UInt8},
                                {"<i2", types::Int16},   {"<u2", types::UInt16},  {"<i4", types::Int32},
                                {"<u4", types::UInt32},  {"<i8", types::Int64},   {"<u8", types::UInt64},
                                {"<f2", types::Float16}, {"<f4", types::Float32}, {"<f8", types::Float64}};

/// NumPy's format 1.0 to 3.0: magic, version, header length, a dictionary in ASCII, then the elements.
Result<model::HostTensor> readNpy(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    auto bad = [&](std::string_view why) {
        return failure(fmt::format("'{}' is no NumPy array that can be read: {}", path.string(), why));
    };
    char start[10];
    if (!file.read(start, 10) || std::memcmp(start, "\x93NUMPY", 6) != 0)
        return bad("it does not begin as one");
    size_t length = static_cast<unsigned char>(start[8]) | static_cast<size_t>(static_cast<unsigned char>(start[9]))
                                                               << 8;
    if (start[6] >= 2) {
        char more[2];
        if (!file.read(more, 2))
            return bad("it is truncated");
        length |= static_cast<size_t>(static_cast<unsigned char>(more[0])) << 16 |
                  static_cast<size_t>(static_cast<unsigned char>(more[1])) << 24;
    }
    if (length > 1 << 20)
        return bad("its header is too long");
    std::string header(length, ' ');
    if (!file.read(header.data(), static_cast<std::streamsize>(length)))
        return bad("it is truncated");
    if (header.find("'fortran_order': True") != std::string::npos)
        return bad("it is in column-major order");
    model::HostTensor tensor;
    for (const NpyType& type : npyTypes)
        if (header.find(fmt::format("'{}'", type.code)) != std::string::npos)
            tensor.dtype = type.dtype;
    if (tensor.dtype == types::Void)
        return bad("its element type is unknown");
    size_t open = header.find('(', header.find("'shape'"));
    size_t close = header.find(')', open);
    if (open == std::string::npos || close == std::string::npos)
        return bad("it has no shape");
    const char* at = header.data() + open + 1;
    const char* end = header.data() + close;
    while (at < end) {
        int64_t dim = 0;
        auto [next, status] = std::from_chars(at, end, dim);
        if (status == std::errc())
            tensor.shape.push_back(dim);
        at = status == std::errc() ? next : at + 1;
    }
    double bytes = tensor.dtype.bytes();
    for (int64_t dim : tensor.shape)
        bytes *= static_cast<double>(dim);
    std::error_code failed;
    if (bytes > static_cast<double>(fs::file_size(path, failed)))
        return bad("it is truncated");
    tensor.bytes.resize(static_cast<size_t>(bytes));
    if (!file.read(reinterpret_cast<char*>(tensor.bytes.data()), static_cast<std::streamsize>(tensor.bytes.size())))
        return bad("it is truncated");
    return tensor;
}

std::vector<std::string> namesOf(const std::vector<driver::RunnerValue>& values) {
    std::vector<std::string> names;
    for (const driver::RunnerValue& value : values)
        names.push_back(value.name);
    return names;
}

} // namespace

Result<fs::path> artifactFor(const std::string& model, const MemoryFile& memory, const Common& common,
                             driver::Trace& trace, double& seconds) {
    if (isArtifact(model))
        return fs::path(model);
    LATHE_TRY(driver::Options options, makeOptions(common));
    // Sizes are for the run: one compilation serves all of them.
    options.shapes.clear();
    LATHE_TRY(driver::Decisions decisions, makeDecisions(common));
    LATHE_TRY(driver::Artifact artifact,
              driver::compileFile(model, memory.path(), decisions, options, trace, makeProgress(common)));
    seconds = artifact.seconds;
    return artifact.path;
}

Result<model::HostTensor> readTensorFile(const fs::path& path) {
    if (path.extension() == ".npy")
        return readNpy(path);
    LATHE_TRY(model::TensorPtr tensor, frontend::readTensor(path));
    model::HostTensor host;
    host.dtype = tensor->dtype;
    host.shape = tensor->shape;
    host.bytes.assign(tensor->bytes.view.begin(), tensor->bytes.view.end());
    host.strings = tensor->strings;
    return host;
}

Result<void> writeNpy(const fs::path& path, const model::HostTensor& tensor) {
    model::HostTensor plain = tensor;
    const char* code = nullptr;
    for (const NpyType& type : npyTypes)
        if (type.dtype == tensor.dtype)
            code = type.code;
    if (!code && tensor.dtype.isFloat()) { // narrow floats that NumPy lacks
        plain.dtype = types::Float32;
        code = "<f4";
        plain.bytes.resize(static_cast<size_t>(tensor.elements()) * 4);
        for (int64_t i = 0; i < tensor.elements(); ++i) {
            uint64_t bits = 0;
            std::memcpy(&bits, tensor.bytes.data() + i * tensor.dtype.bytes(),
                        static_cast<size_t>(tensor.dtype.bytes()));
            float value = static_cast<float>(bitsToFloat(bits, tensor.dtype));
            std::memcpy(plain.bytes.data() + i * 4, &value, 4);
        }
    } else if (!code) {
        code = tensor.dtype.isSigned() ? "|i1" : "|u1";
    }
    std::string shape = tensor.shape.size() == 1 ? fmt::format("{},", tensor.shape[0])
                                                 : fmt::format("{}", fmt::join(tensor.shape, ", "));
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", code, shape);
    header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
    header += '\n';
    std::ofstream file(path, std::ios::binary);
    uint16_t length = static_cast<uint16_t>(header.size());
    file.write("\x93NUMPY\x01\x00", 8);
    file.write(reinterpret_cast<const char*>(&length), 2);
    file << header;
    file.write(reinterpret_cast<const char*>(plain.bytes.data()), static_cast<std::streamsize>(plain.bytes.size()));
    if (!file.flush())
        return failure(fmt::format("cannot write '{}'", path.string()));
    return {};
}

model::HostTensor randomTensor(DataType dtype, const std::vector<int64_t>& shape, std::mt19937_64& generator) {
    model::HostTensor tensor;
    tensor.dtype = dtype;
    tensor.shape = shape;
    int64_t count = tensor.elements();
    size_t size = static_cast<size_t>(dtype.bytes());
    tensor.bytes.resize(static_cast<size_t>(count) * size);
    std::normal_distribution<double> normal;
    for (int64_t i = 0; i < count; ++i) {
        std::byte* at = tensor.bytes.data() + static_cast<size_t>(i) * size;
        if (dtype.isFloat()) {
            uint64_t bits = 0;
            double value = normal(generator);
            if (dtype == types::Float32)
                bits = std::bit_cast<uint32_t>(static_cast<float>(value));
            else if (dtype == types::Float64)
                bits = std::bit_cast<uint64_t>(value);
            else
                bits = floatToBits(value, dtype);
            std::memcpy(at, &bits, size);
        } else {
            uint64_t bits = dtype.isBool() ? generator() % 2 : generator() % 2;
            std::memcpy(at, &bits, size);
        }
    }
    return tensor;
}

Result<Shapes> setInputs(driver::RunnerClient& runner, const driver::RunnerModel& loaded,
                         const std::vector<std::string>& files, uint64_t seed, const Shapes& shapes) {
    std::map<std::string, model::HostTensor> given;
    for (const std::string& file : files) {
        size_t equals = file.find('=');
        if (equals == std::string::npos)
            return failure(fmt::format("malformed input '{}'", file), "use NAME=FILE");
        LATHE_TRY(given[file.substr(0, equals)], readTensorFile(file.substr(equals + 1)));
    }
    for (const auto& [name, tensor] : given)
        if (std::none_of(loaded.inputs.begin(), loaded.inputs.end(),
                         [&](const auto& input) { return input.name == name; }))
            return failure(fmt::format("the model has no input '{}'", name),
                           fmt::format("its inputs are: {}", fmt::join(namesOf(loaded.inputs), ", ")));
    std::map<int64_t, int64_t> symbols; // symbol -> size
    auto bindShape = [&](const driver::RunnerValue& input, const std::vector<int64_t>& shape) {
        for (size_t i = 0; i < std::min(shape.size(), input.dims.size()); ++i)
            if (input.dims[i] < 0)
                symbols[input.dims[i]] = shape[i];
    };
    for (const driver::RunnerValue& input : loaded.inputs) {
        for (const auto& [name, shape] : shapes)
            if (name == input.name)
                bindShape(input, shape);
        if (auto it = given.find(input.name); it != given.end())
            bindShape(input, it->second.shape);
    }
    std::mt19937_64 generator(seed);
    Shapes result;
    for (const driver::RunnerValue& input : loaded.inputs) {
        if (auto it = given.find(input.name); it != given.end()) {
            LATHE_CHECKED(runner.setInput(input.name, it->second));
            result.emplace_back(input.name, it->second.shape);
            continue;
        }
        std::vector<int64_t> shape = input.dims;
        for (int64_t& dim : shape)
            if (dim < 0)
                dim = symbols.contains(dim) ? symbols[dim] : 1;
        const std::optional<int64_t> elements = model::elementsOf(shape);
        // It is held twice: here and in the runner.
        if (!elements || *elements > sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 2 / input.dtype.bytes())
            return failure(fmt::format("input '{}' cannot be made: {} of {} is more than this machine can hold",
                                       input.name, fmt::join(shape, " x "), toString(input.dtype)),
                           "give smaller sizes by --shape");
        LATHE_CHECKED(runner.setInput(input.name, randomTensor(input.dtype, shape, generator)));
        result.emplace_back(input.name, std::move(shape));
    }
    return result;
}

std::unordered_map<const arith::ExprNode*, int64_t> symbolValues(const relay::Function& main, const Shapes& shapes) {
    std::unordered_map<const arith::ExprNode*, int64_t> values;
    for (const relay::Param& param : main.params)
        if (const relay::TensorType* type = relay::asTensor(param.type))
            for (const auto& [name, shape] : shapes)
                if (name == param.name)
                    for (size_t i = 0; i < std::min(shape.size(), type->shape.size()); ++i)
                        if (type->shape[i].kind() == arith::ExprKind::Var)
                            values[type->shape[i].get()] = shape[i];
    return values;
}

} // namespace lathe::cli
