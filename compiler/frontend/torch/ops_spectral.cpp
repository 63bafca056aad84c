// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms, of signals and of their frames. The transform itself divides by its length on the way back; how
// PyTorch is asked to scale is put right by a factor.
#include "frontend/common/columns.h"
#include "frontend/torch/complex_parts.h"
#include "frontend/torch/moved.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/promotion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

enum class Scaling : uint8_t { None, ByRoot, ByLength }; // as PyTorch numbers them
enum class Way : uint8_t { Forward, Back };

Scaling scalingOf(Call& call, int64_t number) {
    if (!call.failed() && (number < 0 || number > 2))
        call.fail(fmt::format("normalization is {}", number));
    return call.failed() ? Scaling::None : static_cast<Scaling>(number);
}

/// By the name of argument "norm".
Scaling namedScaling(Call& call, Way way) {
    const std::string name = call.text("norm");
    if (name == "ortho")
        return Scaling::ByRoot;
    if (!name.empty() && name != "backward" && name != "forward")
        call.fail(fmt::format("a way to scale is called '{}'", name));
    return (name == "forward") == (way == Way::Forward) ? Scaling::ByLength : Scaling::None;
}

/// x · length^exponent
Var scaledByPower(Builder& b, Var x, const Expr& length, double exponent) {
    if (exponent == 0 || b.failed())
        return x;
    if (const auto known = arith::asInt(length))
        return mulBy(b, x, std::pow(static_cast<double>(*known), exponent));
    const Var n = cast(b, b.scalarOf(length), b.dtype(x));
    return mul(b, x, b.call(Op::Power, {n, scalarLike(b, exponent, n)}));
}

Var rescaled(Builder& b, Var x, const Expr& length, Way way, Scaling scaling) {
    const double wanted = scaling == Scaling::None ? 0 : scaling == Scaling::ByRoot ? -0.5 : -1;
    return scaledByPower(b, x, length, wanted - (way == Way::Back ? -1 : 0));
}

/// A transform along an axis of numbers that have their one or two parts in a last dim, in length `length`: what is
/// behind it is cut off, what is missing is 0. half: of the spectrum of a real signal, forward or back.
Var transformed(Builder& b, Var parts, int64_t axis, const Expr& length, Way way, bool half, Scaling scaling) {
    relay::DftAttrs attrs;
    attrs.axis = axis;
    attrs.inverse = way == Way::Back;
    attrs.onesided = half;
    attrs.length = length;
    parts = assume(b, parts, arith::ge(length, 1), "a Fourier transform has a length");
    return inSingle(b, parts, [&](Var x) { return rescaled(b, b.call(Op::Dft, {x}, attrs), length, way, scaling); });
}

/// A signal of numbers, complex or not.
struct Signal {
    Var parts;
    int64_t rank = 0;

    explicit Signal(Call& call) {
        Builder& b = call.b;
        if (call.isComplex("self")) {
            parts = call.complex("self");
            rank = call.failed() ? 0 : b.rank(parts) - 1;
        } else {
            const Var real = promotedToFloat(call, call.tensor("self"));
            rank = call.failed() ? 0 : b.rank(real);
            parts = unsqueeze(b, real, {rank});
        }
        if (!call.failed() && rank == 0)
            call.fail("a number is no signal");
    }
};

/// The dims that are transformed, and how long each is there: 0 in `lengths` for as long as it is.
struct FourierDims {
    Ints axes;
    Dims lengths;
};

/// lengths: none, or as many as there are axes; the last axis is the one that only half is kept of.
FourierDims transformOf(Call& call, Builder& b, const Signal& signal, Ints axes, const Dims& lengths) {
    FourierDims transform;
    if (axes.empty()) {
        const auto count = lengths.empty() ? signal.rank : static_cast<int64_t>(lengths.size());
        axes = iotaInts(signal.rank - count, signal.rank);
    }
    for (int64_t& axis : axes)
        axis = call.axis(axis, signal.rank);
    const bool fits = lengths.empty() || lengths.size() == axes.size();
    if (!call.failed() && (!fits || static_cast<int64_t>(axes.size()) > signal.rank))
        call.fail(fmt::format("there are {} lengths for {} dims", lengths.size(), axes.size()));
    if (call.failed())
        return transform;
    transform.axes = std::move(axes);
    for (size_t i = 0; i < transform.axes.size(); ++i) {
        const bool given = !lengths.empty() && !arith::isConst(lengths[i], -1);
        transform.lengths.push_back(given ? lengths[i] : dim(b, signal.parts, transform.axes[i]));
    }
    return transform;
}

/// All axes from the last to the first; only the last gives half of its spectrum.
Var forward(Builder& b, Var parts, const FourierDims& transform, bool half, Scaling scaling) {
    for (size_t i = transform.axes.size(); i-- > 0;) {
        const bool isLast = i + 1 == transform.axes.size();
        parts = transformed(b, parts, transform.axes[i], transform.lengths[i], Way::Forward, half && isLast, scaling);
    }
    return parts;
}

Var back(Builder& b, Var parts, const FourierDims& transform, bool toReal, Scaling scaling) {
    for (size_t i = 0; i < transform.axes.size(); ++i) {
        const bool isLast = i + 1 == transform.axes.size();
        parts = transformed(b, parts, transform.axes[i], transform.lengths[i], Way::Back, toReal && isLast, scaling);
    }
    return parts;
}

/// A signal that has no imaginary part any more.
void giveReal(Call& call, Builder& b, Var parts) {
    call.give(partOf(b, parts, 0));
}

