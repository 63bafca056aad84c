// SPDX-License-Identifier: Apache-2.0
//
// HDF5 files for tests, written byte by byte in both forms that files have: the older one (superblock 0, symbol tables)
// and the newer one (superblock 2, link messages). Texts are of a fixed length; arrays are of float32, contiguous or in
// chunks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>
#include <zlib.h>

namespace lathe::testing {

struct Hdf5Array {
    std::vector<uint64_t> dims;
    std::vector<float> values;
    std::vector<uint64_t> chunk = {}; // its dims; empty: contiguous. Chunks are shuffled and deflated
};

struct Hdf5Group {
    std::map<std::string, Hdf5Group> groups = {};
    std::map<std::string, Hdf5Array> arrays = {};
    std::map<std::string, std::vector<std::string>> texts = {}; // attributes that are lists
    std::map<std::string, std::string> text = {};               // and single ones
    std::map<std::string, std::string> softLinks = {};          // of the newer form
};

enum class Hdf5Form { Old, New };

class Hdf5Writer {
public:
    explicit Hdf5Writer(Hdf5Form form) : form_(form), bytes_(form == Hdf5Form::Old ? 96 : 48, '\0') {}

    std::string write(const Hdf5Group& root) {
        const uint64_t at = group(root);
        std::string head = "\x89HDF\r\n\x1a\n";
        if (form_ == Hdf5Form::Old)
            head += number(0, 5) + number(8, 1) + number(8, 1) + number(0, 1) + number(4, 2) + number(16, 2) +
                    number(0, 4) + number(0, 8) + none() + number(bytes_.size(), 8) + none() + number(0, 8) +
                    number(at, 8) + number(0, 24);
        else
            head += number(2, 1) + number(8, 1) + number(8, 1) + number(0, 1) + number(0, 8) + none() +
                    number(bytes_.size(), 8) + number(at, 8) + number(0, 4);
        std::copy(head.begin(), head.end(), bytes_.begin());
        return bytes_;
    }

private:
    static std::string number(uint64_t value, size_t width) {
        std::string text(width, '\0');
        for (size_t i = 0; i < std::min<size_t>(width, 8); ++i)
            text[i] = static_cast<char>(value >> 8 * i);
        return text;
    }
    static std::string none() { return std::string(8, '\xff'); }
    static std::string padded(std::string text) {
        text.resize((text.size() + 7) / 8 * 8);
        return text;
    }
    uint64_t append(const std::string& block) {
        bytes_.resize((bytes_.size() + 7) / 8 * 8);
        const uint64_t at = bytes_.size();
        bytes_ += block;
        return at;
    }

    std::string message(uint64_t type, const std::string& content) const {
        if (form_ == Hdf5Form::Old)
            return number(type, 2) + number(padded(content).size(), 2) + number(0, 4) + padded(content);
        return number(type, 1) + number(content.size(), 2) + number(0, 1) + content;
    }
    uint64_t object(const std::string& messages, uint64_t count) {
        if (form_ == Hdf5Form::Old)
            return append(number(1, 1) + number(0, 1) + number(count, 2) + number(1, 4) + number(messages.size(), 4) +
                          number(0, 4) + messages);
        return append("OHDR" + number(2, 1) + number(2, 1) + number(messages.size(), 4) + messages + number(0, 4));
    }
    static std::string space(const std::vector<uint64_t>& dims) {
        std::string text = number(1, 1) + number(dims.size(), 1) + number(0, 6);
        for (const uint64_t dim : dims)
            text += number(dim, 8);
        return text;
    }
    std::string attribute(const std::string& name, const std::vector<std::string>& values, bool isList) const {
        size_t width = 1;
        for (const std::string& value : values)
            width = std::max(width, value.size());
        const std::string type = number(0x13, 1) + number(0, 3) + number(width, 4);
        const std::string shape = space(isList ? std::vector<uint64_t>{values.size()} : std::vector<uint64_t>{});
        const std::string ended = name + std::string(1, '\0');
        std::string text = number(1, 2) + number(ended.size(), 2) + number(type.size(), 2) + number(shape.size(), 2) +
                           padded(ended) + padded(type) + padded(shape);
        for (const std::string& value : values)
            text += value + std::string(width - value.size(), '\0');
        return message(0xc, text);
    }

