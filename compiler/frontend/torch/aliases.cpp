// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/aliases.h"

#include <array>

namespace lathe::frontend::torch {
namespace {

constexpr auto aliasRows = std::to_array<Alias>({
    {"aten.arccos.default", "aten.acos.default"},
    {"aten.arccosh.default", "aten.acosh.default"},
    {"aten.arcsin.default", "aten.asin.default"},
    {"aten.arcsinh.default", "aten.asinh.default"},
    {"aten.arctan.default", "aten.atan.default"},
    {"aten.arctanh.default", "aten.atanh.default"},
    {"aten.divide.Scalar", "aten.div.Scalar"},
    {"aten.divide.Scalar_mode", "aten.div.Scalar_mode"},
    {"aten.divide.Tensor", "aten.div.Tensor"},
    {"aten.divide.Tensor_mode", "aten.div.Tensor_mode"},
    {"aten.greater.Scalar", "aten.gt.Scalar"},
    {"aten.greater.Tensor", "aten.gt.Tensor"},
    {"aten.greater_equal.Scalar", "aten.ge.Scalar"},
    {"aten.greater_equal.Tensor", "aten.ge.Tensor"},
    {"aten.less.Scalar", "aten.lt.Scalar"},
    {"aten.less.Tensor", "aten.lt.Tensor"},
    {"aten.less_equal.Scalar", "aten.le.Scalar"},
    {"aten.less_equal.Tensor", "aten.le.Tensor"},
    {"aten.linalg_matmul.default", "aten.matmul.default"},
    {"aten.multiply.Scalar", "aten.mul.Scalar"},
    {"aten.multiply.Tensor", "aten.mul.Tensor"},
    {"aten.not_equal.Scalar", "aten.ne.Scalar"},
    {"aten.not_equal.Tensor", "aten.ne.Tensor"},
    {"aten.special_digamma.default", "aten.digamma.default"},
    {"aten.special_erf.default", "aten.erf.default"},
    {"aten.special_erfc.default", "aten.erfc.default"},
    {"aten.special_erfinv.default", "aten.erfinv.default"},
    {"aten.special_exp2.default", "aten.exp2.default"},
    {"aten.special_expit.default", "aten.sigmoid.default"},
    {"aten.special_expm1.default", "aten.expm1.default"},
    {"aten.special_gammainc.default", "aten.igamma.default"},
    {"aten.special_gammaincc.default", "aten.igammac.default"},
    {"aten.special_gammaln.default", "aten.lgamma.default"},
    {"aten.special_i0.default", "aten.i0.default"},
    {"aten.special_log1p.default", "aten.log1p.default"},
    {"aten.special_log_softmax.default", "aten.log_softmax.int"},
    {"aten.special_logit.default", "aten.logit.default"},
    {"aten.special_logsumexp.default", "aten.logsumexp.default"},
    {"aten.special_multigammaln.default", "aten.mvlgamma.default"},
    {"aten.special_polygamma.default", "aten.polygamma.default"},
    {"aten.special_psi.default", "aten.digamma.default"},
    {"aten.special_sinc.default", "aten.sinc.default"},
    {"aten.special_softmax.default", "aten.softmax.int"},
    {"aten.special_xlogy.other_scalar", "aten.xlogy.Scalar_Other"},
    {"aten.special_xlogy.self_scalar", "aten.xlogy.Scalar_Self"},
    {"aten.subtract.Scalar", "aten.sub.Scalar"},
    {"aten.subtract.Tensor", "aten.sub.Tensor"},
});

} // namespace

std::span<const Alias> aliases() {
    return aliasRows;
}

} // namespace lathe::frontend::torch
