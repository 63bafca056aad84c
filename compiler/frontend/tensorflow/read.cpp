// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/read.h"

#include "base/limits.h"
#include "frontend/common/members.h"

#include <tensorflow/core/protobuf/saved_model.pb.h>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>

namespace lathe::frontend::tensorflow {
namespace {

constexpr int messageNesting = 100;
constexpr size_t mostText = size_t{1} << 30;
constexpr const char* copyAgain = "the file is damaged, cut off, or of another format; copy or export it again";
constexpr const char* savedModel = "saved_model.pb";
constexpr const char* savedModelText = "saved_model.pbtxt";

std::string_view asText(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A varint of at most 31 bits at the text's start, which is cut off; nothing if there is none.
std::optional<size_t> takeLength(std::string_view& text) {
    size_t value = 0;
    for (unsigned shift = 0; shift < 31 && !text.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(text.front());
        text.remove_prefix(1);
        value |= static_cast<size_t>(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    return std::nullopt;
}

/// The content of a field of length-delimited type with this number at the start, which is cut off.
std::optional<std::string_view> takeField(std::string_view& text, int field) {
    if (text.empty() || static_cast<unsigned char>(text.front()) != (field << 3 | 2))
        return std::nullopt;
    text.remove_prefix(1);
    const auto length = takeLength(text);
    if (!length)
        return std::nullopt;
    const std::string_view content = text.substr(0, *length); // less where the file is cut off
    text.remove_prefix(content.size());
    return content;
}

bool isName(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return c > 0x20 && c != 0x7f; });
}

bool beginsAsBinary(std::string_view text) {
    auto node = takeField(text, ::tensorflow::GraphDef::kNodeFieldNumber);
    const auto name = node ? takeField(*node, ::tensorflow::NodeDef::kNameFieldNumber) : std::nullopt;
    const auto op = name ? takeField(*node, ::tensorflow::NodeDef::kOpFieldNumber) : std::nullopt;
    return op && isName(*name) && isName(*op);
}

/// Text of a message: comments, then the name of one of these fields.
bool beginsAsText(std::string_view text, std::initializer_list<std::string_view> fields) {
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        if (!text.starts_with('#'))
            break;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
    return std::ranges::any_of(fields, [&](std::string_view field) {
        if (!text.starts_with(field))
            return false;
        const std::string_view rest = text.substr(field.size());
        const size_t at = rest.find_first_not_of(" \t\r\n");
        return at != std::string_view::npos && rest[at] == '{';
    });
}

/// Keeps where the first fault is.
class FirstFault : public google::protobuf::io::ErrorCollector {
public:
    void AddError(int line, int column, const std::string& message) override {
        if (text.empty())
            text = fmt::format("line {}, column {}: {}", line + 1, column + 1, message);
    }
    void AddWarning(int, int, const std::string&) override {}
    std::string text;
};

Result<void> parseBinary(std::string_view text, google::protobuf::Message& message, const char* what) {
    if (text.size() > static_cast<size_t>(limits::protobufBytes))
        return failure(
            ErrorKind::Unsupported,
            fmt::format("the file has {} bytes; protobuf's own limit is {}", text.size(), limits::protobufBytes),
            "store the weights beside the graph, in a SavedModel");
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(text.data()),
                                                  static_cast<int>(text.size()));
    stream.SetRecursionLimit(messageNesting);
    if (!message.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
        return failure(fmt::format("the file cannot be read as {}", what), copyAgain);
    return {};
}

Result<void> parseText(std::string_view text, google::protobuf::Message& message, const char* what) {
    if (text.size() > mostText)
        return failure(ErrorKind::Unsupported,
                       fmt::format("the text has {} bytes, more than {}", text.size(), mostText),
                       "store the model in binary form");
    google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
    google::protobuf::TextFormat::Parser parser;
    FirstFault fault;
    parser.RecordErrorsTo(&fault);
    parser.AllowUnknownField(true); // newer versions have more, as in binary files
    parser.SetRecursionLimit(messageNesting);
    if (!parser.Parse(&stream, &message))
        return failure(fmt::format("the text cannot be read as {}: {}", what, fault.text), copyAgain);
    return {};
}

constexpr auto graphFields = {std::string_view("node"), std::string_view("library"), std::string_view("versions")};

} // namespace

bool mayBeGraph(std::span<const std::byte> bytes) {
    return beginsAsBinary(asText(bytes)) || beginsAsText(asText(bytes), graphFields);
}

bool mayBeMetaGraph(std::span<const std::byte> bytes) {
    std::string_view text = asText(bytes);
    if (!takeField(text, ::tensorflow::MetaGraphDef::kMetaInfoDefFieldNumber))
        return false;
    const auto graph = takeField(text, ::tensorflow::MetaGraphDef::kGraphDefFieldNumber);
    return graph && beginsAsBinary(*graph);
}

std::optional<std::string> checkpointIn(const Members& members) {
    const auto names = members.names();
    if (!names)
        return std::nullopt;
    constexpr std::string_view ending = ".meta";
    std::vector<std::string> found;
    for (const std::string& name : *names)
        if (const std::string prefix = name.substr(0, name.size() - std::min(name.size(), ending.size()));
            name.ends_with(ending) && std::ranges::binary_search(*names, prefix + ".index"))
            found.push_back(prefix);
    if (found.size() < 2)
        return found.empty() ? std::nullopt : std::optional(found.front());
    // model_checkpoint_path: "model-300"
    const auto listed = members.read("checkpoint");
    std::string_view text = listed ? asText(listed->view) : std::string_view();
    text.remove_prefix(std::min(text.find('"'), text.size()));
    const std::string latest(text.substr(std::min<size_t>(1, text.size()), text.find('"', 1) - 1));
    return std::ranges::find(found, latest) != found.end() ? latest : found.back();
}

bool mayBeSavedModel(const Members& members) {
    const auto names = members.names();
    return names && std::ranges::any_of(
                        *names, [](const std::string& name) { return name == savedModel || name == savedModelText; });
}

Result<std::shared_ptr<const ::tensorflow::GraphDef>> readGraphDef(std::span<const std::byte> bytes) {
    constexpr const char* what = "a graph of TensorFlow";
    auto graph = std::make_shared<::tensorflow::GraphDef>();
    const std::string_view text = asText(bytes);
    if (beginsAsText(text, graphFields)) {
        LATHE_CHECKED(parseText(text, *graph, what));
    } else {
        LATHE_CHECKED(parseBinary(text, *graph, what));
    }
    return graph;
}

Result<std::shared_ptr<const ::tensorflow::MetaGraphDef>> readMetaGraph(std::span<const std::byte> bytes) {
    auto graph = std::make_shared<::tensorflow::MetaGraphDef>();
    LATHE_CHECKED(parseBinary(asText(bytes), *graph, "a graph of TensorFlow beside a checkpoint"));
    return graph;
}

Result<std::shared_ptr<const ::tensorflow::MetaGraphDef>> readSavedModel(const Members& members) {
    constexpr const char* what = "a SavedModel of TensorFlow";
    LATHE_TRY(const std::vector<std::string> names, members.names());
    const bool isBinary = std::ranges::find(names, savedModel) != names.end();
    LATHE_TRY(const model::Bytes bytes, members.read(isBinary ? savedModel : savedModelText));
    const auto saved = std::make_shared<::tensorflow::SavedModel>();
    if (isBinary) {
        LATHE_CHECKED(parseBinary(asText(bytes.view), *saved, what));
    } else {
        LATHE_CHECKED(parseText(asText(bytes.view), *saved, what));
    }
    for (const ::tensorflow::MetaGraphDef& graph : saved->meta_graphs())
        for (const std::string& tag : graph.meta_info_def().tags())
            if (tag == "serve")
                return std::shared_ptr<const ::tensorflow::MetaGraphDef>(saved, &graph);
    if (saved->meta_graphs_size() == 1)
        return std::shared_ptr<const ::tensorflow::MetaGraphDef>(saved, &saved->meta_graphs(0));
    return failure(
        fmt::format("none of the {} graphs in the SavedModel has the tag 'serve'", saved->meta_graphs_size()),
        "export the model to be served");
}

} // namespace lathe::frontend::tensorflow
