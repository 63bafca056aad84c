// SPDX-License-Identifier: Apache-2.0
//
// The schema as it is compiled in, made into one row a field, and a file's tables read by those rows.
#include "frontend/tflite/option_tables.h"

#include "frontend/tflite/flex_map.h"
#include "frontend/tflite/schema_bfbs_generated.h"
#include "frontend/tflite/schema_generated.h"

#include <flatbuffers/reflection_generated.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>

namespace lathe::frontend::tflite {
namespace {

constexpr const char* wrongOptions = "the file is damaged or was written wrongly; convert the model again";

constexpr size_t mostOfMap = 1 << 16; // entries, elements and letters of a custom operator's options

struct OptionField {
    std::string name;
    uint16_t slot = 0; // of the table's vtable
    reflection::BaseType type = reflection::None, element = reflection::None;
    std::string enumeration;               // "Padding"; empty if the number is one
    std::map<int64_t, std::string> values; // of the enumeration
    int64_t integer = 0;                   // defaults
    double real = 0;
};

struct OptionTable {
    std::string name; // "Conv2DOptions"
    std::vector<OptionField> fields;
};

/// What the schema says of all tables of options.
struct OptionSchema {
    std::map<int, OptionTable> first, second; // by code in the union builtin_options, builtin_options_2
};

// Operators whose table is not called as they are.
struct SharedTable {
    std::string_view op, table;
};
constexpr auto sharedTables = std::to_array<SharedTable>({
    {"AVERAGE_POOL_2D", "Pool2DOptions"},
    {"MAX_POOL_2D", "Pool2DOptions"},
    {"L2_POOL_2D", "Pool2DOptions"},
    {"L2_NORMALIZATION", "L2NormOptions"},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", "SequenceRNNOptions"},
    {"CONV_3D_TRANSPOSE", "Conv3DOptions"},
    {"MEAN", "ReducerOptions"},
    {"SUM", "ReducerOptions"},
    {"REDUCE_PROD", "ReducerOptions"},
    {"REDUCE_MAX", "ReducerOptions"},
    {"REDUCE_MIN", "ReducerOptions"},
    {"REDUCE_ANY", "ReducerOptions"},
    {"REDUCE_ALL", "ReducerOptions"},
    {"MAXIMUM", "MaximumMinimumOptions"},
    {"MINIMUM", "MaximumMinimumOptions"},
    {"RANDOM_UNIFORM", "RandomOptions"},
    {"RANDOM_STANDARD_NORMAL", "RandomOptions"},
    {"MULTINOMIAL", "RandomOptions"},
});

std::string withoutNamespace(const flatbuffers::String* name) {
    const std::string text = name->str();
    return text.substr(text.rfind('.') + 1);
}

OptionField fieldOf(const reflection::Schema& schema, const reflection::Field& field) {
    OptionField row;
    row.name = field.name()->str();
    row.slot = field.offset();
    row.type = field.type()->base_type();
    row.element = field.type()->element();
    row.integer = field.default_integer();
    row.real = field.default_real();
    const reflection::BaseType number = row.type == reflection::Vector ? row.element : row.type;
    if (number >= reflection::UType && number <= reflection::ULong && field.type()->index() >= 0) {
        const reflection::Enum& found =
            *schema.enums()->Get(static_cast<flatbuffers::uoffset_t>(field.type()->index()));
        row.enumeration = withoutNamespace(found.name());
        for (const reflection::EnumVal* value : *found.values())
            row.values.emplace(value->value(), value->name()->str());
    }
    return row;
}

std::map<int, OptionTable> tablesOf(const reflection::Schema& schema, const char* unionName) {
    std::map<int, OptionTable> tables;
    for (const reflection::EnumVal* member : *schema.enums()->LookupByKey(unionName)->values()) {
        if (member->value() == 0)
            continue; // no options
        const auto at = static_cast<flatbuffers::uoffset_t>(member->union_type()->index());
        const reflection::Object& object = *schema.objects()->Get(at);
        OptionTable& table = tables[static_cast<int>(member->value())];
        table.name = withoutNamespace(object.name());
        for (const reflection::Field* field : *object.fields())
            if (!field->deprecated())
                table.fields.push_back(fieldOf(schema, *field));
        std::ranges::sort(table.fields, {}, &OptionField::slot);
    }
    return tables;
}

const OptionSchema& optionSchema() {
    static const OptionSchema tables = [] {
        // A copy, which is aligned.
        using Binary = ::tflite::ModelBinarySchema;
        const std::vector<uint8_t> bytes(Binary::data(), Binary::data() + Binary::size());
        const reflection::Schema& schema = *reflection::GetSchema(bytes.data());
        return OptionSchema{tablesOf(schema, "tflite.BuiltinOptions"), tablesOf(schema, "tflite.BuiltinOptions2")};
    }();
    return tables;
}

/// "CONV_2D" and "Conv2D" alike.
std::string bareName(std::string_view name) {
    std::string bare;
    for (const char c : name)
        if (c != '_')
            bare += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return bare;
}

std::map<std::string, const OptionTable*> tablesByOperator() {
    std::map<std::string, const OptionTable*> named, byOperator;
    for (const auto* tables : {&optionSchema().first, &optionSchema().second})
        for (const auto& [code, table] : *tables)
            named.emplace(bareName(table.name), &table);
    for (const char* const* name = ::tflite::EnumNamesBuiltinOperator(); *name; ++name)
        if (const auto found = named.find(bareName(*name) + "options"); found != named.end())
            byOperator.emplace(*name, found->second);
    for (const auto& [op, table] : sharedTables)
        byOperator.emplace(op, named.at(bareName(table)));
    return byOperator;
}

/// The table that belongs to an operator; null if it has none.
const OptionTable* tableOf(int code) {
    static const std::map<std::string, const OptionTable*> tables = tablesByOperator();
    const auto found = tables.find(builtinName(code));
    return found == tables.end() ? nullptr : found->second;
}

template <class T>
T unaligned(const uint8_t* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

bool isRealType(reflection::BaseType type) {
    return type == reflection::Float || type == reflection::Double;
}

double realAt(reflection::BaseType type, const uint8_t* at) {
    return type == reflection::Float ? unaligned<float>(at) : unaligned<double>(at);
}

size_t widthOfType(reflection::BaseType type) {
    switch (type) {
    case reflection::Short:
    case reflection::UShort:
        return 2;
    case reflection::Int:
    case reflection::UInt:
    case reflection::Float:
        return 4;
    case reflection::Long:
    case reflection::ULong:
    case reflection::Double:
        return 8;
    default:
        return 1;
    }
}

int64_t integerAt(reflection::BaseType type, const uint8_t* at) {
    switch (type) {
    case reflection::Byte:
        return unaligned<int8_t>(at);
    case reflection::Short:
        return unaligned<int16_t>(at);
    case reflection::UShort:
        return unaligned<uint16_t>(at);
    case reflection::Int:
        return unaligned<int32_t>(at);
    case reflection::UInt:
        return unaligned<uint32_t>(at);
    case reflection::Long:
    case reflection::ULong:
        return unaligned<int64_t>(at);
    case reflection::Bool:
        return *at != 0;
    default:
        return *at;
    }
}

Result<std::string> valueName(const OptionField& field, int64_t value) {
    const auto found = field.values.find(value);
    if (found == field.values.end())
        return failure(
            fmt::format("option '{}' has the value {}, which {} does not know", field.name, value, field.enumeration),
            "convert the model for an older runtime, or again if the file is damaged");
    return found->second;
}

/// Reads the fields of one table. The file's table may be absent.
class FieldReader {
public:
    FieldReader(const flatbuffers::Table* table, Budget& budget) : table_(table), budget_(budget) {}

    Result<model::AttributeValue> read(const OptionField& field) {
        switch (field.type) {
        case reflection::String:
            return text(field);
        case reflection::Vector:
            return list(field);
        case reflection::Float:
        case reflection::Double: {
            const uint8_t* at = table_ ? table_->GetAddressOf(field.slot) : nullptr;
            return at ? realAt(field.type, at) : field.real;
        }
        default: {
            const int64_t value = integer(field);
            if (field.enumeration.empty())
                return value;
            LATHE_TRY(std::string name, valueName(field, value));
            return model::AttributeValue(std::move(name));
        }
        }
    }

    int64_t integer(const OptionField& field) const {
        const uint8_t* at = table_ ? table_->GetAddressOf(field.slot) : nullptr;
        return at ? integerAt(field.type, at) : field.integer;
    }

    Result<std::vector<int64_t>> integers(const OptionField& field) {
        const auto* vector = vectorOf(field);
        std::vector<int64_t> values;
        LATHE_CHECKED(take(field, vector, sizeof(int64_t)));
        for (size_t i = 0; vector && i < vector->size(); ++i)
            values.push_back(integerAt(field.element, vector->Data() + i * widthOfType(field.element)));
        return values;
    }

private:
    const flatbuffers::VectorOfAny* vectorOf(const OptionField& field) const {
        return table_ ? table_->GetPointer<const flatbuffers::VectorOfAny*>(field.slot) : nullptr;
    }

    Result<void> take(const OptionField& field, const flatbuffers::VectorOfAny* vector, size_t width) {
        if (vector && !budget_.takeBytes(static_cast<int64_t>(vector->size() * width)))
            return failure(ErrorKind::Unsupported,
                           fmt::format("option '{}' of {} elements takes more memory than the model may ask for",
                                       field.name, vector->size()),
                           wrongOptions);
        return {};
    }

    Result<model::AttributeValue> text(const OptionField& field) {
        const auto* vector = vectorOf(field); // so are texts kept
        LATHE_CHECKED(take(field, vector, 1));
        return vector ? std::string(reinterpret_cast<const char*>(vector->Data()), vector->size()) : std::string();
    }

    Result<model::AttributeValue> list(const OptionField& field) {
        if (field.element == reflection::UByte)
            return text(field);
        const auto* vector = vectorOf(field);
        if (isRealType(field.element)) {
            LATHE_CHECKED(take(field, vector, sizeof(double)));
            std::vector<double> reals;
            for (size_t i = 0; vector && i < vector->size(); ++i)
                reals.push_back(realAt(field.element, vector->Data() + i * widthOfType(field.element)));
            return reals;
        }
        LATHE_TRY(std::vector<int64_t> values, integers(field));
        if (field.enumeration.empty())
            return values;
        LATHE_CHECKED(take(field, vector, sizeof(std::string)));
        std::vector<std::string> names;
        for (const int64_t value : values) {
            LATHE_TRY(std::string name, valueName(field, value));
            names.push_back(std::move(name));
        }
        return names;
    }

    const flatbuffers::Table* table_;
    Budget& budget_;
};

/// The table of options that an operator has in the file, and what the schema says of it.
struct FileTable {
    const OptionTable* table = nullptr;
    const flatbuffers::Table* at = nullptr;
};

Result<FileTable> fileTable(const ::tflite::Operator& proto) {
    const int first = proto.builtin_options_type(), second = proto.builtin_options_2_type();
    FileTable found;
    if (first == 0 && second == 0)
        return found;
    const std::map<int, OptionTable>& tables = first ? optionSchema().first : optionSchema().second;
    const auto table = tables.find(first ? first : second);
    if (table == tables.end())
        return failure(ErrorKind::Unsupported,
                       fmt::format("the operator has options of the unknown kind {}", first ? first : second),
                       "convert the model for an older runtime, or again if the file is damaged");
    found.table = &table->second;
    found.at = static_cast<const flatbuffers::Table*>(first ? proto.builtin_options() : proto.builtin_options_2());
    return found;
}

bool namesSubgraph(const OptionField& field) {
    return field.name == "subgraph" || field.name.ends_with("subgraph_index");
}

bool namesSubgraphs(const OptionField& field) {
    return field.name == "branch_subgraph_indices" || field.name == "called_computations";
}

} // namespace

int builtinCode(const ::tflite::OperatorCode& code) {
    return std::max<int>(code.deprecated_builtin_code(), code.builtin_code());
}

std::string builtinName(int code) {
    if (code < ::tflite::BuiltinOperator_MIN || code > ::tflite::BuiltinOperator_MAX)
        return fmt::format("BUILTIN_{}", code);
    return ::tflite::EnumNameBuiltinOperator(static_cast<::tflite::BuiltinOperator>(code));
}

bool isCustom(int code) {
    return code == ::tflite::BuiltinOperator_CUSTOM;
}

Result<OperatorOptions> readOptions(const ::tflite::Operator& proto, int code, Budget& budget) {
    LATHE_TRY(FileTable options, fileTable(proto));
    const OptionTable* own = tableOf(code);
    if (own && options.table && own != options.table)
        return failure(fmt::format("the operator has the options of another, {}, where it takes {}",
                                   options.table->name, own->name),
                       wrongOptions);
    OperatorOptions read;
    const OptionTable* table = options.table ? options.table : own;
    if (!table)
        return read;
    FieldReader reader(options.at, budget);
    for (const OptionField& field : table->fields) {
        if (namesSubgraph(field)) {
            read.subgraphs.push_back({field.name, {reader.integer(field)}, false});
        } else if (namesSubgraphs(field)) {
            LATHE_TRY(std::vector<int64_t> indices, reader.integers(field));
            read.subgraphs.push_back({field.name, std::move(indices), true});
        } else {
            LATHE_TRY(model::AttributeValue value, reader.read(field));
            read.attributes.push_back({field.name, std::move(value)});
        }
    }
    return read;
}

Result<std::vector<model::Attribute>> readCustomOptions(std::span<const std::byte> bytes, Budget& budget) {
    if (bytes.empty())
        return std::vector<model::Attribute>();
    const size_t entriesAtMost = std::min(bytes.size(), mostOfMap);
    if (!budget.takeBytes(static_cast<int64_t>(bytes.size() + entriesAtMost * sizeof(model::Attribute))))
        return failure(
            ErrorKind::Unsupported,
            fmt::format("the operator's {} bytes of options take more memory than the model may ask for", bytes.size()),
            wrongOptions);
    if (auto entries = readFlexMap(bytes, entriesAtMost))
        return *std::move(entries);
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return std::vector<model::Attribute>{{"custom_options", std::move(text)}};
}

} // namespace lathe::frontend::tflite
