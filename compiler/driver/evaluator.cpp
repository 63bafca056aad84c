// SPDX-License-Identifier: Apache-2.0
//
// Compilation takes the function as the main function of a small module, through the same build as a model, and runs it
// from memory.
#include "driver/evaluator.h"

#include "base/memory_file.h"
#include "driver/build.h"
#include "driver/interpret.h"
#include "relay/element.h"
#include "relay/hash.h"
#include "relay/transform/fuse.h"
#include "relay/type_map.h"
#include "runtime/lathe_rt.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::driver {
namespace {

using relay::asTensor;
using relay::ConstantPtr;

/// All sizes are numbers, so that the function can be a model of its own.
bool isStatic(const relay::Function& function) {
    return std::all_of(function.body->bindings.begin(), function.body->bindings.end(),
                       [](const relay::BindingPtr& binding) {
                           for (const relay::Type& type : relay::fieldTypes(binding->type))
                               if (const relay::TensorType* tensor = asTensor(type); tensor && !dimsOf(*tensor, {}))
                                   return false;
                           return true;
                       });
}

/// Steps of all calls of a function.
int64_t stepsOf(const relay::Function& function) {
    std::map<uint32_t, relay::Type> types;
    for (const relay::Param& param : function.params)
        types[param.var.id] = param.type;
    int64_t total = 0;
    for (const relay::BindingPtr& binding : function.body->bindings) {
        types[binding->var.id] = binding->type;
        const auto* call = binding->as<relay::OpCall>();
        if (!call)
            continue;
        std::vector<relay::Type> args;
        for (relay::Var arg : call->args)
            args.push_back(arg ? types.at(arg.id) : nullptr);
        if (__builtin_add_overflow(total, relay::stepsOf(*call, args, binding->type), &total))
            return std::numeric_limits<int64_t>::max();
    }
    return total;
}

} // namespace

/// A compiled computation; whoever comes while it is compiled waits for it.
struct DriverEvaluator::Compiled {
    std::mutex mutex;
    lathe_model* model = nullptr;
    ~Compiled() { lathe_model_free(model); }
};

DriverEvaluator::DriverEvaluator(EvaluatorOptions options) : options_(std::move(options)) {}
DriverEvaluator::~DriverEvaluator() = default;

Result<std::vector<ConstantPtr>> DriverEvaluator::evaluate(const relay::Module& module, const relay::Function& function,
                                                           const std::vector<ConstantPtr>& args) {
    options_.budget->checkpoint();
    for (const relay::Type& type : relay::fieldTypes(function.resultType)) {
        const relay::TensorType* tensor = asTensor(type);
        if (!tensor || tensor->dtype == types::String)
            return failure("only numeric tensors are evaluated");
        if (const auto bytes = relay::bytesOf(type);
            relay::constantShape(tensor->shape) && (!bytes || *bytes > options_.limitBytes))
            return failure(fmt::format("the result takes more than {} bytes", options_.limitBytes));
    }
    if (stepsOf(function) <= options_.interpretedSteps || !isStatic(function))
        return interpret(module, function, args);
    return compileAndRun(module, function, args);
}

