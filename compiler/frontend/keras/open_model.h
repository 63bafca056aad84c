// SPDX-License-Identifier: Apache-2.0
//
// The two forms of a Keras model: an archive (or folder) of config and weights, and one HDF5 file that has the config
// as an attribute. Both come out as a config and a file of weights.
#pragma once

#include "frontend/frontend.h"
#include "frontend/hdf5/file.h"
#include "frontend/keras/config.h"

namespace lathe::frontend::keras {

struct OpenModel {
    Json config; // of the whole model, as of a layer
    hdf5::File weights;
    bool isOneFile = false;                           // weights stand by the names of layers, not by their order
    std::string kerasVersion;                         // "3.1.0"; empty if it is not said
    int version = 2;                                  // its first number
    std::shared_ptr<const Members> members = nullptr; // of an archive or folder, which has vocabularies too
};

bool mayBeModel(const Source& source);

Result<OpenModel> openModel(const Source& source, std::shared_ptr<Budget> budget);

} // namespace lathe::frontend::keras
