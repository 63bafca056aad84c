// SPDX-License-Identifier: Apache-2.0
// Links: tensorflow_proto
//
// Variables of a SavedModel: the index with keys that share their beginnings, values in whole and in parts, checksums,
// and what is refused of damaged files. The files are written here, by the format's description.
#include "frontend/tensorflow/checkpoint.h"
#include "frontend/tensorflow/checksum.h"
#include "frontend/tensorflow/snappy.h"
#include "frontend/tensorflow/sorted_table.h"
#include "model/host_tensor.h"
#include "support/members_in_memory.h"
#include "support/program_of_tests.h"

#include <tensorflow/core/protobuf/tensor_bundle.pb.h>

#include <QtTest>

#include <map>

namespace lathe::testing::test_tensorflow_variables {

namespace {

using frontend::tensorflow::Checkpoint;
using frontend::tensorflow::maskedChecksum;
using Files = FilesInMemory;

std::span<const std::byte> asBytes(const std::string& text) {
    return std::as_bytes(std::span(text));
}

std::string number(uint64_t value, size_t bytes) {
    std::string text;
    for (size_t i = 0; i < bytes; ++i)
        text += static_cast<char>(value >> (8 * i));
    return text;
}

/// For numbers below 2^14.
std::string varint(size_t value) {
    return value < 128 ? std::string(1, static_cast<char>(value))
                       : std::string{static_cast<char>((value & 0x7f) | 0x80), static_cast<char>(value >> 7)};
}

/// A block of entries, each without what its key shares with the one before.
std::string blockOf(const Files& entries) {
    std::string block, before;
    for (const auto& [key, value] : entries) {
        size_t shared = 0;
        while (shared < std::min(key.size(), before.size()) && key[shared] == before[shared])
            ++shared;
        block += varint(shared) + varint(key.size() - shared) + varint(value.size()) + key.substr(shared) + value;
        before = key;
    }
    return block + number(0, 4) + number(1, 4); // one restart, at the beginning
}

/// Puts a block into the file; gives where it lies.
std::string addBlock(std::string& file, const std::string& block) {
    const std::string handle = varint(file.size()) + varint(block.size());
    const std::string packed = block + '\0';
    file += packed + number(maskedChecksum(asBytes(packed)), 4);
    return handle;
}

/// The file with an index of its blocks and its end.
std::string finished(std::string file, const Files& blocks) {
    std::string footer = addBlock(file, blockOf({}));
    footer += addBlock(file, blockOf(blocks));
    footer.resize(40, '\0');
    return file + footer + number(0xdb4775248b80fb57, 8);
}

std::string tableOf(const Files& entries) {
    std::string file;
    const std::string data = addBlock(file, blockOf(entries));
    return finished(file, {{"~", data}});
}

std::string floatsOf(const std::vector<float>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

::tensorflow::BundleEntryProto entryOf(const std::string& bytes, size_t offset, const std::vector<int64_t>& shape) {
    ::tensorflow::BundleEntryProto entry;
    entry.set_dtype(::tensorflow::DT_FLOAT);
    for (const int64_t dim : shape)
        entry.mutable_shape()->add_dim()->set_size(dim);
    entry.set_offset(static_cast<int64_t>(offset));
    entry.set_size(static_cast<int64_t>(bytes.size()));
    entry.set_crc32c(maskedChecksum(asBytes(bytes)));
    return entry;
}

/// Two variables of a file, and one in two parts: columns 0 and 1 … 2.
struct Saved {
    std::map<std::string, ::tensorflow::BundleEntryProto> entries;
    std::string data;
    Files files() const {
        ::tensorflow::BundleHeaderProto header;
        header.set_num_shards(1);
        Files written = {{"", header.SerializeAsString()}};
        for (const auto& [key, entry] : entries)
            written[key] = entry.SerializeAsString();
        return {{"v.index", tableOf(written)}, {"v.data-00000-of-00001", data}};
    }
};

Saved saved() {
    Saved made;
    const auto add = [&](const std::string& key, const std::vector<float>& values, const std::vector<int64_t>& shape) {
        const std::string bytes = floatsOf(values);
        made.entries[key] = entryOf(bytes, made.data.size(), shape);
        made.data += bytes;
    };
    add("dense/bias", {5, 6}, {2});
    add("dense/kernel", {1, 2, 3, 4, 5, 6}, {2, 3});
    ::tensorflow::BundleEntryProto& whole = made.entries["parts"];
    whole = entryOf("", 0, {2, 3});
    const auto part = [&](int64_t start, int64_t length, const std::string& key, const std::vector<float>& values) {
        ::tensorflow::TensorSliceProto& slice = *whole.add_slices();
        slice.add_extent();
        slice.add_extent()->set_start(start);
        slice.mutable_extent(1)->set_length(length);
        add(key, values, {2, length});
    };
    const std::string all("\0parts\0\1\1\2\x80\x7f", 12); // a part's key: two dims, of the first all, 0 and -1
    part(0, 1, all + "\x80\x81", {1, 4});
    part(1, 2, all + "\x81\x82", {2, 3, 5, 6});
    return made;
}

Result<Checkpoint> open(const Files& files) {
    return Checkpoint::open(std::make_shared<MembersInMemory>(files), "v", std::make_shared<Budget>());
}

std::vector<double> valuesOf(const model::TensorPtr& tensor) {
    std::vector<double> values;
    for (int64_t i = 0; i < tensor->elements(); ++i)
        values.push_back(model::elementAsDouble(tensor->dtype, tensor->bytes.view, static_cast<size_t>(i)));
    return values;
}

} // namespace

class TestTensorflowVariables : public QObject {
    Q_OBJECT

private slots:
    /// The check value of CRC-32C is e3069283.
    void theChecksumIsThatOfTheFormat() {
        const uint32_t masked = maskedChecksum(asBytes("123456789"));
        const uint32_t turned = masked - 0xa282ead8;
        QCOMPARE((turned >> 17 | turned << 15), 0xe3069283U);
    }

