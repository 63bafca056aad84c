/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime's interface: load a compiled model, create contexts, run. C99.
 *
 * A model is immutable and may be shared by any number of threads. A context is one place where it runs: its threads,
 * memory, inputs and outputs. Calls on one context must not overlap; contexts run at the same time without a lock.
 * Each function that can fail returns a lathe_status and leaves a sentence behind: lathe_last_error(context), or
 * lathe_thread_error() where there is no context or a constant one. No function throws, prints or ends the process.
 *
 * Elements narrower than a byte take one byte each, the value in its low bits.
 *
 * DLPack has no strings. Here a tensor of them has the type {kDLOpaqueHandle, 128, 1}, and its elements are lathe_string.
 */
#ifndef LATHE_RT_H
#define LATHE_RT_H

#include "abi.h"
#include "dlpack.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LATHE_RT_API __attribute__((visibility("default")))
#else
#define LATHE_RT_API
#endif

typedef enum lathe_status {
    LATHE_OK = 0,
    LATHE_INVALID_ARGUMENT =
        1,                   /* a null pointer, an index out of range, a tensor that is malformed or not on the host */
    LATHE_IO_ERROR = 2,      /* the file cannot be opened or read */
    LATHE_BAD_ARTIFACT = 3,  /* not an artifact, truncated, inconsistent, or of another ABI version */
    LATHE_UNSUPPORTED = 4,   /* a valid model that this runtime, machine or CPU cannot run */
    LATHE_OUT_OF_MEMORY = 5, /* the allocator, or the memory limit, refused */
    LATHE_MISMATCH = 6,      /* dtype, rank or dims are not those of the model, or contradict each other */
    LATHE_MISSING_INPUT = 7, /* run without an input */
    LATHE_RUN_FAILED = 8,    /* the model's computation failed: index out of range, division by zero … */
    LATHE_INTERNAL = 9       /* the artifact broke its contract with the runtime */
} lathe_status;

/* An element of a tensor of strings: any bytes, UTF-8 as a rule. Those that the runtime gives end with a byte of 0 that does
 * not count, and are valid as long as the tensor. */
typedef struct lathe_string {
    const char* data; /* may be NULL if size is 0 */
    size_t size;      /* in bytes */
} lathe_string;

typedef struct lathe_model lathe_model;
typedef struct lathe_context lathe_context;

/* ---- about the runtime */
LATHE_RT_API const char* lathe_version(void); /* "MAJOR.MINOR.PATCH" */
LATHE_RT_API const char* lathe_status_name(lathe_status status);
/* 1 if this CPU has the extension of its instruction set, by LLVM's name for it ("avx512f", "dotprod", "zba") and the
 * operating system lets programs use it; 0 if not, and of names that are unknown on this machine. */
LATHE_RT_API int32_t lathe_cpu_supports(const char* isa);
/* Bits of the CPU's SVE or RISC-V vector registers, as this thread has them; 0 on machines without. */
LATHE_RT_API int32_t lathe_cpu_vector_bits(void);
/* What the last failing call without a context said, in this thread. Valid until this thread's next such call. */
LATHE_RT_API const char* lathe_thread_error(void);

/* ---- models */
/* Maps the artifact and checks every table of it. The file may be replaced, not overwritten, while it is loaded. */
LATHE_RT_API lathe_status lathe_model_load(const char* path, lathe_model** model);
/* Reads the whole artifact, and the file of its constants if they lie apart: LATHE_OK if code and constants are what was
 * written. Loading checks the code, but not the constants, which it would have to read. */
LATHE_RT_API lathe_status lathe_model_verify(const char* path);
/* A model whose code is in this process already. desc, what it points to and the constants must outlive the model. */
LATHE_RT_API lathe_status lathe_model_from_memory(const lathe_model_desc* desc, const void* constants,
                                                  int64_t constant_bytes, lathe_model** model);
/* Contexts keep their model alive; NULL is allowed. */
LATHE_RT_API void lathe_model_free(lathe_model* model);

