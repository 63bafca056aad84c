// SPDX-License-Identifier: Apache-2.0
//
// Small models of every kind that import and lowering treat differently, in ONNX's textual form.
#pragma once

#include <array>

namespace lathe::testing {

struct SampleModel {
    const char* name;
    const char* graph; // for graphBytes()
};

inline constexpr std::array sampleModels = {
    // Convolution, folded scale, residual, pooling, classifier.
    SampleModel{"network", R"(network (float[n,3,8,8] x) => (float[n,5] y)
<float[4,3,3,3] w = {0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,0.1,0.2,0.3,0.4,0.5,0.6,0.7,
 0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,0.1,0.2,0.3,0.4,0.5,0.6,0.7,
 0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,0.1,0.2,0.3,0.4,0.5,0.6,0.7,
 0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,0.1,0.2,0.3,0.4,0.5,0.6,0.7},
 float[4] s = {1,2,3,4}, float[4] o = {1,1,1,1}, float[4] m = {0,0,1,1}, float[4] v = {1,4,1,4},
 float[4,5] f = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20}> {
  [conv] a = Conv <pads = [1, 1, 1, 1]> (x, w)
  [norm] b = BatchNormalization (a, s, o, m, v)
  [relu] c = Relu (b)
  [same] d = Identity (c)
  [residual] e = Add (c, d)
  [pool] g = GlobalAveragePool (e)
  [flat] h = Flatten (g)
  [product] i = MatMul (h, f)
  [soft] y = Softmax (i)
})"},
    // Activations in blocks of channels: each kind of operator that reads or makes them; sizes of the image are symbols.
    SampleModel{"blocks", R"(blocks (float[n,3,h,w] x) => (float[n,40] y, float[n,p,q,16] t) {
  [zero] zero = Constant <value_float = 0.0> ()
  [one] one = Constant <value_float = 1.0> ()
  [w1_count] w1_n = Constant <value_float = 432.0> ()
  [w1_range] w1_r = Range (zero, w1_n, one)
  [w1_values] w1_v = Sin (w1_r)
  [w1_dims] w1_d = Constant <value_ints = [16, 3, 3, 3]> ()
  [w1_weights] w1 = Reshape (w1_v, w1_d)
  [wd_count] wd_n = Constant <value_float = 144.0> ()
  [wd_range] wd_r = Range (zero, wd_n, one)
  [wd_values] wd_v = Sin (wd_r)
  [wd_dims] wd_d = Constant <value_ints = [16, 1, 3, 3]> ()
  [wd_weights] wd = Reshape (wd_v, wd_d)
  [w2_count] w2_n = Constant <value_float = 384.0> ()
  [w2_range] w2_r = Range (zero, w2_n, one)
  [w2_values] w2_v = Sin (w2_r)
  [w2_dims] w2_d = Constant <value_ints = [24, 16, 1, 1]> ()
  [w2_weights] w2 = Reshape (w2_v, w2_d)
  [w3_count] w3_n = Constant <value_float = 6912.0> ()
  [w3_range] w3_r = Range (zero, w3_n, one)
  [w3_values] w3_v = Sin (w3_r)
  [w3_dims] w3_d = Constant <value_ints = [16, 48, 3, 3]> ()
  [w3_weights] w3 = Reshape (w3_v, w3_d)
  [w4_count] w4_n = Constant <value_float = 2304.0> ()
  [w4_range] w4_r = Range (zero, w4_n, one)
  [w4_values] w4_v = Sin (w4_r)
  [w4_dims] w4_d = Constant <value_ints = [16, 16, 3, 3]> ()
  [w4_weights] w4 = Reshape (w4_v, w4_d)
  [w5_count] w5_n = Constant <value_float = 640.0> ()
  [w5_range] w5_r = Range (zero, w5_n, one)
  [w5_values] w5_v = Sin (w5_r)
  [w5_dims] w5_d = Constant <value_ints = [40, 16, 1, 1]> ()
  [w5_weights] w5 = Reshape (w5_v, w5_d)
  [first] a = Conv <pads = [1, 1, 1, 1]> (x, w1)
  [relu] b = Relu (a)
  [depthwise] c = Conv <group = 16, strides = [2, 2], pads = [1, 1, 1, 1]> (b, wd)
  [point] d = Conv (c, w2)
  [gate] e = Sigmoid (d)
  [silu] f = Mul (d, e)
  [pool] g = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (f)
  [both] k = Concat <axis = 1> (g, f)
  [second] m = Conv <pads = [1, 1, 1, 1]> (k, w3)
  [dilated] o = Conv <dilations = [2, 2], pads = [2, 2, 2, 2]> (m, w4)
  [residual] r = Add (o, m)
  [scales] s = Constant <value_floats = [1.0, 1.0, 2.0, 2.0]> ()
  [larger] u = Resize <mode = "nearest"> (r, , s)
  [last] v = Conv (u, w5)
  [mean] i = GlobalAveragePool (v)
  [flat] y = Flatten (i)
  [logical] t = Transpose <perm = [0, 2, 3, 1]> (m)
})"},
    // Shape arithmetic, attention, a normalisation.
    SampleModel{"attention", R"(attention (float[batch,sequence,4] x) => (float[batch,sequence,4] y)
<float[4,4] w = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}, float[4] scale = {1,1,1,1}, int64[1] last = {-1},
 int64 zero = {0}> {
  [shape] s = Shape (x)
  [rows] r = Gather (s, zero)
  [first] first = Constant <value_ints = [0]> ()
  [rows1] r1 = Unsqueeze (r, first)
  [q] q = MatMul (x, w)
  [back] k = Transpose <perm = [0, 2, 1]> (q)
  [scores] a = MatMul (q, k)
  [soft] p = Softmax <axis = -1> (a)
  [mixed] z = MatMul (p, x)
  [norm] n = LayerNormalization <axis = -1> (z, scale)
  [four] e = Constant <value_ints = [4]> ()
  [to] t = Concat <axis = 0> (r1, last, e)
  [reshaped] y = Reshape (n, t)
})"},
    // A branch on an input's value; a size known only while running.
    SampleModel{"control", R"(control (float[n] x, bool flag) => (float[k] y, int64[1,m] at) {
  [where] at = NonZero (x)
  [branch] y = If (flag) <
    then_branch = one () => (float[n] t) { [twice] t = Add (x, x) },
    else_branch = two () => (float[n] f) { [square] f = Mul (x, x) }
  >
})"},
    SampleModel{"loop", R"(loop (int64 trips, bool go, float[2] x) => (float[2] y, float[k,2] all) {
  [repeat] y, all = Loop (trips, go, x) <
    body = step (int64 i, bool c, float[2] v) => (bool d, float[2] w, float[2] out) {
      [same] d = Identity (c)
      [sum] w = Add (v, v)
      [copy] out = Identity (w)
    }
  >
})"},
    SampleModel{"scan", R"(scan (float[2] start, float[3,2] x) => (float[2] y, float[3,2] all) {
  [sums] y, all = Scan <num_scan_inputs = 1, body = step (float[2] a, float[2] b) => (float[2] c, float[2] d) {
    [sum] c = Add (a, b)
    [copy] d = Identity (c)
  }> (start, x)
})"},
    SampleModel{"gather", R"(gather (float[3,4] x, int64[2] at) => (float[2,4] y, float[3,4] z) {
  [rows] y = Gather <axis = 0> (x, at)
  [put] z = ScatterElements <axis = 1> (x, i, u)
  [i] i = Constant <value = int64[1,2] {0, 1}> ()
  [u] u = Constant <value = float[1,2] {5, 6}> ()
})"},
    SampleModel{"slices", R"(slices (float[n,6] x) => (float[n,3] y, float[n,10] z)
<int64[1] b = {0}, int64[1] e = {6}, int64[1] a = {1}, int64[1] s = {2}, int64[4] p = {0,2,0,2}> {
  [slice] y = Slice (x, b, e, a, s)
  [pad] z = Pad <mode = "reflect"> (x, p)
})"},
    SampleModel{"split", R"(split (float[6,2] x) => (float[6,2] y) {
  [split] a, b, c = Split <axis = 0, num_outputs = 3> (x)
  [joined] y = Concat <axis = 0> (c, a, b)
})"},
    SampleModel{"reductions",
                R"(reductions (float[n,3,4] x) => (float[n,3,1] a, float[n,4] b, int64[n,3] c, float[n,3,4] d)
<int64[1] two = {2}, int64[1] one = {1}, int64 axis = {2}> {
  [mean] a = ReduceMean (x, two)
  [norm] b = ReduceL2 <keepdims = 0> (x, one)
  [best] c = ArgMax <axis = 2, keepdims = 0> (x)
  [sums] d = CumSum (x, axis)
})"},
    SampleModel{"pooling", R"(pooling (float[1,2,7,7] x) => (float[1,2,3,3] a, float[1,2,4,4] b) {
  [max] a = MaxPool <kernel_shape = [3, 3], strides = [2, 2]> (x)
  [mean] b = AveragePool <kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1> (x)
})"},
    SampleModel{"resize", R"(resize (float[1,1,4,4] x) => (float[1,1,8,8] y) <float[4] scales = {1,1,2,2}> {
  [bigger] y = Resize <mode = "linear"> (x, , scales)
})"},
    SampleModel{"lstm", R"(lstm (float[2,1,2] x) => (float[2,1,1,1] y, float[1,1,1] h)
<float[1,4,2] w = {1,2,3,4,5,6,7,8}, float[1,4,1] r = {1,2,3,4}> {
  [cell] y, h = LSTM <hidden_size = 1> (x, w, r)
})"},
    SampleModel{"integers", R"(integers (int32[4] a, int32[4] b) => (int32[4] q, int32[4] r, bool[4] l, int32[4] s) {
  [quotient] q = Div (a, b)
  [rest] r = Mod (a, b)
  [less] l = Less (a, b)
  [chosen] s = Where (l, a, b)
})"},
    SampleModel{"quantized", R"(quantized (float[2,3] x) => (float[2,3] y) <float s = {0.1}, uint8 z = {128}> {
  [to] q = QuantizeLinear (x, s, z)
  [from] y = DequantizeLinear (q, s, z)
})"},
    SampleModel{"topk", R"(topk (float[2,n] x, int64[1] k) => (float[2,m] v, int64[2,m] i) {
  [best] v, i = TopK (x, k)
})"},
    SampleModel{"boxes", R"(boxes (float[1,4,4] b, float[1,1,4] s) => (int64[k,3] y)
<int64 most = {3}, float overlap = {0.5}, float score = {0.1}> {
  [kept] y = NonMaxSuppression (b, s, most, overlap, score)
})"},
    SampleModel{"einsum", R"(einsum (float[2,3] a, float[3,4] b) => (float[4,2] y) {
  [product] y = Einsum <equation = "ij,jk->ki"> (a, b)
})"},
    SampleModel{"casts", R"(casts (float[n] x) => (int8[n] a, float16[n] b, bool[n] c, double[n] d) {
  [small] a = Cast <to = 3> (x)
  [half] b = Cast <to = 10> (x)
  [truth] c = Cast <to = 9> (x)
  [wide] w = Cast <to = 11> (x)
  [exp] d = Exp (w)
})"},
    SampleModel{"activations", R"(activations (float[n,4] x) => (float[n,4] y) {
  [gelu] a = Gelu (x)
  [leaky] b = LeakyRelu <alpha = 0.2> (a)
  [clip] c = Clip (b, lo, hi)
  [lo] lo = Constant <value_float = -1.0> ()
  [hi] hi = Constant <value_float = 1.0> ()
  [erf] d = Erf (c)
  [tanh] y = Tanh (d)
})"},
    SampleModel{"shapes", R"(shapes (float[n,m] x, int64[2] to) => (float[p,q] a, float[r,s] b) {
  [shaped] a = Reshape (x, to)
  [size] t = Shape (a)
  [ones] o = ConstantOfShape (t)
  [sum] b = Add (a, o)
})"},
    SampleModel{"normalized",
                R"(normalized (float[2,4,3] x) => (float[2,4,3] y) <float[4] s = {1,2,3,4}, float[4] b = {0,0,0,0}> {
  [norm] y = InstanceNormalization (x, s, b)
})"},
    SampleModel{"transposed", R"(transposed (float[1,1,3,3] x) => (float[1,1,5,5] y)
<float[1,1,3,3] w = {1,2,3,4,5,6,7,8,9}> {
  [up] y = ConvTranspose <strides = [2, 2], pads = [1, 1, 1, 1]> (x, w)
})"},
};

} // namespace lathe::testing