    uint64_t group(const Hdf5Group& group) {
        std::map<std::string, uint64_t> links;
        for (const auto& [name, inner] : group.groups)
            links[name] = this->group(inner);
        for (const auto& [name, array] : group.arrays)
            links[name] = this->array(array);
        std::string messages;
        uint64_t count = group.texts.size() + group.text.size();
        for (const auto& [name, values] : group.texts)
            messages += attribute(name, values, true);
        for (const auto& [name, value] : group.text)
            messages += attribute(name, {value}, false);
        if (form_ == Hdf5Form::Old) {
            messages += message(0x11, symbols(links));
            return object(messages, count + 1);
        }
        for (const auto& [name, address] : links)
            messages += message(6, number(1, 1) + number(0, 1) + number(name.size(), 1) + name + number(address, 8));
        for (const auto& [name, target] : group.softLinks)
            messages += message(6, number(1, 1) + number(8, 1) + number(1, 1) + number(name.size(), 1) + name +
                                       number(target.size(), 2) + target);
        return object(messages, count);
    }
    std::string symbols(const std::map<std::string, uint64_t>& links) {
        std::string names(8, '\0'), entries;
        for (const auto& [name, address] : links) {
            entries += number(names.size(), 8) + number(address, 8) + number(0, 24);
            names += padded(name + std::string(1, '\0'));
        }
        const uint64_t data = append(names);
        const uint64_t heap = append("HEAP" + number(0, 4) + number(names.size(), 8) + number(0, 8) + number(data, 8));
        const uint64_t leaf = append("SNOD" + number(1, 2) + number(links.size(), 2) + entries);
        const uint64_t tree = append("TREE" + number(0, 2) + number(1, 2) + none() + none() + number(0, 8) +
                                     number(leaf, 8) + number(0, 8));
        return number(tree, 8) + number(heap, 8);
    }

    uint64_t array(const Hdf5Array& array) {
        const std::string type = number(0x11, 1) + number(0x1f20, 3) + number(4, 4) + number(0, 2) + number(32, 2) +
                                 number(23, 1) + number(8, 1) + number(0, 1) + number(23, 1) + number(127, 4);
        std::string values(array.values.size() * 4, '\0');
        std::memcpy(values.data(), array.values.data(), values.size());
        if (array.chunk.empty())
            return object(
                message(1, space(array.dims)) + message(3, type) +
                    message(8, number(3, 1) + number(1, 1) + number(append(values), 8) + number(values.size(), 8)),
                3);
        const std::string filters =
            number(1, 1) + number(2, 1) + number(0, 6) + number(2, 2) + number(0, 6) + number(1, 2) + number(0, 6);
        std::string layout = number(3, 1) + number(2, 1) + number(array.dims.size() + 1, 1) + number(chunks(array), 8);
        for (const uint64_t dim : array.chunk)
            layout += number(dim, 4);
        return object(message(1, space(array.dims)) + message(3, type) + message(0xb, filters) +
                          message(8, layout + number(4, 4)),
                      4);
    }
    /// Of an array of two dims.
    uint64_t chunks(const Hdf5Array& array) {
        std::string keys;
        uint64_t count = 0;
        for (uint64_t row = 0; row < array.dims[0]; row += array.chunk[0])
            for (uint64_t column = 0; column < array.dims[1]; column += array.chunk[1], ++count) {
                const uint64_t elements = array.chunk[0] * array.chunk[1];
                std::string shuffled(elements * 4, '\0');
                for (uint64_t i = 0; i < elements; ++i) {
                    const uint64_t r = row + i / array.chunk[1], c = column + i % array.chunk[1];
                    const float value =
                        r < array.dims[0] && c < array.dims[1] ? array.values[r * array.dims[1] + c] : -1;
                    char four[4];
                    std::memcpy(four, &value, 4);
                    for (uint64_t k = 0; k < 4; ++k)
                        shuffled[k * elements + i] = four[k];
                }
                uLongf size = compressBound(shuffled.size());
                std::string packed(size, '\0');
                compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                         reinterpret_cast<const Bytef*>(shuffled.data()), shuffled.size());
                packed.resize(size);
                keys += number(size, 4) + number(0, 4) + number(row, 8) + number(column, 8) + number(0, 8) +
                        number(append(packed), 8);
            }
        return append("TREE" + number(1, 1) + number(0, 1) + number(count, 2) + none() + none() + keys + number(0, 32));
    }

    Hdf5Form form_;
    std::string bytes_;
};

inline std::string hdf5Of(const Hdf5Group& root, Hdf5Form form = Hdf5Form::Old) {
    return Hdf5Writer(form).write(root);
}

} // namespace lathe::testing
