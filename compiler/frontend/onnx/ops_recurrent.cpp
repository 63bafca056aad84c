// SPDX-License-Identifier: Apache-2.0
//
// LSTM, GRU, RNN: what their operands and attributes say of a recurrence (frontend/common/recurrent.h).
#include "frontend/common/recurrent.h"
#include "frontend/onnx/ops.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

namespace lathe::frontend::onnx {
namespace {

/// One function of an activation and its numbers.
struct NamedFunction {
    std::string name;
    double alpha = 0, beta = 0;
};

/// Operands brought to [time, batch, …].
struct ReadRecurrence : Recurrence {
    bool batchFirst = false;
};

std::string canonicalName(const std::string& name) {
    static constexpr const char* names[] = {
        "Relu",       "Tanh",        "Sigmoid", "Affine",   "LeakyRelu", "ThresholdedRelu",
        "ScaledTanh", "HardSigmoid", "Elu",     "Softsign", "Softplus"};
    const auto same = [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    };
    for (const char* known : names)
        if (std::equal(name.begin(), name.end(), known, known + std::char_traits<char>::length(known), same))
            return known;
    return name;
}

std::vector<GateFunction> readFunctions(NodeReader& node, Builder& b, const std::vector<std::string>& defaults,
                                        size_t directions) {
    std::vector<std::string> names = node.texts("activations");
    if (names.empty())
        for (size_t d = 0; d < directions; ++d)
            names.insert(names.end(), defaults.begin(), defaults.end());
    if (names.size() != defaults.size() * directions) {
        node.fail(
            fmt::format("there are {} activations where {} are needed", names.size(), defaults.size() * directions));
        return {};
    }
    const std::vector<double> alphas = node.reals("activation_alpha"), betas = node.reals("activation_beta");
    size_t alpha = 0, beta = 0;
    std::vector<GateFunction> functions;
    for (const std::string& name : names) {
        NamedFunction function{canonicalName(name), 0, 0};
        const auto take = [](const std::vector<double>& list, size_t& at, double otherwise) {
            return at < list.size() ? list[at++] : otherwise;
        };
        const std::string& n = function.name;
        if (n == "Affine" || n == "ScaledTanh" || n == "HardSigmoid" || n == "LeakyRelu" || n == "ThresholdedRelu" ||
            n == "Elu")
            function.alpha = take(alphas, alpha, n == "LeakyRelu" ? 0.01 : n == "HardSigmoid" ? 0.2 : 1);
        if (n == "Affine" || n == "ScaledTanh" || n == "HardSigmoid")
            function.beta = take(betas, beta, n == "HardSigmoid" ? 0.5 : n == "ScaledTanh" ? 1 : 0);
        functions.emplace_back([&node, &b, function](Var x) {
            return activation(node, b, function.name, x, function.alpha, function.beta);
        });
    }
    if (alpha < alphas.size() || beta < betas.size())
        node.fail(
            fmt::format("activation_alpha and activation_beta have {} and {} values; these activations take {} and {}",
                        alphas.size(), betas.size(), alpha, beta));
    return functions;
}

std::optional<ReadRecurrence> readRecurrence(NodeReader& node, Builder& b, int gates,
                                             const std::vector<std::string>& defaults) {
    ReadRecurrence r;
    r.gates = gates;
    r.x = node.in(0);
    r.weights = node.in(1);
    r.recurrent = node.in(2);
    r.bias = node.optional(3);
    r.lengths = node.optional(4);
    const std::string direction = node.text("direction", "forward");
    r.directions = direction == "bidirectional" ? 2 : 1;
    r.reversed = direction == "reverse";
    r.batchFirst = node.integer("layout", 0) != 0;
    r.clip = node.real("clip", 0);
    if (r.clip < 0 || std::isnan(r.clip))
        node.fail(fmt::format("attribute 'clip' is {}, which is no bound", r.clip));
    r.functions = readFunctions(node, b, defaults, r.directions);
    if (!node.needRank(r.x, 3) || !node.needRank(r.weights, 3) || !node.needRank(r.recurrent, 3))
        return std::nullopt;
    if (r.batchFirst)
        r.x = transpose(b, r.x, {1, 0, 2});
    r.time = dim(b, r.x, 0);
    r.batch = dim(b, r.x, 1);
    r.hidden = dim(b, r.recurrent, 2);
    if (const auto count = arith::asInt(dim(b, r.weights, 0)); !count || *count != static_cast<int64_t>(r.directions)) {
        node.fail(fmt::format("the weights are not for {} direction(s)", r.directions));
        return std::nullopt;
    }
    if (!arith::isConst(r.hidden) && node.has("hidden_size"))
        r.hidden = node.integer("hidden_size", 0); // the product with the weights checks that it is theirs
    else if (const auto hidden = arith::asInt(r.hidden); hidden && node.integer("hidden_size", *hidden) != *hidden) {
        node.fail(fmt::format("attribute 'hidden_size' is {}, but the weights are for {}",
                              node.integer("hidden_size", *hidden), *hidden));
        return std::nullopt;
    }
    if (r.lengths)
        r.lengths = withDims(b, cast(b, r.lengths, types::Int64), {r.batch});
    return r;
}

void readInitial(NodeReader& node, Builder& b, ReadRecurrence& r, size_t states) {
    for (size_t i = 0; i < states; ++i) {
        Var initial = node.optional(5 + i);
        if (initial && r.batchFirst)
            initial = transpose(b, initial, {1, 0, 2});
        r.initial.push_back(initial);
    }
}

/// Y, then the last states.
void setResults(NodeReader& node, Builder& b, const ReadRecurrence& r, const RanDirections& ran) {
    if (b.failed())
        return;
    if (node.wants(0)) {
        const Var all = allOf(b, ran);
        node.set(0, r.batchFirst ? transpose(b, all, {2, 0, 1, 3}) : all);
    }
    for (size_t i = 0; i < r.initial.size(); ++i) {
        if (!node.wants(1 + i))
            continue;
        const Var last = lastOf(b, ran, i);
        node.set(1 + i, r.batchFirst ? transpose(b, last, {1, 0, 2}) : last);
    }
}

} // namespace

void convertLSTM(NodeReader& node, Builder& b) {
    auto r = readRecurrence(node, b, 4, {"Sigmoid", "Tanh", "Tanh"});
    if (!r)
        return;
    const LstmCell cell{.input = 0,
                        .output = 1,
                        .forget = 2,
                        .candidate = 3,
                        .coupled = node.integer("input_forget", 0) != 0,
                        .peepholes = node.optional(7)};
    readInitial(node, b, *r, 2);
    setResults(node, b, *r, lstm(b, *r, cell));
}

void convertGRU(NodeReader& node, Builder& b) {
    auto r = readRecurrence(node, b, 3, {"Sigmoid", "Tanh"});
    if (!r)
        return;
    const GruCell cell{.update = 0, .reset = 1, .linearBeforeReset = node.integer("linear_before_reset", 0) != 0};
    readInitial(node, b, *r, 1);
    setResults(node, b, *r, gru(b, *r, cell));
}

void convertRNN(NodeReader& node, Builder& b) {
    auto r = readRecurrence(node, b, 1, {"Tanh"});
    if (!r)
        return;
    readInitial(node, b, *r, 1);
    setResults(node, b, *r, rnn(b, *r));
}

} // namespace lathe::frontend::onnx