    /// By the format's description: literals, copies of one, two and four bytes of offset, copies that reach into
    /// themselves; what is damaged, and what claims to be too long.
    void packedIndex() {
        const auto unpacked = [](const std::string& packed, size_t most = 1000) {
            return frontend::tensorflow::unpackSnappy(asBytes(packed), most);
        };
        QCOMPARE(unpacked(std::string("\x0c\x0c"
                                      "abcd\x11\x04",
                                      8)),
                 std::optional<std::string>("abcdabcdabcd"));
        QCOMPARE(unpacked(std::string("\x05\x00"
                                      "a\x0e\x01\x00",
                                      6)),
                 std::optional<std::string>("aaaaa"));
        QCOMPARE(unpacked(std::string("\x05\x04"
                                      "ab\x0b\x02\x00\x00\x00",
                                      9)),
                 std::optional<std::string>("ababa"));
        const std::string lengthy(70, 'x');
        QCOMPARE(unpacked("\x46\xf0\x45" + lengthy), std::optional<std::string>(lengthy));
        QCOMPARE(unpacked(std::string("\0", 1)), std::optional<std::string>(""));
        for (const std::string& wrong : {std::string(),
                                         std::string("\x04\x0c"
                                                     "abc",
                                                     5),
                                         std::string("\x05\x0c"
                                                     "abcd",
                                                     6),
                                         std::string("\x05\x00"
                                                     "a\x0e\x02\x00",
                                                     6),
                                         std::string("\x05\x00"
                                                     "a\x0e\x00\x00",
                                                     6),
                                         std::string("\x04\x00"
                                                     "a\x0e\x01\x00",
                                                     6),
                                         std::string("\xff\xff\xff\xff\xff", 5)})
            QVERIFY(!unpacked(wrong));
        QVERIFY(!unpacked("\x46\xf0\x45" + lengthy, 69));
    }

    void valuesByKeys() {
        auto checkpoint = open(saved().files());
        QVERIFY2(checkpoint.has_value(), checkpoint ? "" : checkpoint.error().what.c_str());
        const auto kernel = checkpoint->read("dense/kernel", "");
        QVERIFY(kernel);
        QCOMPARE((*kernel)->shape, (std::vector<int64_t>{2, 3}));
        QCOMPARE(valuesOf(*kernel), (std::vector<double>{1, 2, 3, 4, 5, 6}));
        const auto bias = checkpoint->read("dense/bias", "");
        QVERIFY(bias);
        QCOMPARE(valuesOf(*bias), (std::vector<double>{5, 6}));
        QVERIFY(!checkpoint->read("dense", ""));
    }

