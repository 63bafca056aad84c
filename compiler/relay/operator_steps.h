// SPDX-License-Identifier: Apache-2.0
//
// Steps of computing a call, by operator: what stands in the operator table's column `steps`. They decide whether folding a
// call is worth its time (relay/folding.h), so they may be too high, and unknown dims count as 1.
#pragma once

#include "relay/op.h"

namespace lathe::relay::steps {

template <int each>
double perElement(const TypedCall&) {
    return each;
}

double matMul(const TypedCall& call);
double conv(const TypedCall& call);
double winogradConv(const TypedCall& call);
double pool(const TypedCall& call);
double dft(const TypedCall& call);
/// All operands' elements with each other: a bound that is far too high.
double anyWithAny(const TypedCall& call);
double roiAlign(const TypedCall& call);

} // namespace lathe::relay::steps
