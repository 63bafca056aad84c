// SPDX-License-Identifier: Apache-2.0
//
// Rows joined by the number of the segment that each belongs to.
#include "frontend/common/segments.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"

namespace lathe::frontend::tflite {

void convertSegmentSum(NodeReader& node, Builder& b) {
    give(node, 0, sortedSegments(node, b, realOf(node, 0), "add"));
}
void convertUnsortedSegmentSum(NodeReader& node, Builder& b) {
    give(node, 0, unsortedSegments(node, b, realOf(node, 0), "add"));
}
void convertUnsortedSegmentProd(NodeReader& node, Builder& b) {
    give(node, 0, unsortedSegments(node, b, realOf(node, 0), "mul"));
}
void convertUnsortedSegmentMax(NodeReader& node, Builder& b) {
    give(node, 0, unsortedSegments(node, b, realOf(node, 0), "max"));
}
void convertUnsortedSegmentMin(NodeReader& node, Builder& b) {
    give(node, 0, unsortedSegments(node, b, realOf(node, 0), "min"));
}

} // namespace lathe::frontend::tflite
