// SPDX-License-Identifier: Apache-2.0
//
// What the functions of one module share: types, attributes, debug lines; and the signature of the PrimFunc.
#include "codegen/llvm/emitter.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/TargetParser/Triple.h>

namespace lathe::codegen {

namespace {

llvm::FastMathFlags contractIf(bool allowed) {
    llvm::FastMathFlags flags;
    flags.setAllowContract(allowed);
    return flags;
}

} // namespace

ModuleEmitter::ModuleEmitter(llvm::Module& module, const tir::PrimFunc& function, const CodegenOptions& options)
    : context(module.getContext()), module(module), function(function), target(options.target),
      floats(contractIf(options.target.hasFma && options.contract)), floatFunctions(contractIf(options.target.hasFma)),
      debug_(module) {
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
    unit_ = debug_.createCompileUnit(llvm::dwarf::DW_LANG_C99, debug_.createFile(function.name + ".tir", "."), "lathe",
                                     true, "", 0, "", llvm::DICompileUnit::LineTablesOnly);
    table = new llvm::GlobalVariable(module, llvm::PointerType::getUnqual(context), false,
                                     llvm::GlobalValue::ExternalLinkage, nullptr, "lathe_functions_table");
    table->setVisibility(llvm::GlobalValue::HiddenVisibility);
    table->setDSOLocal(true);
}

llvm::Type* ModuleEmitter::registerType(DataType type) const {
    llvm::Type* element = nullptr;
    switch (type.code) {
    case TypeCode::Void:
        return llvm::Type::getVoidTy(context);
    case TypeCode::Bool:
        element = llvm::Type::getInt1Ty(context);
        break;
    case TypeCode::Handle:
        element = llvm::PointerType::getUnqual(context);
        break;
    case TypeCode::Float:
        element = type.bits == 16   ? llvm::Type::getHalfTy(context)
                  : type.bits == 32 ? llvm::Type::getFloatTy(context)
                                    : llvm::Type::getDoubleTy(context);
        break;
    case TypeCode::Index:
        element = llvm::Type::getInt64Ty(context);
        break;
    case TypeCode::Int:
    case TypeCode::UInt:
        element = llvm::Type::getIntNTy(context, type.bits);
        break;
    default:
        element = llvm::Type::getIntNTy(context, static_cast<unsigned>(type.bytes()) * 8);
        break;
    }
    return type.lanes > 1 ? llvm::FixedVectorType::get(element, type.lanes) : element;
}

llvm::Type* ModuleEmitter::storageType(DataType type) const {
    bool narrow = type.isBool() || (type.isInt() && type.bits < 8);
    if (!narrow)
        return registerType(type);
    llvm::Type* byte = llvm::Type::getInt8Ty(context);
    return type.lanes > 1 ? llvm::FixedVectorType::get(byte, type.lanes) : byte;
}

llvm::Function* ModuleEmitter::makeFunction(const std::string& name, const std::vector<llvm::Type*>& params,
                                            bool internal) {
    auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), params, false);
    auto* made = llvm::Function::Create(
        type, internal ? llvm::GlobalValue::InternalLinkage : llvm::GlobalValue::ExternalLinkage, name, module);
    made->addFnAttr(llvm::Attribute::NoUnwind);
    made->addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
        made->addFnAttr("target-features", target.features);
    if (target.architecture == Architecture::AArch64 && target.scalableBits > 0) {
        // Without it LLVM uses NEON; with it, it may take the length of registers for what it says.
        const auto units = static_cast<unsigned>(target.scalableBits / 128);
        made->addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(context, units, units));
    }
    made->addFnAttr("no-builtins");
    made->addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
    if (internal)
        made->addFnAttr(llvm::Attribute::NoInline);
    auto* signature = debug_.createSubroutineType(debug_.getOrCreateTypeArray({}));
    made->setSubprogram(debug_.createFunction(unit_, name, name, unit_->getFile(), 1, signature, 1,
                                              llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition));
    return made;
}

llvm::DebugLoc ModuleEmitter::locationOf(const tir::StmtNode& stmt, int origin, llvm::Function* inside) {
    int line = static_cast<int>(lines.size()) + 1;
    lines.push_back({line, origin, &stmt});
    return llvm::DILocation::get(context, static_cast<unsigned>(line), 0, inside->getSubprogram());
}

void ModuleEmitter::run() {
    llvm::Type* pointer = llvm::PointerType::getUnqual(context);
    std::vector<llvm::Type*> types{pointer};
    for (const tir::Param& param : function.params)
        types.push_back(param.buffer ? pointer : storageType(param.scalar.dtype()));
    llvm::Function* made = makeFunction(function.name, types, false);
    FunctionEmitter emitter(*this, made, false);
    emitter.exec = made->getArg(0);
    unsigned position = 1;
    for (const tir::Param& param : function.params) {
        llvm::Argument* arg = made->getArg(position++);
        arg->setName(param.buffer ? param.buffer->name : param.scalar->name);
        if (param.buffer) {
            emitter.addresses[param.buffer.get()] = arg;
        } else {
            Value* scalar = arg;
            if (param.scalar.dtype().isBool())
                scalar = emitter.builder().CreateICmpNE(scalar, llvm::ConstantInt::get(scalar->getType(), 0));
            else if (scalar->getType() != registerType(param.scalar.dtype()))
                scalar = emitter.builder().CreateTrunc(scalar, registerType(param.scalar.dtype()));
            emitter.vars[param.scalar.get()] = scalar;
        }
    }
    emitter.emit(function.body);
    emitter.finish();
    debug_.finalize();
}

} // namespace lathe::codegen