Result<std::vector<ConstantPtr>> DriverEvaluator::compileAndRun(const relay::Module& module,
                                                                const relay::Function& function,
                                                                const std::vector<ConstantPtr>& args) {
    const Hash128 hash = relay::contentHash(function);
    std::shared_ptr<Compiled> compiled;
    {
        std::lock_guard lock(mutex_);
        std::shared_ptr<Compiled>& known = compiled_[hash];
        if (!known)
            known = std::make_shared<Compiled>();
        compiled = known;
    }
    {
        std::lock_guard lock(compiled->mutex);
        if (!compiled->model)
            LATHE_CHECKED(compile(module, function, *compiled));
    }
    size_t memory = limits::evaluatorBytes;
    for (const relay::Type& type : relay::fieldTypes(function.resultType))
        memory += 2 * static_cast<size_t>(relay::bytesOf(type).value_or(0));
    for (const ConstantPtr& arg : args)
        memory += 2 * static_cast<size_t>(relay::bytesOf(arg->type).value_or(0));
    lathe_context_options options{};
    options.struct_bytes = sizeof(options);
    options.threads = 1;
    options.memory_limit = static_cast<int64_t>(memory);
    lathe_context* context = nullptr;
    if (lathe_context_create(compiled->model, &options, &context) != LATHE_OK)
        return failure(lathe_thread_error());
    std::unique_ptr<lathe_context, void (*)(lathe_context*)> owner(context, lathe_context_free);
    for (size_t i = 0; i < args.size(); ++i) {
        lathe_value_info info;
        lathe_model_input(compiled->model, static_cast<int32_t>(i), &info);
        std::vector<std::byte> bytes;
        const void* data = args[i]->bytes.view.data();
        if (args[i]->splat) {
            bytes = relay::copyElements(*args[i]);
            data = bytes.data();
        }
        std::vector<int64_t> dims = dimsOf(*asTensor(args[i]->type), {}).value();
        DLTensor tensor{};
        tensor.data = const_cast<void*>(data);
        tensor.device = {kDLCPU, 0};
        tensor.ndim = static_cast<int32_t>(dims.size());
        tensor.dtype = info.dtype;
        tensor.shape = dims.data();
        if (lathe_set_input(context, static_cast<int32_t>(i), &tensor) != LATHE_OK)
            return failure(lathe_last_error(context));
    }
    if (lathe_run(context) != LATHE_OK)
        return failure(lathe_last_error(context));
    std::vector<ConstantPtr> results;
    std::vector<relay::Type> fields = relay::fieldTypes(function.resultType);
    for (size_t i = 0; i < fields.size(); ++i) {
        DLTensor tensor{};
        if (lathe_get_output(context, static_cast<int32_t>(i), &tensor) != LATHE_OK)
            return failure(lathe_last_error(context));
        const relay::TensorType& type = *asTensor(fields[i]);
        std::vector<int64_t> dims(tensor.shape, tensor.shape + tensor.ndim);
        size_t count = 1;
        for (int64_t dim : dims)
            count *= static_cast<size_t>(dim);
        std::vector<std::byte> bytes(count * static_cast<size_t>(type.dtype.bytes()));
        std::copy_n(static_cast<const std::byte*>(tensor.data) + tensor.byte_offset, bytes.size(), bytes.begin());
        results.push_back(constantOf(type, dims, std::move(bytes)));
    }
    return results;
}

Result<void> DriverEvaluator::compile(const relay::Module& module, const relay::Function& function, Compiled& into) {
    relay::Module small;
    small.spans = module.spans;
    small.nextVar = module.nextVar;
    auto main = std::make_shared<relay::Function>(function);
    main->primitive = false;
    for (size_t i = 0; i < main->params.size(); ++i)
        main->params[i].name = fmt::format("x{}", i);
    small.functions["main"] = main;
    Options options;
    options.target = options_.target;
    options.threads = options_.threads;
    options.numerics = NumericsLevel::Strict; // the interpreter, which computes the small ones, keeps subnormals too
    Decisions decisions;
    decisions.skipPasses = options_.passes.skipPasses;
    decisions.optionalLimit = options_.passes.optionalLimit;
    decisions.skipIn = options_.passes.skipIn;
    Trace trace;
    // However it ends: what fails is of interest, too.
    struct Noted {
        DriverEvaluator& evaluator;
        const Trace& trace;
        bool failed = true;
        ~Noted() { evaluator.note(trace, failed); }
    } noted{*this, trace};
    Progress progress;
    PassHook hook(decisions, options, trace, progress);
    if (PassRecord& fuse = hook.recordOf("fuse"); fuse.enabled) {
        relay::Module made = relay::transform::fuse(small).module;
        fuse.ran = true;
        fuse.changed = made.functions != small.functions;
        small = std::move(made);
    }
    const relay::Module fused = relay::transform::fuse(small, {.maxOps = 1}).module;
    LATHE_TRY(Built built, build(fused, nullptr, options, decisions, hook, trace));
    // The runtime loads it as it loads any artifact; what is loaded stays when the file is gone.
    const MemoryFile file("lathe-constants");
    LATHE_CHECKED(
        write(built, file.path(), artifact::ArtifactForm::OneFile, fused, *this, *options_.budget, options_.threads));
    if (lathe_model_load(file.path().c_str(), &into.model) != LATHE_OK)
        return failure(fmt::format("a compiled constant computation does not load: {}", lathe_thread_error()));
    noted.failed = false;
    return {};
}

void DriverEvaluator::note(const Trace& trace, bool failed) {
    if (!options_.trace)
        return;
    const std::lock_guard lock(mutex_);
    Trace& into = *options_.trace;
    for (const KernelRecord& kernel : trace.kernels)
        if (std::ranges::find(into.constantKernels, kernel.workload, &KernelRecord::workload) ==
            into.constantKernels.end())
            into.constantKernels.push_back(kernel);
    for (const PassRecord& record : trace.passes)
        if (record.changed || (failed && record.enabled && !record.ran && record.stage == Stage::Tir))
            if (const auto found = std::ranges::find(into.passes, record.name, &PassRecord::name);
                found != into.passes.end())
                found->changedConstants = true;
}

} // namespace lathe::driver
