// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms of whole dims, and the parts of complex numbers.
#include "frontend/torch/complex_parts.h"
#include "frontend/torch/fourier.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/promotion.h"

#include <fmt/format.h>

#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

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
