// SPDX-License-Identifier: Apache-2.0
//
// Formats of models. A Frontend is one: how its files are recognised and imported. frontends.cpp has the table of them; who
// opens a model calls importFile, importBytes or importSource and knows of no format.
#pragma once

#include "base/budget.h"
#include "base/file_identity.h"
#include "model/cut.h"
#include "model/host_tensor.h"
#include "model/model_graph.h"
#include "model/size_name.h"
#include "relay/evaluator.h"
#include "relay/ir.h"

#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::frontend {

struct AddedOperators; // frontend/added_operators.h
class Members;         // frontend/common/members.h

struct Options {
    /// Symbols of inputs to fix: "batch" -> 1; or input dims by input name.
    std::vector<std::pair<std::string, int64_t>> symbols;
    std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
    model::SizeNames sizeNames;
    /// Where sizeNames names sizes of an input whose shape the model does not declare: the other ones of it.
    std::vector<std::pair<std::string, std::vector<int64_t>>> sizesBesideNames;
    /// Which of the model's signatures is meant, where it has several; empty: the only one, else the usual one.
    std::string signature;
    /// Which part of the model is wanted.
    model::Cut cut;
    /// Where the model does not declare them: element types of inputs; what arguments of the model's function are that are no
    /// tensors, as the format's language writes it: "16000", "[1, 2]".
    std::vector<std::pair<std::string, DataType>> types;
    std::vector<std::pair<std::string, std::string>> arguments;
    /// Operators beside those of the tables; null: none.
    std::shared_ptr<const AddedOperators> added;
    /// What the import may spend, and its cancellation.
    std::shared_ptr<Budget> budget = std::make_shared<Budget>();
};

/// A model as it lies in a file, a folder or in memory.
struct Source {
    std::string name; // as the user named it, for diagnostics
    /// Where data beside the model may lie: the folder that the user named, and where the model is a link that of the file
    /// itself (hubs keep models so). Nowhere if empty.
    std::vector<std::filesystem::path> folders;
    model::Bytes bytes;                     // all of the file; empty of a folder
    FileIdentity identity;                  // of the file or the folder; none of a model in memory
    std::shared_ptr<const Members> members; // of a folder or a zip archive; else null
};

struct Imported {
    std::shared_ptr<model::ModelGraph> graph; // null only if the file could not be read as a model at all
    std::shared_ptr<relay::Module> module;    // null if refused
    std::vector<Diagnostic> diagnostics; // all errors (file, node, operator, reason), not only the first, and warnings
    FileIdentities files;          // that it was read from: the model's own, and those beside it that tensors lie in
    std::set<std::string> plugins; // whose operators it has, also within bodies of others
};

struct Frontend {
    std::string_view name;     // "ONNX"
    std::string_view patterns; // "*.onnx", of its files' names, for whoever looks for one; the name decides nothing
    /// Whether it may be a model of this format: a guess from the first bytes or the names of its files, cheap and never wrong
    /// for a good one.
    bool (*probe)(const Source& source);
    bool hasSignatures; // a model may have several graphs that people call, by names
    bool canBeCut;      // its values have names that a part may begin and end at
    bool hasArguments;  // a model is a function, some of whose arguments are fixed by the import
    /// File to ModelGraph (if it can be read at all) and relay Module. What the file contains is never thrown for
    /// but reported; what the budget's checkpoint throws passes through. evaluator folds values that types depend on; null:
    /// none are folded.
    Imported (*import)(const Source& source, relay::Evaluator* evaluator, const Options& options);
    /// What a node of an imported graph is for: what others than the frontend know of the format's operators.
    model::Role (*roleOf)(const model::Node& node);
    /// Whether the format has the operator, or Lathe has a converter for it.
    bool (*hasOperator)(const std::string& domain, const std::string& name);
    /// Whether it may be a file of one tensor, as the format's test data are: a guess like that of models. Null, like what reads
    /// them, if the format has no such files.
    bool (*probeTensor)(const Source& source);
    Result<model::TensorPtr> (*readTensor)(const Source& source);
    /// The same of a file of a list or an optional of such a form (model::HostTensor); null like readTensor.
    Result<model::HostTensor> (*readValue)(const Source& source, std::string_view form);
};

/// Imports by the first frontend whose probe says yes; a diagnostic says what else the file seems to be.
Imported importFile(const std::filesystem::path& path, relay::Evaluator* evaluator, const Options& options = {});
Imported importBytes(std::span<const std::byte> bytes, const std::string& name,
                     const std::vector<std::filesystem::path>& folders, relay::Evaluator* evaluator,
                     const Options& options = {});
Imported importSource(const Source& source, relay::Evaluator* evaluator, const Options& options = {});

/// What can be said of a format without a model, as in Frontend.
struct FileType {
    std::string_view format;   // "ONNX"
    std::string_view patterns; // "*.onnx", with spaces between several
    bool canBeCut, hasArguments;
};
/// Of all formats.
std::vector<FileType> fileTypes();

/// Whether a model there is a function, some of whose arguments are fixed by the import.
bool takesArguments(const std::filesystem::path& path);

/// The name of the first frontend whose probe says yes; empty if none does, or if the file cannot be read.
std::string_view formatOf(const std::filesystem::path& path);

/// A tensor file (input_0.pb), by the first frontend whose probe for them says yes.
Result<model::TensorPtr> readTensor(const std::filesystem::path& path);
/// A file of a list or an optional, whose form nothing in it says: 'l' and 'o' as in lathe_value_desc::form.
Result<model::HostTensor> readValue(const std::filesystem::path& path, std::string_view form);

} // namespace lathe::frontend
