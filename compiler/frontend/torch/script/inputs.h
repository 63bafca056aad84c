// SPDX-License-Identifier: Apache-2.0
//
// The inputs of a script's function. Its parameters say "Tensor", "Dict[str, Tensor]", "int": which tensors these are, of which
// type and sizes, only a call would tell. So the names that a user gives sizes or types for say what there is, and arguments that
// are no tensors are fixed when the model is imported, or become inputs of rank 0.
#pragma once

#include "frontend/frontend.h"
#include "frontend/torch/script/evaluator.h"

#include <set>

namespace lathe::frontend::torch::script {

class ScriptInputs {
public:
    /// Fails for parameters that cannot be inputs and are not fixed, and for arguments that the function does not have.
    static Result<ScriptInputs> of(const FunctionText& function, const Options& options);

    /// Tensors, in order; those of numbers have rank 0.
    const std::vector<model::Value>& values() const { return leaves_; }
    /// The arguments of a call. vars: one for each of values(). places: of those that are tensors, by their names.
    Arguments make(Evaluator& evaluator, Builder& b, const std::vector<Var>& vars,
                   std::vector<std::pair<std::string, TensorRef>>& places) const;

private:
    struct Tree {
        enum class Kind : uint8_t { Tensor, Number, Fixed, List, Tuple, Dict } kind = Kind::Fixed;
        size_t leaf = 0;               // Tensor, Number
        TermPtr fixed;                 // null: None
        std::vector<Tree> parts;       // List, Tuple, Dict
        std::vector<std::string> keys; // Dict
    };
    struct Reader;
    ScriptValue make(const Tree& tree, Evaluator& evaluator, Builder& b, const std::vector<Var>& vars,
                     std::vector<std::pair<std::string, TensorRef>>& places) const;

    std::vector<model::Value> leaves_;
    std::vector<Tree> arguments_;
};

} // namespace lathe::frontend::torch::script
