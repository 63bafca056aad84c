// SPDX-License-Identifier: Apache-2.0
//
// The model's tables as LLVM constants. Struct types mirror abi/abi.h field by field; LLVM lays them out as C does.
#include "abi/abi.h"
#include "codegen/codegen.h"
#include "codegen/llvm/target_machine.h"
#include "codegen/target.h"

#include <fmt/ranges.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LLVMContext.h>

namespace lathe::codegen {
namespace {

using llvm::Constant;

class Tables {
public:
    Tables(llvm::LLVMContext& context, llvm::Module& module) : context_(context), module_(module) {}

    void emit(const ModelTables& t, const Required& required) {
        auto* functions = new llvm::GlobalVariable(module_, ptr(), false, llvm::GlobalValue::ExternalLinkage, null(),
                                                   "lathe_functions_table");
        functions->setVisibility(llvm::GlobalValue::HiddenVisibility);
        auto* entryType = llvm::FunctionType::get(llvm::Type::getInt32Ty(context_), {ptr()}, false);
        llvm::Function* entry = llvm::Function::Create(entryType, llvm::GlobalValue::ExternalLinkage, t.entry, module_);

        std::vector<Constant*> inputs, outputs, states, symbols, constants, kernels, calls;
        for (const ModelTables::Value& v : t.inputs)
            inputs.push_back(value(v));
        for (const ModelTables::Value& v : t.outputs)
            outputs.push_back(value(v));
        for (const ModelTables::State& s : t.states)
            states.push_back(record({value(s.value), i32(s.initial), i32(0)}));
        for (const std::string& s : t.symbols)
            symbols.push_back(text(s));
        for (const ModelTables::Constant& c : t.constants)
            constants.push_back(record({i64(static_cast<int64_t>(c.hash.high)), i64(static_cast<int64_t>(c.hash.low)),
                                        i64(c.offset), i64(c.bytes), i64(c.strings)}));
        for (const ModelTables::Kernel& k : t.kernels)
            kernels.push_back(record({text(k.name), i32(size(k.checks)), checks(k.checks)}));
        for (const ModelTables::Call& c : t.calls) {
            calls.push_back(record(
                {text(c.function), i32(c.kernel), i32(size(c.nodes)), texts(c.nodes), f64(c.flops), f64(c.bytes)}));
        }
        Constant* model = record({i32(LATHE_ABI_VERSION),
                                  i32(static_cast<int32_t>(t.flags)),
                                  text(t.name),
                                  i32(size(t.inputs)),
                                  i32(size(t.outputs)),
                                  i32(size(t.symbols)),
                                  i32(size(t.constants)),
                                  i32(size(t.kernels)),
                                  i32(size(t.calls)),
                                  i32(size(t.entryChecks)),
                                  i32(size(t.entryNodes)),
                                  array(inputs),
                                  array(outputs),
                                  array(symbols),
                                  array(constants),
                                  array(kernels),
                                  array(calls),
                                  checks(t.entryChecks),
                                  texts(t.entryNodes),
                                  text(t.metadata),
                                  entry,
                                  functions,
                                  text(fmt::format("{}", fmt::join(required.isa, " "))),
                                  i32(required.vectorBits),
                                  i32(size(t.states)),
                                  array(states)});
        new llvm::GlobalVariable(module_, model->getType(), false, llvm::GlobalValue::ExternalLinkage, model,
                                 "lathe_model");
    }

private:
    llvm::LLVMContext& context_;
    llvm::Module& module_;

    template <class T>
    static int32_t size(const std::vector<T>& v) {
        return static_cast<int32_t>(v.size());
    }
    llvm::PointerType* ptr() { return llvm::PointerType::getUnqual(context_); }
    Constant* null() { return llvm::ConstantPointerNull::get(ptr()); }
    Constant* i32(int32_t v) { return llvm::ConstantInt::getSigned(llvm::Type::getInt32Ty(context_), v); }
    Constant* i64(int64_t v) { return llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(context_), v); }
    Constant* f64(double v) { return llvm::ConstantFP::get(llvm::Type::getDoubleTy(context_), v); }
    Constant* record(const std::vector<Constant*>& fields) { return llvm::ConstantStruct::getAnon(context_, fields); }

    Constant* global(Constant* value) {
        auto* variable = new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                                  value, "table");
        return variable;
    }
    Constant* text(const std::string& s) { return global(llvm::ConstantDataArray::getString(context_, s)); }
    Constant* array(const std::vector<Constant*>& elements) {
        if (elements.empty())
            return null();
        return global(
            llvm::ConstantArray::get(llvm::ArrayType::get(elements[0]->getType(), elements.size()), elements));
    }
    Constant* texts(const std::vector<std::string>& strings) {
        std::vector<Constant*> elements;
        for (const std::string& each : strings)
            elements.push_back(text(each));
        return array(elements);
    }
    Constant* value(const ModelTables::Value& v) {
        std::vector<Constant*> dims;
        for (int64_t dim : v.dims)
            dims.push_back(i64(dim));
        return record({text(v.name), i32(static_cast<int32_t>(v.dtype.code)), i32(v.dtype.bits),
                       i32(v.holdsNothing ? -1 : size(v.dims)), array(dims), text(v.form)});
    }
    Constant* checks(const std::vector<ModelTables::CheckText>& entries) {
        std::vector<Constant*> rows;
        for (const ModelTables::CheckText& entry : entries)
            rows.push_back(record({i32(entry.kind), i32(entry.origin), text(entry.message)}));
        return array(rows);
    }
};

} // namespace

Result<std::vector<std::byte>> emitModelTables(const ModelTables& tables, const CodegenOptions& options) {
    LATHE_TRY(auto machine, makeTargetMachine(options.target));
    llvm::LLVMContext context;
    throwOnErrors(context);
    llvm::Module module("lathe_model", context);
    module.setTargetTriple(options.target.triple);
    module.setDataLayout(machine->createDataLayout());
    module.setPICLevel(llvm::PICLevel::BigPIC);
    Tables(context, module).emit(tables, requiredOf(options.target));
    verifyModule(module);
    return emitObject(*machine, module);
}

} // namespace lathe::codegen