typedef struct lathe_value_info {
    const char* name;
    DLDataType dtype;
    int32_t rank;
    const int64_t* dims; /* as in lathe_value_desc: >= 0, or -(symbol + 1), or INT64_MIN */
    const char*
        form; /* "": a tensor; else what is around its tensors, from outside in: 'l' a list, 'o' an optional. Then
                            rank -1 is of one that can only be empty */
} lathe_value_info;

typedef struct lathe_call_info {
    const char* function; /* the fused function */
    const char* kernel;
    int32_t node_count;
    const char* const* nodes; /* by origin; each may name several model nodes, "conv1, relu1" */
    double flops, bytes;
} lathe_call_info;

/* Of no model (NULL) there are none of all these: "", 0, LATHE_INVALID_ARGUMENT, NULL and -1. */
LATHE_RT_API const char* lathe_model_name(const lathe_model* model);
LATHE_RT_API const char* lathe_model_metadata(const lathe_model* model); /* JSON; "" if none */
LATHE_RT_API int32_t lathe_model_input_count(const lathe_model* model);
LATHE_RT_API int32_t lathe_model_output_count(const lathe_model* model);
LATHE_RT_API int32_t lathe_model_state_count(const lathe_model* model);
LATHE_RT_API int32_t lathe_model_symbol_count(const lathe_model* model);
LATHE_RT_API int32_t lathe_model_call_count(const lathe_model* model);
LATHE_RT_API lathe_status lathe_model_input(const lathe_model* model, int32_t index, lathe_value_info* info);
LATHE_RT_API lathe_status lathe_model_output(const lathe_model* model, int32_t index, lathe_value_info* info);
LATHE_RT_API lathe_status lathe_model_state(const lathe_model* model, int32_t index, lathe_value_info* info);
LATHE_RT_API lathe_status lathe_model_call(const lathe_model* model, int32_t index, lathe_call_info* info);
LATHE_RT_API const char* lathe_model_symbol(const lathe_model* model, int32_t index);     /* NULL: no such symbol */
LATHE_RT_API int32_t lathe_model_find_input(const lathe_model* model, const char* name);  /* -1: none */
LATHE_RT_API int32_t lathe_model_find_output(const lathe_model* model, const char* name); /* -1: none */
LATHE_RT_API int32_t lathe_model_find_state(const lathe_model* model, const char* name);  /* -1: none */

/* ---- contexts */
typedef struct lathe_context_options {
    size_t struct_bytes;  /* sizeof(lathe_context_options): later versions append */
    int32_t threads;      /* the caller's included; 0: as many as this process may use */
    int64_t memory_limit; /* bytes of the context's arena, outputs, copied inputs and states; 0: none */
    /* Both or neither. Gives memory of that alignment, or NULL; called by the context's caller's thread alone. */
    void* (*allocate)(void* user, size_t bytes, size_t alignment);
    void (*release)(void* user, void* memory, size_t bytes);
    void* user;
} lathe_context_options;

/* options may be NULL. Threads start with the first parallel region. */
LATHE_RT_API lathe_status lathe_context_create(lathe_model* model, const lathe_context_options* options,
                                               lathe_context** context);
LATHE_RT_API void lathe_context_free(lathe_context* context);
LATHE_RT_API const char* lathe_last_error(const lathe_context* context);
/* The model node (or nodes) that the last call stopped at, if it was a run that failed; "" if none. */
LATHE_RT_API const char* lathe_last_error_node(const lathe_context* context);

/* Copies the tensor (any strides), its strings too. Inputs stay set from run to run. */
LATHE_RT_API lathe_status lathe_set_input(lathe_context* context, int32_t index, const DLTensor* tensor);
/* Uses the tensor's memory: compact, 64-byte aligned, and alive and unchanged until the input is set or bound again. So are the
 * bytes of strings, which must not be those of an output of this context: these go when a run begins. */
LATHE_RT_API lathe_status lathe_bind_input(lathe_context* context, int32_t index, const DLTensor* tensor);
/* Runs write the output to this memory: 64-byte aligned; its size is what its dims say, and may be more than an output
 * needs. NULL: to the context's own memory again. A run refuses, with LATHE_INVALID_ARGUMENT, memory that overlaps what it
 * reads an input from or writes another output to: kernels write before all is read. Of strings only the elements are
 * written there, their bytes stay the context's: valid until the next run. */
