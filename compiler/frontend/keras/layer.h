// SPDX-License-Identifier: Apache-2.0
//
// What a converter sees of a layer's call beside its attributes: tensors in the type that the layer computes in,
// weights by their names and held against the sizes that the config gives them, and the order of axes that the layer
// says.
#pragma once

#include "frontend/common/emit.h"
#include "frontend/common/window.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::frontend::keras {

class Layer {
public:
    explicit Layer(NodeReader& node);

    NodeReader& node;
    Builder& b;

    /// How many tensors it is called with.
    size_t tensors() const { return arguments_.size(); }
    /// How many of them are no masks; these come first.
    size_t operands() const;
    /// Tensor i; floats in the type that the layer computes in.
    Var in(size_t i = 0);
    /// The tensor of an argument, "arg.1" or "call.key"; Var{} if there is none.
    Var argument(std::string_view label);
    bool hasArgument(std::string_view label) const { return placeOf(label).has_value(); }
    /// Its place among the tensors that the layer is called with.
    std::optional<size_t> placeOf(std::string_view label) const;
    /// Whether a call says so, by name.
    bool callFlag(const std::string& name) { return node.integer("call." + name, 0) != 0; }
    /// A weight in the type that the layer computes in. dims: what it must be; a null one may be any.
    Var weight(const std::string& name, const Dims& dims);
    Var weight(const std::string& name, const Dims& dims, DataType dtype);
    /// Var{} if the layer has none.
    Var optionalWeight(const std::string& name, const Dims& dims);
    bool hasWeight(const std::string& name) const;
    /// The type that the layer computes in.
    DataType computed() const { return computed_; }
    /// Gives result i, and which of its steps count (masks.h).
    void give(Var y, size_t i = 0, Var mask = {});

    bool flag(const std::string& name, bool otherwise) { return node.integer(name, otherwise ? 1 : 0) != 0; }
    /// A number, whole or not.
    double number(const std::string& name, double otherwise);
    /// A list of numbers, of one where the attribute is a number.
    std::vector<double> numbers(const std::string& name);
    /// The same of integers. Both are empty where the attribute is none, or of another kind.
    Ints integers(const std::string& name);
    /// So many, one stands for all; `otherwise` where there is none. A fault if they are of another number.
    Ints extents(const std::string& name, size_t count, int64_t otherwise);
    bool isChannelsFirst() { return node.text("data_format", "channels_last") == "channels_first"; }

    // ---- images: [N, spatial…, C], or [N, C, spatial…] where the layer says so
    /// x as [N, C, spatial…], with so many spatial dims: a fault if it has others.
    Var image(Var x, size_t spatial);
    /// And back.
    Var asGiven(Var y);
    /// The window by kernel size, strides, dilations and padding. strides: what they are where none are said.
    std::optional<Window> window(Var x, Ints kernel, const Ints& strides);

private:
    Var cast(Var x, DataType dtype);

    std::vector<std::string> arguments_, weights_;
    DataType computed_;
};

/// Numbers of a config as a constant of rank 1, in the type that the layer computes in.
Var rowOf(Layer& layer, const std::vector<double>& values);

/// dims of x behind the first two.
Dims spatialOf(Builder& b, Var x);

} // namespace lathe::frontend::keras
