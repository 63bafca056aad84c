// SPDX-License-Identifier: Apache-2.0
#include "driver/compile_entry.h"

#include "driver/compile_kernel.h"
#include "lower/pipeline.h"

namespace lathe::driver {

Result<void> compileEntry(const tir::PrimFuncPtr& entry, const TablesOfEntry& tablesOf, const Options& options,
                          const std::function<void()>& checkpoint, std::vector<std::vector<std::byte>>& objects) {
    codegen::CodegenOptions codegenOptions = codegenOptionsOf(options);
    codegenOptions.checkpoint = checkpoint;
    const tir::PrimFuncPtr lowered = lower::lowerEntry(entry, options.target, {{}, {}, options.verify, checkpoint});
    LATHE_TRY(codegen::KernelCode code, codegen::compileFunction(*lowered, codegenOptions));
    objects.push_back(std::move(code.object));
    LATHE_TRY(std::vector<std::byte> tables, codegen::emitModelTables(tablesOf(*lowered), codegenOptions));
    objects.push_back(std::move(tables));
    return {};
}

} // namespace lathe::driver
