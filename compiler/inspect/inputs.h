// SPDX-License-Identifier: Apache-2.0
//
// What a loaded model is fed with: given tensors, and random ones of the sizes that were asked for.
#pragma once

#include "device/input_integers.h"
#include "device/runner_client.h"
#include "driver/options.h"
#include "relay/ir.h"

#include <functional>
#include <map>
#include <random>
#include <unordered_map>

namespace lathe::inspect {

/// By the name of an input; also lists and optionals.
using Tensors = std::map<std::string, model::HostTensor>;

/// The inputs of an imported model, as an artifact made of it has them. Symbols are numbered in the order of the inputs.
std::vector<device::RunnerValue> inputsOf(const relay::Function& main);

/// Sizes by the names of inputs: open sizes may be asked for by their own, and -1 leaves one open (model/asked_sizes.h).
Result<driver::Shapes> byInput(const std::vector<device::RunnerValue>& inputs, const driver::Shapes& asked);
/// The same as the model declares them, for what was compiled of it, where a size that was fixed has no name any more. As it is
/// without a graph, of an artifact that is run, and where it does not fit, which others say.
driver::Shapes asDeclared(const model::ModelGraph* graph, const driver::Shapes& asked);

/// Dims of every input, in the model's order: those of the given tensor, else those asked for, else the model's own with 1
/// for a symbol that nothing gives. Fails if a name is no input's, or if what is asked for is not of the model's form,
/// contradicts itself or a given tensor, or is too large for a tensor. (A given tensor is held against the model by the
/// runner, which does so for every caller.)
Result<driver::Shapes> inputShapes(const std::vector<device::RunnerValue>& inputs, const Tensors& given,
                                   const driver::Shapes& asked);
/// Of a dim that is a symbol: the symbol's name, else "dim 1 of x".
std::string nameOfSize(const device::RunnerValue& input, size_t dim);
/// Names of the symbols that nothing gives, whose size is 1 then.
std::vector<std::string> sizesTakenAsOne(const std::vector<device::RunnerValue>& inputs, const Tensors& given,
                                         const driver::Shapes& asked);

/// Values: standard normal for floats, for integers those of the range that the type has, which by default are 0 and 1, as
/// for the rest; for strings words of one to eight letters, a to z. The dims must be those of a tensor (model::byteSize). Throws Cancelled (base/guarded.h) if `cancelled`,
/// which may be empty, says so.
model::HostTensor randomTensor(DataType dtype, const std::vector<int64_t>& shape, std::mt19937_64& generator,
                               device::IntegerRange range = {}, const std::function<bool()>& cancelled = {});

/// Names of the inputs that nothing gives, in the model's order: what is measured may depend on what is drawn for them.
std::vector<std::string> drawnInputs(const std::vector<device::RunnerValue>& inputs, const Tensors& given);
/// Says so of these, of which there is one at least.
Diagnostic drawnNote(const std::vector<std::string>& names, std::string hint);

/// Takes the tensor of inputs[index].
using TakeInput = std::function<Result<void>(size_t index, const model::HostTensor& tensor)>;
/// Hands on a tensor for each input, in the model's order and one at a time: the given ones, the others at random from the
/// seed, of the dims that inputShapes says, which are returned. Integers are some that the model takes, where it says which
/// (RunnerValue::integers), else 0 or 1. Fails too if the random ones together would take more than a quarter of this
/// machine's memory. `cancelled`: as for randomTensor.
Result<driver::Shapes> drawInputs(const std::vector<device::RunnerValue>& inputs, const Tensors& given,
                                  const driver::Shapes& asked, uint64_t seed, const TakeInput& take,
                                  const std::function<bool()>& cancelled = {});

/// Sets all inputs of a loaded model to what drawInputs gives. Returns the dims that all have.
Result<driver::Shapes> setInputs(device::RunnerClient& runner, const device::RunnerModel& loaded, const Tensors& given,
                                 const driver::Shapes& asked, uint64_t seed,
                                 const std::function<bool()>& cancelled = {});

/// Values of the symbols that stand in the types of main's parameters, at these dims of inputs, as far as they are not left
/// open.
std::unordered_map<const arith::ExprNode*, int64_t> symbolValues(const relay::Function& main,
                                                                 const driver::Shapes& shapes);

} // namespace lathe::inspect
