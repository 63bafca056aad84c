// SPDX-License-Identifier: Apache-2.0
//
// The rows of each file of converters, which operators.cpp joins.
#pragma once

#include "frontend/torch/operators.h"

namespace lathe::frontend::torch {

std::span<const Row> rowsOfDiagonal();  // ops_diagonal.cpp
std::span<const Row> rowsOfDistance();  // ops_distance.cpp
std::span<const Row> rowsOfEmbedding(); // ops_embedding.cpp
std::span<const Row> rowsOfFrames();    // ops_frames.cpp
std::span<const Row> rowsOfGather();    // ops_gather.cpp
std::span<const Row> rowsOfIndex();     // ops_index.cpp
std::span<const Row> rowsOfJoin();      // ops_join.cpp
std::span<const Row> rowsOfOrder();     // ops_order.cpp
std::span<const Row> rowsOfPad();       // ops_pad.cpp
std::span<const Row> rowsOfQuantized(); // ops_quantized.cpp
std::span<const Row> rowsOfRandom();    // ops_random.cpp
std::span<const Row> rowsOfRepeat();    // ops_repeat.cpp
std::span<const Row> rowsOfSearch();    // ops_search.cpp
std::span<const Row> rowsOfSegment();   // ops_segment.cpp
std::span<const Row> rowsOfSizes();     // ops_sizes.cpp
std::span<const Row> rowsOfSlice();     // ops_slice.cpp
std::span<const Row> rowsOfSpectral();  // ops_spectral.cpp
std::span<const Row> rowsOfSplit();     // ops_split.cpp
std::span<const Row> rowsOfUnfold();    // ops_unfold.cpp
std::span<const Row> rowsOfUnpool();    // ops_unpool.cpp
std::span<const Row> rowsOfUpsample();  // ops_upsample.cpp
std::span<const Row> rowsOfView();      // ops_view.cpp
std::span<const Row> rowsOfVision();    // ops_vision.cpp

} // namespace lathe::frontend::torch
