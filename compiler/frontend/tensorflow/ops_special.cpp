// SPDX-License-Identifier: Apache-2.0
//
// Functions without a closed form.
#include "frontend/common/bessel.h"
#include "frontend/common/error_function.h"
#include "frontend/common/gamma_function.h"
#include "frontend/common/incomplete_gamma.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"

namespace lathe::frontend::tensorflow {

void convertErfc(NodeReader& node, Builder& b) {
    node.set(0, complementOfErf(b, node.in(0)));
}
void convertErfinv(NodeReader& node, Builder& b) {
    node.set(0, inverseErf(b, node.in(0)));
}
void convertNdtri(NodeReader& node, Builder& b) {
    node.set(0, normalQuantile(b, node.in(0)));
}

void convertLgamma(NodeReader& node, Builder& b) {
    node.set(0, logGamma(b, node.in(0)));
}
void convertDigamma(NodeReader& node, Builder& b) {
    node.set(0, digamma(b, node.in(0)));
}
void convertZeta(NodeReader& node, Builder& b) {
    node.set(0, hurwitzZeta(b, node.in(0), node.in(1)));
}
void convertIgamma(NodeReader& node, Builder& b) {
    node.set(0, gammaShareBelow(b, node.in(0), node.in(1)));
}
void convertIgammac(NodeReader& node, Builder& b) {
    node.set(0, gammaShareAbove(b, node.in(0), node.in(1)));
}
void convertBetainc(NodeReader& node, Builder& b) {
    node.set(0, betaShare(b, node.in(0), node.in(1), node.in(2)));
}

void convertBesselI0(NodeReader& node, Builder& b) {
    node.set(0, besselI(b, node.in(0), BesselOrder::Zero));
}
void convertBesselI1(NodeReader& node, Builder& b) {
    node.set(0, besselI(b, node.in(0), BesselOrder::One));
}
void convertBesselI0e(NodeReader& node, Builder& b) {
    node.set(0, scaledBesselI(b, node.in(0), BesselOrder::Zero));
}
void convertBesselI1e(NodeReader& node, Builder& b) {
    node.set(0, scaledBesselI(b, node.in(0), BesselOrder::One));
}

} // namespace lathe::frontend::tensorflow