    void partsAndSlices() {
        auto checkpoint = open(saved().files());
        QVERIFY(checkpoint);
        const auto whole = checkpoint->read("parts", "");
        QVERIFY2(whole.has_value(), whole ? "" : whole.error().what.c_str());
        QCOMPARE(valuesOf(*whole), (std::vector<double>{1, 2, 3, 4, 5, 6}));
        const auto columns = checkpoint->read("dense/kernel", "2 3 -:1,2");
        QVERIFY(columns);
        QCOMPARE((*columns)->shape, (std::vector<int64_t>{2, 2}));
        QCOMPARE(valuesOf(*columns), (std::vector<double>{2, 3, 5, 6}));
        for (const char* wrong : {"2 3 -:1,3", "2 3 -", "2 3 -:-:-", "2 3 a,b:-", "2 3 -1,1:-"})
            QVERIFY2(!checkpoint->read("dense/kernel", wrong), wrong);
    }

    /// Parts that leave elements out, or of which one is named twice, are no tensor.
    void partsMakeUpTheWhole() {
        Saved made = saved();
        ::tensorflow::BundleEntryProto& whole = made.entries["parts"];
        const ::tensorflow::TensorSliceProto first = whole.slices(0), second = whole.slices(1);
        const auto faultOf = [&](const std::vector<::tensorflow::TensorSliceProto>& parts) {
            whole.clear_slices();
            for (const auto& part : parts)
                *whole.add_slices() = part;
            auto checkpoint = open(made.files());
            const auto read = checkpoint->read("parts", "");
            return read ? std::string() : read.error().what;
        };
        QCOMPARE(faultOf({second, first}), std::string());
        QCOMPARE(faultOf({second}), std::string("parts of variable 'parts' are missing"));
        QCOMPARE(faultOf({second, first, first}), std::string("the parts of variable 'parts' overlap"));
        QCOMPARE(faultOf({second, second}), std::string("the parts of variable 'parts' overlap"));
    }

    /// A block without entries that is named over and over asks for as much work as it likes.
    void blocksAreReadOnce() {
        std::string file;
        const std::string empty = addBlock(file, std::string(96, '\0') + number(24, 4)); // of restarts alone
        QVERIFY(frontend::tensorflow::readTable(asBytes(finished(file, {{"a", empty}}))));
        const auto read = frontend::tensorflow::readTable(
            asBytes(finished(file, {{"a", empty}, {"b", empty}, {"c", empty}, {"d", empty}})));
        QVERIFY(!read);
        QVERIFY2(read.error().what.find("more than there is") != std::string::npos, read.error().what.c_str());
    }

    void damageIsRefused() {
        Saved made = saved();
        made.data.pop_back();
        auto cut = open(made.files());
        QVERIFY(cut && !cut->read("parts", "") && cut->read("dense/bias", ""));
        made = saved();
        made.data[0] = static_cast<char>(made.data[0] ^ 1);
        auto changed = open(made.files());
        QVERIFY(changed && !changed->read("dense/bias", ""));
        made = saved();
        made.entries["dense/bias"].set_offset(-1);
        auto before = open(made.files());
        QVERIFY(before && !before->read("dense/bias", ""));
        const Files files = saved().files();
        const std::string& index = files.at("v.index");
        for (size_t i = 0; i < index.size(); ++i) { // each byte counts, or is a filling
            std::string other = index;
            other[i] = static_cast<char>(other[i] ^ 0x55);
            const auto read = frontend::tensorflow::readTable(asBytes(other));
            QVERIFY(!read || read->size() == 6);
            QVERIFY(!frontend::tensorflow::readTable(asBytes(index.substr(0, i))));
        }
    }
};

Test test() {
    return {makes<TestTensorflowVariables>};
}

} // namespace lathe::testing::test_tensorflow_variables

#include "test_tensorflow_variables.moc"
