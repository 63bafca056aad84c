// SPDX-License-Identifier: Apache-2.0
//
// Text of the graph IR. Stable and complete: structure, attributes, symbols with ranges, Spans, model values, layouts.
// Printing, reading and printing again gives the same bytes. Large constants print as `const #hash type` and are taken
// from a pool when read.
#pragma once

#include "relay/ir.h"

namespace lathe::relay {

struct PrintOptions {
    bool spans = true;
    /// If set, gets for each printed line the binding that begins there (null if none), for views.
    std::vector<const Binding*>* lines = nullptr;
};

std::string print(const Module& module, const PrintOptions& options = {});
std::string print(const Function& function, const Module& module, const std::string& name,
                  const PrintOptions& options = {});

using ConstantPool = std::unordered_map<Hash128, ConstantPtr, HashOfHash128>;
/// Every constant of the module, those of recipes included.
ConstantPool constantsOf(const Module& module);

/// A Diagnostic with the line for malformed text, a hash that the pool lacks, types that do not fit.
Result<Module> parse(std::string_view text, const ConstantPool& pool);

/// Structure, attributes, types, symbols, Spans and model values alike; Var numbers and constants' hashes too.
bool identical(const Module& a, const Module& b);
/// Structure up to Vars, Spans, names and bytes of constants.
Hash128 structuralHash(const Function& function);
bool structurallyEqual(const Function& a, const Function& b);

} // namespace lathe::relay
