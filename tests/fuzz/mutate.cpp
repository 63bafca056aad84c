// SPDX-License-Identifier: Apache-2.0
#include "fuzz/mutate.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>

#include <array>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

namespace lathe::fuzz {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

namespace {

/// ONNX's messages with reflection, which the library's own lack: from the schema, which the build compiles.
class Schema {
public:
    Schema() {
        std::ifstream file(LATHE_BINARY_DIR "/../onnx.schema", std::ios::binary);
        google::protobuf::FileDescriptorSet set;
        if (!set.ParseFromIstream(&file))
            throw std::runtime_error("ONNX's schema cannot be read");
        for (const auto& proto : set.file())
            pool_.BuildFile(proto);
        prototype_ = factory_.GetPrototype(pool_.FindMessageTypeByName("onnx.ModelProto"));
    }
    std::unique_ptr<Message> newModel() const { return std::unique_ptr<Message>(prototype_->New()); }

private:
    google::protobuf::DescriptorPool pool_;
    google::protobuf::DynamicMessageFactory factory_;
    const Message* prototype_ = nullptr;
};

size_t below(Random& random, size_t limit) {
    return limit == 0 ? 0 : static_cast<size_t>(random() % limit);
}

/// How much one mutant is changed: half of them once, for what is damaged a little gets farther.
size_t changesOf(Random& random, size_t most) {
    return random() % 2 ? 1 : 1 + below(random, most);
}

int64_t extreme(Random& random, int64_t value) {
    static constexpr std::array<int64_t, 16> values = {0,
                                                       1,
                                                       -1,
                                                       2,
                                                       -2,
                                                       7,
                                                       64,
                                                       65536,
                                                       INT32_MAX,
                                                       INT32_MIN,
                                                       int64_t{1} << 31,
                                                       int64_t{1} << 40,
                                                       int64_t{1} << 62,
                                                       std::numeric_limits<int64_t>::max(),
                                                       std::numeric_limits<int64_t>::min(),
                                                       3037000500};
    switch (random() % 4) {
    case 0:
        return static_cast<int64_t>(static_cast<uint64_t>(value) + 1);
    case 1:
        return static_cast<int64_t>(static_cast<uint64_t>(value) - 1);
    default:
        return values[below(random, values.size())];
    }
}

/// A field of a message; for a repeated one, its element.
struct Place {
    Message* message;
    const FieldDescriptor* field;
    int index; // -1: not repeated
};

struct Tree {
    std::vector<Place> places;
    std::vector<std::string> names;
};

/// All fields that are set. Messages are visited from a list, so depth costs no stack.
Tree walk(Message& root) {
    Tree tree;
    std::vector<Message*> pending = {&root};
    while (!pending.empty()) {
        Message* message = pending.back();
        pending.pop_back();
        const Reflection& reflection = *message->GetReflection();
        std::vector<const FieldDescriptor*> fields;
        reflection.ListFields(*message, &fields);
        for (const FieldDescriptor* field : fields) {
            const bool isMessage = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
            const bool isString = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
            const int count = field->is_repeated() ? reflection.FieldSize(*message, field) : 1;
            for (int i = 0; i < count; ++i) {
                tree.places.push_back({message, field, field->is_repeated() ? i : -1});
                if (isMessage)
                    pending.push_back(field->is_repeated() ? reflection.MutableRepeatedMessage(message, field, i)
                                                           : reflection.MutableMessage(message, field));
                if (isString && field->type() == FieldDescriptor::TYPE_STRING)
                    tree.names.push_back(field->is_repeated() ? reflection.GetRepeatedString(*message, field, i)
                                                              : reflection.GetString(*message, field));
            }
        }
    }
    return tree;
}

void removeElement(const Place& place) {
    const Reflection& reflection = *place.message->GetReflection();
    for (int i = place.index; i + 1 < reflection.FieldSize(*place.message, place.field); ++i)
        reflection.SwapElements(place.message, place.field, i, i + 1);
    reflection.RemoveLast(place.message, place.field);
}

void mutateMessage(const Place& place, const Tree& tree, Random& random) {
    const Reflection& reflection = *place.message->GetReflection();
    Message* value = place.index >= 0 ? reflection.MutableRepeatedMessage(place.message, place.field, place.index)
                                      : reflection.MutableMessage(place.message, place.field);
    switch (random() % 4) {
    case 0: // one of another place
        for (int attempt = 0; attempt < 20; ++attempt) {
            const Place& other = tree.places[below(random, tree.places.size())];
            if (other.field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE ||
                other.field->message_type() != place.field->message_type())
                continue;
            const Reflection& theirs = *other.message->GetReflection();
            std::unique_ptr<Message> copy(value->New());
            copy->CopyFrom(other.index >= 0 ? theirs.GetRepeatedMessage(*other.message, other.field, other.index)
                                            : theirs.GetMessage(*other.message, other.field));
            value->CopyFrom(*copy);
            return;
        }
        return;
    case 1:
        if (place.index >= 0) {
            std::unique_ptr<Message> copy(value->New());
            copy->CopyFrom(*value);
            reflection.AddMessage(place.message, place.field)->CopyFrom(*copy);
            return;
        }
        [[fallthrough]];
    case 2:
        if (place.index >= 0)
            removeElement(place);
        else
            reflection.ClearField(place.message, place.field);
        return;
    default:
        value->Clear();
    }
}

std::string mutateString(const std::string& value, bool isName, const Tree& tree, Random& random) {
    static const std::array<const char*, 24> operators = {
        "Add",     "Conv",  "MatMul",  "Reshape",   "Concat", "Gather",    "If",        "Loop",
        "Softmax", "Slice", "Pad",     "Transpose", "Cast",   "ReduceSum", "Resize",    "LSTM",
        "TopK",    "Where", "Squeeze", "Expand",    "Tile",   "NonZero",   "ScatterND", "GatherND"};
    if (!isName)
        return mutateBytes(value, random);
    switch (random() % 4) {
    case 0:
        return {};
    case 1:
        return operators[below(random, operators.size())];
    case 2:
        return tree.names[below(random, tree.names.size())];
    default:
        return mutateBytes(value, random);
    }
}

void mutatePlace(const Place& place, const Tree& tree, Random& random) {
    const Reflection& reflection = *place.message->GetReflection();
    const bool repeated = place.index >= 0;
    if (place.field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE && random() % 4 == 0) {
        if (repeated)
            removeElement(place);
        else
            reflection.ClearField(place.message, place.field);
        return;
    }
    Message* message = place.message;
    const FieldDescriptor* field = place.field;
    switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
        return mutateMessage(place, tree, random);
    case FieldDescriptor::CPPTYPE_STRING: {
        const std::string value = repeated ? reflection.GetRepeatedString(*message, field, place.index)
                                           : reflection.GetString(*message, field);
        const std::string changed = mutateString(value, field->type() == FieldDescriptor::TYPE_STRING, tree, random);
        if (repeated)
            reflection.SetRepeatedString(message, field, place.index, changed);
        else
            reflection.SetString(message, field, changed);
        return;
    }
    case FieldDescriptor::CPPTYPE_INT64: {
        const int64_t value =
            repeated ? reflection.GetRepeatedInt64(*message, field, place.index) : reflection.GetInt64(*message, field);
        if (repeated)
            reflection.SetRepeatedInt64(message, field, place.index, extreme(random, value));
        else
            reflection.SetInt64(message, field, extreme(random, value));
        return;
    }
    case FieldDescriptor::CPPTYPE_INT32: {
        const int32_t value =
            repeated ? reflection.GetRepeatedInt32(*message, field, place.index) : reflection.GetInt32(*message, field);
        const auto changed = static_cast<int32_t>(random() % 2 ? extreme(random, value) : random() % 30);
        if (repeated)
            reflection.SetRepeatedInt32(message, field, place.index, changed);
        else
            reflection.SetInt32(message, field, changed);
        return;
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
        static constexpr std::array<float, 7> values = {0,
                                                        -0.0F,
                                                        1e-40F,
                                                        3e38F,
                                                        std::numeric_limits<float>::infinity(),
                                                        -std::numeric_limits<float>::infinity(),
                                                        std::numeric_limits<float>::quiet_NaN()};
        const float changed = values[below(random, values.size())];
        if (repeated)
            reflection.SetRepeatedFloat(message, field, place.index, changed);
        else
            reflection.SetFloat(message, field, changed);
        return;
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
        const auto* type = field->enum_type();
        const auto* value = type->value(static_cast<int>(below(random, static_cast<size_t>(type->value_count()))));
        if (!repeated)
            reflection.SetEnum(message, field, value);
        return;
    }
    default:
        return;
    }
}

/// The word or line around a place of a text: its begin and size, at least one.
std::pair<size_t, size_t> pieceOf(const std::string& text, size_t at, bool line) {
    const auto inside = [&](char c) {
        return line ? c != '\n' : std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    size_t begin = at, end = at;
    while (begin > 0 && inside(text[begin - 1]))
        --begin;
    while (end < text.size() && inside(text[end]))
        ++end;
    return {begin, std::min(text.size(), std::max(end, begin + 1)) - begin};
}

} // namespace

std::string mutateBytes(std::string bytes, Random& random) {
    const size_t changes = changesOf(random, 8);
    const bool sameSize = random() % 2; // a file of another size is mostly no message at all
    for (size_t i = 0; i < changes && !bytes.empty(); ++i) {
        const size_t at = below(random, bytes.size()), size = 1 + below(random, 16);
        switch (random() % (sameSize ? 3 : 6)) {
        case 0:
            bytes[at] = static_cast<char>(random());
            break;
        case 1:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
            break;
        case 2:
            bytes[at] = static_cast<char>(0xff);
            break;
        case 3:
            bytes.erase(at, size);
            break;
        case 4:
            bytes.insert(below(random, bytes.size()), bytes.substr(at, size));
            break;
        default:
            if (random() % 8 == 0)
                bytes.resize(at);
        }
    }
    return bytes;
}

std::string mutateFields(const std::string& model, Random& random) {
    static const Schema schema;
    const std::unique_ptr<Message> proto = schema.newModel();
    if (!proto->ParsePartialFromString(model))
        return model;
    const size_t changes = changesOf(random, 4);
    for (size_t i = 0; i < changes; ++i) {
        const Tree tree = walk(*proto);
        if (tree.places.empty())
            break;
        mutatePlace(tree.places[below(random, tree.places.size())], tree, random);
    }
    return proto->SerializePartialAsString();
}

std::string mutateText(std::string text, Random& random) {
    static const std::array<const char*, 16> tokens = {"(",
                                                       ")",
                                                       "[",
                                                       "]",
                                                       "{",
                                                       "}",
                                                       ",",
                                                       "-1",
                                                       "9223372036854775807",
                                                       "99999999999999999999999",
                                                       "1e999",
                                                       "nan",
                                                       "%4294967295",
                                                       "@{}",
                                                       "float32",
                                                       "\""};
    const size_t changes = changesOf(random, 4);
    for (size_t i = 0; i < changes && !text.empty(); ++i) {
        const bool line = random() % 3 == 0;
        const auto [begin, size] = pieceOf(text, below(random, text.size()), line);
        const std::string piece = text.substr(begin, size);
        const auto [otherBegin, otherSize] = pieceOf(text, below(random, text.size()), line);
        switch (random() % 9) {
        case 0:
            text.erase(begin, size);
            break;
        case 1:
            text.insert(begin, piece + (line ? "\n" : " "));
            break;
        case 2:
            text.replace(begin, size, tokens[below(random, tokens.size())]);
            break;
        case 3:
            text.insert(otherBegin, piece);
            break;
        case 4:
            text.insert(begin, std::string(1 + below(random, 2000), "([{<-"[random() % 5]));
            break;
        case 5:
            text = mutateBytes(text, random);
            break;
        default: // one word or line in place of another: what the text speaks of stays its own
            text.replace(begin, size, text.substr(otherBegin, otherSize));
        }
    }
    return text;
}

} // namespace lathe::fuzz