LATHE_RT_API lathe_status lathe_bind_output(lathe_context* context, int32_t index, const DLTensor* tensor);
/* Random operators draw from this seed in every run; without, each run has another. */
LATHE_RT_API lathe_status lathe_set_seed(lathe_context* context, uint64_t seed);
LATHE_RT_API lathe_status lathe_run(lathe_context* context);
/* The output of the last run, which must have been good; data and dims are valid until the next run. So it is no input that
 * the next run could read where it lies, unless that writes the output elsewhere. */
LATHE_RT_API lathe_status lathe_get_output(lathe_context* context, int32_t index, DLTensor* tensor);

/* ---- lists and optionals: inputs and outputs whose form is not "" */
typedef enum lathe_form { LATHE_TENSOR = 0, LATHE_LIST = 1, LATHE_OPTIONAL = 2 } lathe_form;

typedef struct lathe_value {
    lathe_form form;
    int64_t count; /* of a list's elements; of an optional 0 or 1; of a tensor 0 */
    const struct lathe_value* elements;
    DLTensor tensor; /* of a tensor */
} lathe_value;

/* Copies all of the value, whatever its form is. Inputs stay set from run to run; an optional that is not set is absent. */
LATHE_RT_API lathe_status lathe_set_input_value(lathe_context* context, int32_t index, const lathe_value* value);
/* An output of the last run, which must have been good, whatever its form is; what it points to is valid until the next run. */
LATHE_RT_API lathe_status lathe_get_output_value(lathe_context* context, int32_t index, lathe_value* value);

/* ---- states: what a model keeps from one run to the next, such as the hidden values of a streaming net. Each context has its
 * own, which begin as the model says. They are no inputs and no outputs; a run that fails leaves them as they were. */
/* All states as the model says that they begin. */
LATHE_RT_API lathe_status lathe_reset_states(lathe_context* context);
/* Copies the tensor (any strides): the next run goes on from it. */
LATHE_RT_API lathe_status lathe_set_state(lathe_context* context, int32_t index, const DLTensor* tensor);
/* What the next run goes on from. Valid, and to be read alone, until the next run and until states are set or reset. */
LATHE_RT_API lathe_status lathe_get_state(lathe_context* context, int32_t index, DLTensor* tensor);

typedef struct lathe_memory_info {
    /* Most that the last run used of its arena at one time, and what the arena holds now; both with all that the context
     * holds for values that loops hand on, from earlier runs too, for lists and for strings. */
    int64_t arena_peak;
    int64_t arena_reserved;
    int64_t outputs; /* memory of the context for outputs, bound ones left out */
    int64_t inputs;  /* … for copied inputs and states */
} lathe_memory_info;
LATHE_RT_API void lathe_memory(const lathe_context* context, lathe_memory_info* info);

/* ---- profile: times are nanoseconds of one monotonic clock */
typedef struct lathe_profile_entry {
    int64_t count; /* how often the call ran since the profile was switched on */
    int64_t total_ns;
    int64_t min_ns, max_ns;
} lathe_profile_entry;

typedef struct lathe_timeline_event {
    int32_t call;   /* index of the call */
    int32_t chunks; /* of a parallel region that this thread ran; on the caller's thread also -1: the whole call, -2: it
                       waited for what other threads had begun of a region */
    int64_t begin_ns, end_ns;
} lathe_timeline_event;

/* Starts from zero. timeline_events: capacity of each thread's buffer, 0 for none; what does not fit is left out. */
LATHE_RT_API lathe_status lathe_profile_start(lathe_context* context, int32_t timeline_events);
LATHE_RT_API void lathe_profile_stop(lathe_context* context); /* what was measured stays readable */
LATHE_RT_API lathe_status lathe_profile_read(const lathe_context* context, int32_t call, lathe_profile_entry* entry);
LATHE_RT_API int32_t lathe_thread_count(const lathe_context* context);
/* Events of a thread (0: the caller's), valid until the next run. */
LATHE_RT_API lathe_status lathe_timeline_read(const lathe_context* context, int32_t thread,
                                              const lathe_timeline_event** events, int32_t* count);

#ifdef __cplusplus
}
#endif

#endif
