// SPDX-License-Identifier: Apache-2.0
//
// The rows of each file of converters, which operators.cpp joins.
#pragma once

#include "frontend/torch/operators.h"

namespace lathe::frontend::torch {

std::span<const Row> rowsOfActivations();     // ops_activation.cpp
std::span<const Row> rowsOfAdaptivePools();   // ops_adaptive_pool.cpp
std::span<const Row> rowsOfArithmetic();      // ops_arithmetic.cpp
std::span<const Row> rowsOfAttention();       // ops_attention.cpp
std::span<const Row> rowsOfBatchNorms();      // ops_batch_norm.cpp
std::span<const Row> rowsOfBits();            // ops_compare.cpp
std::span<const Row> rowsOfComparisons();     // ops_compare.cpp
std::span<const Row> rowsOfConversions();     // ops_convert.cpp
std::span<const Row> rowsOfConvolutions();    // ops_conv.cpp
std::span<const Row> rowsOfCtc();             // ops_ctc.cpp
std::span<const Row> rowsOfDiagonal();        // ops_diagonal.cpp
std::span<const Row> rowsOfDistance();        // ops_distance.cpp
std::span<const Row> rowsOfEmbedding();       // ops_embedding.cpp
std::span<const Row> rowsOfFactors();         // ops_factor.cpp
std::span<const Row> rowsOfFills();           // ops_fill.cpp
std::span<const Row> rowsOfFrames();          // ops_frames.cpp
std::span<const Row> rowsOfGamma();           // ops_gamma.cpp
std::span<const Row> rowsOfGather();          // ops_gather.cpp
std::span<const Row> rowsOfIndex();           // ops_index.cpp
std::span<const Row> rowsOfJoin();            // ops_join.cpp
std::span<const Row> rowsOfLinear();          // ops_linear.cpp
std::span<const Row> rowsOfLosses();          // ops_loss.cpp
std::span<const Row> rowsOfMarginLosses();    // ops_margin_loss.cpp
std::span<const Row> rowsOfMath();            // ops_math.cpp
std::span<const Row> rowsOfMatrixFunctions(); // ops_matrix_function.cpp
std::span<const Row> rowsOfMatrixNorms();     // ops_matrix_norm.cpp
std::span<const Row> rowsOfNorms();           // ops_norm.cpp
std::span<const Row> rowsOfNumbers();         // ops_number.cpp
std::span<const Row> rowsOfOrder();           // ops_order.cpp
std::span<const Row> rowsOfPad();             // ops_pad.cpp
std::span<const Row> rowsOfPools();           // ops_pool.cpp
std::span<const Row> rowsOfQuantized();       // ops_quantized.cpp
std::span<const Row> rowsOfRandom();          // ops_random.cpp
std::span<const Row> rowsOfRecurrences();     // ops_recurrent.cpp
std::span<const Row> rowsOfReductions();      // ops_reduce.cpp
std::span<const Row> rowsOfRepeat();          // ops_repeat.cpp
std::span<const Row> rowsOfScans();           // ops_scan.cpp
std::span<const Row> rowsOfSearch();          // ops_search.cpp
std::span<const Row> rowsOfSegment();         // ops_segment.cpp
std::span<const Row> rowsOfSizes();           // ops_sizes.cpp
std::span<const Row> rowsOfSlice();           // ops_slice.cpp
std::span<const Row> rowsOfSolve();           // ops_solve.cpp
std::span<const Row> rowsOfSorts();           // ops_sort.cpp
std::span<const Row> rowsOfSpecials();        // ops_special.cpp
std::span<const Row> rowsOfSpectral();        // ops_spectral.cpp
std::span<const Row> rowsOfSplit();           // ops_split.cpp
std::span<const Row> rowsOfStatistics();      // ops_statistics.cpp
std::span<const Row> rowsOfTransformers();    // ops_transformer.cpp
std::span<const Row> rowsOfUnfold();          // ops_unfold.cpp
std::span<const Row> rowsOfUnpool();          // ops_unpool.cpp
std::span<const Row> rowsOfUpsample();        // ops_upsample.cpp
std::span<const Row> rowsOfView();            // ops_view.cpp
std::span<const Row> rowsOfVision();          // ops_vision.cpp
std::span<const Row> rowsOfWindowFunctions(); // ops_window_function.cpp

} // namespace lathe::frontend::torch
