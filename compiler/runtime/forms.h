// SPDX-License-Identifier: Apache-2.0
//
// lathe_value_desc::form: what is around a value's tensors.
#pragma once

#include "runtime/lathe_rt.h"

namespace lathe::runtime {

/// Whether it is a list or an optional.
inline bool isComposed(const lathe_value_desc& value) {
    return value.form && *value.form;
}

/// "a list" and so on, of the outermost form.
inline const char* formName(const char* form) {
    return *form == 'l' ? "a list" : *form == 'o' ? "an optional" : "a tensor";
}

inline lathe_form formOf(const char* form) {
    return *form == 'l' ? LATHE_LIST : *form == 'o' ? LATHE_OPTIONAL : LATHE_TENSOR;
}

} // namespace lathe::runtime
