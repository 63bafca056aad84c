// SPDX-License-Identifier: Apache-2.0
//
// Modules as text that several tests read.
#pragma once

namespace lathe::relay::samples {

/// Tensors, symbols, attributes, constants.
inline constexpr const char* network = R"(module next %20

fn main(%1 "input": float32[n{1..64}, 3, 8, 8]) -> float32[n, 4] outputs ["y"] {
  %2 = const float32[2, 3, 1, 1] [1, 0.5, -1, 2, 0.25, 1] @{0}
  %3 = conv(%1, %2) {strides=[2, 2], dilations=[1, 1], before=[0, 0], after=[0, 0]} : float32[n, 2, 4, 4] @{1}
  %4 = relu(%3) : float32[n, 2, 4, 4] @{2} as "relu1"
  %5 = reduce(%4) {kind="mean", axes=[2, 3]} : float32[n, 2] @{3-5,7}
  %6 = const float32[2, 4] splat [0.5] @{6}
  %7 = matmul(%5, %6) : float32[n, 4] @{6,8} as "y"
  -> %7
}
)";

/// A net that adds what it is given to what it keeps, and counts its calls; a third state stays what it is.
inline constexpr const char* states = R"(module next %20

fn main(%1 "x": float32[4], %2 "sum": float32[4], %3 "calls": int64[], %4 "kept": int8[20]) -> (float32[4], float32[4], int64[], int8[20]) outputs ["y"] states ["sum" = const float32[4] splat [0], "calls" = const int64[] [5], "kept" = const int8[20] splat [-3]] {
  %5 = add(%1, %2) : float32[4] @{0}
  %6 = const int64[] [1] @{1}
  %7 = add(%3, %6) : int64[] @{1}
  %8 = relu(%5) : float32[4] @{2} as "y"
  %9 = tuple(%8, %5, %7, %4) : (float32[4], float32[4], int64[], int8[20]) @{2}
  -> %9
}
)";

/// Branches, loops, lists, optional values, closures, recursion, a data type of its own.
inline constexpr const char* control = R"(module next %60
data Tree(T) { Leaf(), Node(T, Tree(T), Tree(T)) }

fn count(%1: List(float32[3])) -> int64[] {
  %2 = match %1 {
    Nil() {
      %3 = const int64[] [0] @{0}
      -> %3
    }
    Cons(%4: float32[3], %5: List(float32[3])) {
      %6 = call count(%5) : int64[] @{0}
      %7 = const int64[] [1] @{0}
      %8 = add(%6, %7) : int64[] @{0}
      -> %8
    }
  } : int64[] @{0}
  -> %2
}

fn main(%10 "x": float32[n{0..4096}], %11 "flag": bool[], %12 "trips": int64[]) -> (float32[m{0..4096}], int64[], Optional(float32[n])) outputs ["a", "b", "c"] {
  %13 = if %11 {
    %14 = add(%10, %10) : float32[n] @{1}
    -> %14
  } else {
    %15 = non_zero(%10) : int64[1, k{0..4096}] @{2}
    %16 = reshape(%15) {shape=[k]} : int64[k] @{2}
    %17 = cast(%16) {dtype=float32} : float32[k] @{2}
    -> %17
  } : float32[m] @{1-2}
  %18 = const int64[] [0] @{3}
  %19 = loop %12 while _ (%20: int64[], %21: int64[] = %18) scans 1 {
    %22 = add(%21, %20) : int64[] @{3}
    %23 = tuple(%22, %22) : (int64[], int64[]) @{3}
    -> %23
  } : (int64[], int64[t{0..}]) @{3}
  %24 = %19.0 : int64[] @{3}
  %25 = fn (%26: int64[]) -> int64[] captures(%24) {
    %27 = multiply(%26, %24) : int64[] @{4}
    -> %27
  } : fn(int64[]) -> int64[] @{4}
  %28 = apply %25(%18) : int64[] @{4}
  %29 = make List Nil() : List(float32[3]) @{5}
  %30 = call count(%29) : int64[] @{5}
  %31 = add(%28, %30) : int64[] @{5}
  %32 = make Optional Some(%10) : Optional(float32[n]) @{6}
  %33 = tuple(%13, %31, %32) : (float32[m], int64[], Optional(float32[n])) @{6}
  -> %33
}
)";

/// Lists whose elements differ in size, and what is taken out of them.
inline constexpr const char* lists = R"(module next %40
data Pair(T) { Pair(T, List(T)) }

fn main(%1 "s": List(float32[?, 3]), %2 "place": int64[], %3 "x": float32[n{0..4096}, 3]) -> (List(float32[?, 3]), float32[d{0..4096}, 3], float32[k{0..4096}, 3], int64[]) outputs ["a", "b", "c", "d"] {
  %4 = list_insert(%1, %2, %3) : List(float32[?, 3]) @{0}
  %5 = list_get(%4, %2) : float32[d, 3] @{1}
  %6 = list_concat(%4) : float32[k, 3] @{2}
  %7 = list_length(%4) : int64[] @{3}
  %8 = make List Nil() : List @{4}
  %9 = list_insert(%8, %2, %5) : List(float32[d, 3]) @{4}
  %10 = make Pair Pair(%5, %9) : Pair(float32[d, 3]) @{4}
  %11 = match %10 {
    Pair(%12: float32[d, 3], %13: List(float32[d, 3])) {
      %14 = list_erase(%13, %2) : List(float32[d, 3]) @{5}
      %15 = list_length(%14) : int64[] @{5}
      -> %15
    }
  } : int64[] @{5}
  %16 = match %4 {
    Nil() {
      -> %7
    }
    Cons(%17: float32[e{0..4096}, 3], %18: List(float32[?, 3])) {
      %19 = list_length(%18) : int64[] @{6}
      -> %19
    }
  } : int64[] @{6}
  %20 = add(%11, %16) : int64[] @{7}
  %21 = tuple(%4, %5, %6, %20) : (List(float32[?, 3]), float32[d, 3], float32[k, 3], int64[]) @{7}
  -> %21
}
)";

} // namespace lathe::relay::samples
