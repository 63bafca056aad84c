// SPDX-License-Identifier: Apache-2.0
#include "driver/compile_entry.h"

#include "driver/compile_kernel.h"

namespace lathe::driver {

Result<void> compileEntry(const tir::PrimFuncPtr& entry, std::span<const tir::PrimFuncPtr> functions,
                          const TablesOfEntry& tablesOf, const Options& options,
                          const std::function<void()>& checkpoint, std::vector<std::vector<std::byte>>& objects) {
    codegen::CodegenOptions codegenOptions = codegenOptionsOf(options);
    codegenOptions.checkpoint = checkpoint;
    const lower::LoweredEntry lowered =
        lower::lowerEntry(entry, functions, options.target, {{}, {}, options.verify, checkpoint});
    const auto compile = [&](const tir::PrimFuncPtr& function) -> Result<void> {
        LATHE_TRY(codegen::KernelCode code, codegen::compileFunction(*function, codegenOptions));
        objects.push_back(std::move(code.object));
        return {};
    };
    LATHE_CHECKED(compile(lowered.entry));
    for (const tir::PrimFuncPtr& function : lowered.functions)
        LATHE_CHECKED(compile(function));
    LATHE_TRY(std::vector<std::byte> tables, codegen::emitModelTables(tablesOf(lowered), codegenOptions));
    objects.push_back(std::move(tables));
    return {};
}

} // namespace lathe::driver