void convertFftRealToComplex(Call& call, Builder& b) {
    const Signal signal(call);
    const Scaling scaling = scalingOf(call, call.integer("normalization"));
    call.giveComplex(forward(b, signal.parts, transformOf(call, b, signal, call.integers("dim"), {}),
                             call.flag("onesided"), scaling));
}

void convertFftComplexToReal(Call& call, Builder& b) {
    const Signal signal(call);
    const Scaling scaling = scalingOf(call, call.integer("normalization"));
    FourierDims transform = transformOf(call, b, signal, call.integers("dim"), {});
    if (call.failed())
        return;
    if (transform.lengths.empty())
        return call.fail("no dim is transformed");
    transform.lengths.back() = call.size("last_dim_size");
    giveReal(call, b, back(b, signal.parts, transform, true, scaling));
}

void convertFftComplex(Call& call, Builder& b) {
    const Signal signal(call);
    const Scaling scaling = scalingOf(call, call.integer("normalization"));
    const FourierDims transform = transformOf(call, b, signal, call.integers("dim"), {});
    call.giveComplex(call.flag("forward") ? forward(b, signal.parts, transform, false, scaling)
                                          : back(b, signal.parts, transform, false, scaling));
}

/// Arguments n and dim, or s and dim.
FourierDims namedTransform(Call& call, Builder& b, const Signal& signal) {
    if (call.schema.find("s"))
        return transformOf(call, b, signal, call.integers("dim"), call.sizes("s"));
    return transformOf(call, b, signal, call.integers("dim"), call.isNone("n") ? Dims{} : Dims{call.size("n")});
}

template <Way W>
void convertNamedFft(Call& call, Builder& b) {
    const Signal signal(call);
    const FourierDims transform = namedTransform(call, b, signal);
    const Scaling scaling = namedScaling(call, W);
    call.giveComplex(W == Way::Forward ? forward(b, signal.parts, transform, false, scaling)
                                       : back(b, signal.parts, transform, false, scaling));
}

void convertNamedRealFft(Call& call, Builder& b) {
    const Signal signal(call);
    const FourierDims transform = namedTransform(call, b, signal);
    call.giveComplex(forward(b, signal.parts, transform, true, namedScaling(call, Way::Forward)));
}

void convertNamedRealFftBack(Call& call, Builder& b) {
    const Signal signal(call);
    FourierDims transform = namedTransform(call, b, signal);
    if (call.failed())
        return;
    if (transform.lengths.empty())
        return call.fail("no dim is transformed");
    const bool given = call.schema.find("s") ? !call.sizes("s").empty() : !call.isNone("n");
    if (!given)
        transform.lengths.back() = arith::simplify(arith::max((transform.lengths.back() - 1) * 2, 0));
    Var parts = signal.parts;
    if (!call.isComplex("self")) // the spectrum's imaginary part is 0
        parts = joinParts(b, partOf(b, parts, 0), full(b, scalarLike(b, 0, parts), b.shape(partOf(b, parts, 0))));
    giveReal(call, b, back(b, parts, transform, true, namedScaling(call, Way::Back)));
}

// ---- frames

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

// ---- complex numbers and their parts

void convertViewAsReal(Call& call, Builder&) {
    call.give(call.complex("self"));
}

void convertViewAsComplex(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (call.failed())
        return;
    if (b.rank(x) == 0 || !arith::isConst(dim(b, x, -1), 2))
        return call.fail("a complex number has two parts");
    call.giveComplex(x);
}

template <int64_t Which>
void convertPart(Call& call, Builder& b) {
    if (!call.isComplex("self") && Which == 0)
        return call.give(call.tensor("self"));
    call.give(partOf(b, call.complex("self"), Which));
}

void convertComplex(Call& call, Builder& b) {
    call.giveComplex(joinParts(b, call.tensor("real"), call.tensor("imag")));
}

constexpr auto spectralRows = std::to_array<Row>({
    {"aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor", convertFftRealToComplex,
     Transform},
    {"aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor",
     convertFftComplexToReal, Transform},
    {"aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor", convertFftComplex,
     Transform},
    {"aten::fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", convertNamedFft<Way::Forward>,
     Transform},
    {"aten::fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", convertNamedFft<Way::Back>,
     Transform},
    {"aten::fft_rfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", convertNamedRealFft,
     Transform},
    {"aten::fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", convertNamedRealFftBack,
     Transform},
    {"aten::fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor",
     convertNamedFft<Way::Forward>, Transform},
    {"aten::fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor",
     convertNamedFft<Way::Back>, Transform},
    {"aten::fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor",
     convertNamedRealFft, Transform},
    {"aten::fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor",
     convertNamedRealFftBack, Transform},
    {"aten::fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
     convertNamedFft<Way::Forward>, Transform},
    {"aten::fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
     convertNamedFft<Way::Back>, Transform},
    {"aten::fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", convertNamedRealFft,
     Transform},
    {"aten::fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
     convertNamedRealFftBack, Transform},
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
    {"aten::view_as_real(Tensor(a) self) -> Tensor(a)", convertViewAsReal, Movement},
    {"aten::view_as_complex(Tensor(a) self) -> Tensor(a)", convertViewAsComplex, Movement},
    {"aten::real(Tensor(a) self) -> Tensor(a)", convertPart<0>, Movement},
    {"aten::imag(Tensor(a) self) -> Tensor(a)", convertPart<1>, Movement},
    {"aten::complex(Tensor real, Tensor imag) -> Tensor", convertComplex, Movement},
});

} // namespace

std::span<const Row> rowsOfSpectral() {
    return spectralRows;
}

} // namespace lathe::frontend::torch
