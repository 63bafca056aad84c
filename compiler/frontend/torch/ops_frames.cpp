// SPDX-License-Identifier: Apache-2.0
//
// Spectra of a signal's frames, and signals put together from them.
#include "frontend/common/columns.h"
#include "frontend/torch/complex_parts.h"
#include "frontend/torch/fourier.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// How a signal is cut into frames that are weighted and transformed.
struct Framing {
    int64_t length = 1, step = 1;
    bool normalized = false, onesided = true;

    explicit Framing(Call& call)
        : length(call.integer("n_fft")), step(call.optionalInteger("hop_length").value_or(length / 4)),
          normalized(call.flag("normalized")), onesided(call.isNone("onesided") || call.flag("onesided")) {
        constexpr int64_t most = 1 << 24;
        if (!call.failed() && (length < 1 || length > most || step < 1 || step > most))
            call.fail(fmt::format("frames of {} elements, {} apart", length, step));
    }
    /// The weights of a frame's elements, [length]: a shorter window stands in the middle.
    Var window(Call& call, Builder& b, DataType dtype) const {
        const int64_t own = call.optionalInteger("win_length").value_or(length);
        Var window = call.optionalTensor("window");
        if (call.failed())
            return {};
        if (own < 1 || own > length) {
            call.fail(fmt::format("a window of {} for frames of {}", own, length));
            return {};
        }
        window = window ? withDims(b, cast(b, window, dtype), {own}) : full(b, b.scalar(1, dtype), {own});
        const int64_t before = (length - own) / 2;
        return own == length ? window : pad(b, window, "constant", {before}, {length - own - before});
    }
};

/// x [batch, n] with what it is padded with so that frames stand around its elements.
Var centredSignal(Call& call, Builder& b, Var x, int64_t length) {
    if (!call.schema.find("center") || !call.flag("center") || call.failed())
        return x;
    const std::string name = call.text("pad_mode");
    const std::string mode = name == "replicate" ? "edge" : name == "circular" ? "wrap" : name;
    const int64_t border = length / 2;
    if (mode == "reflect")
        x = assume(b, x, arith::gt(dim(b, x, 1), border), "a signal that is reflected is longer than half a frame");
    return pad(b, x, mode, {0, border}, {0, border});
}

void convertStft(Call& call, Builder& b) {
    const Var given = call.tensor("self");
    const Framing framing(call);
    if (call.failed())
        return;
    const int64_t rank = b.rank(given);
    if (rank != 1 && rank != 2)
        return call.fail(fmt::format("a signal with {} dims", rank));
    Var x = centredSignal(call, b, rank == 1 ? unsqueeze(b, given, {0}) : given, framing.length);
    const Expr size = dim(b, x, 1);
    x = assume(b, x, arith::ge(size, framing.length),
               fmt::format("a frame of {} fits the signal of {}", framing.length, arith::sizeText(size)));
    const Expr count = arith::simplify(arith::floorDiv(size - framing.length, framing.step) + 1);
    const Var window = framing.window(call, b, b.failed() ? types::Float32 : b.dtype(x));
    const Var frames = mul(b, gather(b, x, framePlaces(b, count, framing.step, framing.length), 1), window);
    const Var spectra = transformed(b, unsqueeze(b, frames, {3}), 2, framing.length, Way::Forward, framing.onesided,
                                    framing.normalized ? Scaling::ByRoot : Scaling::None);
    Var result = transpose(b, spectra, {0, 2, 1, 3});
    if (rank == 1)
        result = squeeze(b, result, {0});
    if (call.isNone("return_complex") || call.flag("return_complex"))
        return call.giveComplex(result);
    call.give(result);
}

/// Frames [batch, count, length] added up where each stood: [batch, …].
Var overlapped(Builder& b, Var frames, const Framing& framing) {
    const Expr batch = dim(b, frames, 0), count = dim(b, frames, 1);
    const Expr cells = arith::simplify(count * framing.length),
               size = arith::simplify((count - 1) * framing.step + framing.length);
    const Var places = reshape(b, framePlaces(b, count, framing.step, framing.length), {1, cells});
    relay::ScatterAttrs attrs;
    attrs.axis = 1;
    attrs.reduction = "add";
    return b.call(Op::ScatterElements,
                  {full(b, scalarLike(b, 0, frames), {batch, size}), expand(b, places, {batch, cells}),
                   reshape(b, frames, {batch, cells})},
                  attrs);
}

void convertIstft(Call& call, Builder& b) {
    Var parts = call.complex("self");
    const Framing framing(call);
    const bool centred = call.flag("center");
    if (call.failed())
        return;
    const int64_t rank = b.rank(parts) - 1;
    if (rank != 2 && rank != 3)
        return call.fail(fmt::format("spectra of frames with {} dims", rank));
    if (call.flag("return_complex") || !framing.onesided)
        return call.refuse("a signal of complex numbers is not put together from frames");
    parts = rank == 2 ? unsqueeze(b, parts, {0}) : parts;
    const Var frames = transformed(b, transpose(b, parts, {0, 2, 1, 3}), 2, framing.length, Way::Back, true,
                                   framing.normalized ? Scaling::ByRoot : Scaling::ByLength);
    const Var window = framing.window(call, b, b.failed() ? types::Float32 : b.dtype(parts));
    const Var sum = overlapped(b, mul(b, partOf(b, frames, 0), window), framing);
    const Var squares =
        expand(b, reshape(b, mul(b, window, window), {1, 1, framing.length}), {1, dim(b, parts, 2), framing.length});
    const Var weight = overlapped(b, squares, framing);
    const Expr border = centred ? framing.length / 2 : 0, whole = dim(b, sum, 1);
    const Expr end = call.isNone("length") ? whole - border : arith::min(border + call.size("length"), whole);
    const Expr size = arith::simplify(arith::max(end - border, 0));
    Var result = div(b, sliceAxis(b, sum, 1, border, size), sliceAxis(b, weight, 1, border, size));
    if (!call.isNone("length"))
        result = pad(b, result, "constant", {0, 0}, {0, arith::simplify(call.size("length") - size)});
    call.give(rank == 2 ? squeeze(b, result, {0}) : result);
}

constexpr auto frameRows = std::to_array<Row>({
    {"aten::stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool "
     "normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor",
     convertStft, Transform},
    {"aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool "
     "center=True, str pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, bool? return_complex=None, "
     "bool? align_to_window=None) -> Tensor",
     convertStft, Transform},
    {"aten::istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool "
     "center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor",
     convertIstft, Transform},
});

} // namespace

std::span<const Row> rowsOfFrames() {
    return frameRows;
}

} // namespace lathe::frontend::torch
