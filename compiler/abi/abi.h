/* SPDX-License-Identifier: Apache-2.0
 *
 * What generated code and the runtime agree on: the table of functions that the runtime passes to an artifact at load,
 * and the tables in which an artifact describes itself. C99; includes nothing of ours. Generated code needs no library:
 * everything it calls is in lathe_functions.
 */
#ifndef LATHE_ABI_H
#define LATHE_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LATHE_ABI_VERSION 6
#define LATHE_MAX_RANK 32
#define LATHE_MAX_FORM 8 /* of lathe_value_desc.form */
/* An artifact is a shared object that exports `lathe_model` (a lathe_model_desc). Its last segment holds the constants and
 * ends with a lathe_trailer, so that they stay whatever tools make of the file: strip, objcopy, patchelf. Or they lie in a
 * file beside it, NAME.weights for NAME.so, which ends with a lathe_weights_trailer, and the segment holds its trailer alone. */
#define LATHE_TRAILER_MAGIC "LATHEIMG"
#define LATHE_WEIGHTS_MAGIC "LATHEWGT"
#define LATHE_CODE_RANGES 16

typedef struct lathe_exec lathe_exec;     /* one run of one context; opaque to generated code */
typedef struct lathe_object lathe_object; /* a value that the runtime counts the references to; opaque */

/* One chunk of a parallel region. Returns 0 or a status. */
typedef int32_t (*lathe_task)(void* closure, int64_t chunk, lathe_exec* exec);

/* Ordinals of the functions in the table, for RtCall. Order is ABI: append only. */
enum lathe_function {
    LATHE_FN_PARALLEL = 0,
    LATHE_FN_INPUT_DATA,
    LATHE_FN_INPUT_DIM,
    LATHE_FN_CONSTANT,
    LATHE_FN_OUTPUT_DIM,
    LATHE_FN_OUTPUT_DATA,
    LATHE_FN_ARENA_PUSH,
    LATHE_FN_ARENA_MARK,
    LATHE_FN_ARENA_RELEASE,
    LATHE_FN_FAIL,
    LATHE_FN_PROFILE,
    LATHE_FN_MATH32,
    LATHE_FN_MATH64,
    LATHE_FN_COPY,
    LATHE_FN_FILL,
    LATHE_FN_SEED,
    LATHE_FN_KEEP,
    LATHE_FN_OBJECT_INPUT,
    LATHE_FN_OBJECT_OUTPUT,
    LATHE_FN_OBJECT_TENSOR,
    LATHE_FN_OBJECT_LIST,
    LATHE_FN_OBJECT_INSERT,
    LATHE_FN_OBJECT_ERASE,
    LATHE_FN_OBJECT_AT,
    LATHE_FN_OBJECT_LENGTH,
    LATHE_FN_OBJECT_TAG,
    LATHE_FN_OBJECT_DATA,
    LATHE_FN_OBJECT_DIM,
    LATHE_FN_OBJECT_SET_DIM,
    LATHE_FN_OBJECT_EXTENT,
    LATHE_FN_OBJECT_JOIN,
    LATHE_FN_OBJECT_RETAIN,
    LATHE_FN_OBJECT_RELEASE,
    LATHE_FN_DECODE_IMAGE,
    LATHE_FN_IMAGE_PIXELS,
    LATHE_FN_STRING,
    LATHE_FN_COUNT
};

/* Of object_extent. */
enum lathe_extent {
    LATHE_EXTENT_SUM = 0, /* of the dims; the others must be equal */
    LATHE_EXTENT_COUNT,   /* of the tensors; all dims must be equal */
    LATHE_EXTENT_FIRST    /* the first tensor's dim; 0 if there is none */
};

/* Scalar math that generated code does not have vector code for. Ordinals for math32 / math64. */
enum lathe_math {
    LATHE_MATH_EXP = 0,
    LATHE_MATH_LOG,
    LATHE_MATH_SIN,
    LATHE_MATH_COS,
    LATHE_MATH_TAN,
    LATHE_MATH_ASIN,
    LATHE_MATH_ACOS,
    LATHE_MATH_ATAN,
    LATHE_MATH_SINH,
    LATHE_MATH_COSH,
    LATHE_MATH_TANH,
    LATHE_MATH_ASINH,
    LATHE_MATH_ACOSH,
    LATHE_MATH_ATANH,
    LATHE_MATH_ERF,
    LATHE_MATH_POW,
    LATHE_MATH_FMOD,
    LATHE_MATH_LOG1P,
    LATHE_MATH_EXPM1,
    LATHE_MATH_FLOOR,
    LATHE_MATH_CEIL,
    LATHE_MATH_TRUNC,
    LATHE_MATH_ROUND_EVEN,
    LATHE_MATH_FMA
};

/* Text. A string is a number to generated code, its handle: equal strings of a context have equal handles, the empty one is
 * 0. Ordinals for `string`; its operands a, b and c are handles, or numbers where it says so. */
enum lathe_string_function {
    LATHE_STRING_CONCAT = 0, /* a, b -> a behind which b stands */
    LATHE_STRING_LOWER, /* a, b -> each letter of UTF-8 text as Unicode's simple case mapping has it, in any language; if
                                  b is not 0, letters of ASCII alone */
    LATHE_STRING_UPPER,   /* a, b -> likewise */
    LATHE_STRING_SIZE,    /* a -> bytes, a number */
    LATHE_STRING_PART,    /* a, begin, end, in bytes -> what stands there */
    LATHE_STRING_SKIP,    /* a, b, begin -> where a's next piece begins, if pieces stand between b, or white space where
                                  b is empty */
    LATHE_STRING_FIND,    /* a, b, begin -> where that piece ends: where b, or white space, stands, or the size of a */
    LATHE_STRING_MATCHES, /* a, b: a program (runtime/text_match.h) -> 1 if it matches all of a, else 0 */
    LATHE_STRING_OF_FLOAT,   /* a: bits of a float64, b: bits of the float type that it is a value of -> the shortest
                                  decimal that is read as that value there: see LATHE_FLOAT_FORM */
    LATHE_STRING_OF_INT,     /* a: a number -> decimal */
    LATHE_STRING_OF_UINT,    /* likewise */
    LATHE_STRING_OF_BOOL,    /* a: a number -> "True" or "False" */
    LATHE_STRING_IS_FLOAT,   /* a -> 1 if a is a decimal number, an infinity or not a number, else 0 */
    LATHE_STRING_TO_FLOAT64, /* a -> bits of the nearest float64; of 0 if it is none */
    LATHE_STRING_TO_FLOAT32, /* a -> bits of the nearest float32 */
    LATHE_STRING_IS_INT,     /* a -> 1 if a is a decimal integer of 64 bits with a sign, else 0 */
    LATHE_STRING_IS_UINT,    /* without one */
    LATHE_STRING_TO_INT,     /* a -> the integer; 0 if it is none */
};

/* b of LATHE_STRING_OF_FLOAT: bits of a significand as it is stored, and the exponent of its smallest normal number. */
#define LATHE_FLOAT_FORM(significand, exponent) ((int64_t)(significand) | (int64_t)(exponent) * 256)

typedef struct lathe_functions {
    /* Runs task for chunks 0 … chunks-1 on the context's threads; the status of the lowest failing chunk, or 0. */
    int32_t (*parallel)(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks);
    /* Data of an input (row-major, compact) and one of its dims. States are inputs and outputs here, see lathe_state_desc. */
    void* (*input_data)(lathe_exec* exec, int32_t input);
    int64_t (*input_dim)(lathe_exec* exec, int32_t input, int32_t axis);
    const void* (*constant)(lathe_exec* exec, int32_t constant);
    /* Sets one dim of an output; then output_data gives where to write its elements (NULL: out of memory). */
    void (*output_dim)(lathe_exec* exec, int32_t output, int32_t axis, int64_t value);
    void* (*output_data)(lathe_exec* exec, int32_t output, int64_t bytes);
    /* The run's memory: a stack of 64-byte aligned pieces that is kept between runs. push gives NULL when out of
     * memory. */
    void* (*arena_push)(lathe_exec* exec, int64_t bytes);
    int64_t (*arena_mark)(lathe_exec* exec);
    void (*arena_release)(lathe_exec* exec, int64_t mark);
    /* Notes what failed: a call of the entry and its kernel's status, or call -1 and the status of a check of the
     * entry. A status is 1 + the check's ordinal in either case. An entry that fails without it is taken to have said
     * -1. */
    void (*fail)(lathe_exec* exec, int32_t call, int32_t status);
    /* Called before (end = 0) and after (end = 1) each kernel call; returns at once unless profiling is on. */
    void (*profile)(lathe_exec* exec, int32_t call, int32_t end);
    float (*math32)(int32_t function, float a, float b, float c);
    double (*math64)(int32_t function, double a, double b, double c);
    void (*copy)(void* to, const void* from, int64_t bytes);
    void (*fill)(void* to, int32_t byte, int64_t bytes);
    /* Seed of the random operators of this run. */
    uint64_t (*seed)(lathe_exec* exec);
    /* At least `bytes` of memory apart from the arena, for what a loop hands on: it lives to the end of the run, and its
     * contents stay when it grows. place: a number that the compiler gave out. NULL: out of memory. */
    void* (*keep)(lathe_exec* exec, int32_t place, int64_t bytes);
    /* Objects: a tensor, which nobody writes once it is whole, or a list of objects. A list is also an optional (of one element
     * at most) and a value of another data type (its fields, and as tag which constructor made it). Who is given a reference
     * gives it back by object_release, or to a function that takes it. What a run leaves behind goes with it.
     * What an input is; the reference stays the context's. */
    lathe_object* (*object_input)(lathe_exec* exec, int32_t input);
    /* Takes the reference. */
    void (*object_output)(lathe_exec* exec, int32_t output, lathe_object* object);
    /* A tensor of so many bytes, its dims and elements still to be written (NULL: out of memory). */
    lathe_object* (*object_tensor)(lathe_exec* exec, int64_t bytes, int32_t rank);
    /* Of no elements (NULL: out of memory). */
    lathe_object* (*object_list)(lathe_exec* exec, int32_t tag);
    /* The list with the element at 0 … length; takes both references. Happens in place if there is no other reference to the
     * list. NULL: out of memory. */
    lathe_object* (*object_insert)(lathe_exec* exec, lathe_object* list, int64_t place, lathe_object* element);
    /* The list without the element at 0 … length - 1; takes the reference, as object_insert. */
    lathe_object* (*object_erase)(lathe_exec* exec, lathe_object* list, int64_t place);
    /* The element, a reference of its own. */
    lathe_object* (*object_at)(lathe_exec* exec, const lathe_object* list, int64_t place);
    int64_t (*object_length)(lathe_exec* exec, const lathe_object* list);
    int64_t (*object_tag)(lathe_exec* exec, const lathe_object* list);
    void* (*object_data)(lathe_exec* exec, lathe_object* tensor);
    int64_t (*object_dim)(lathe_exec* exec, const lathe_object* tensor, int32_t axis);
    void (*object_set_dim)(lathe_exec* exec, lathe_object* tensor, int32_t axis, int64_t value);
    /* Of a list of tensors of one rank, along an axis: what a lathe_extent says; -1 if the tensors' dims differ where they must
     * not. Then object_join writes all of them along the axis to `to`; element_bytes: of one element of a tensor. */
    int64_t (*object_extent)(lathe_exec* exec, const lathe_object* list, int32_t axis, int32_t extent);
    void (*object_join)(lathe_exec* exec, const lathe_object* list, int32_t axis, int32_t stack, int32_t element_bytes,
                        void* to);
    void (*object_retain)(lathe_exec* exec, lathe_object* object);
    void (*object_release)(lathe_exec* exec, lathe_object* object);
    /* Decodes an image file into pixels of a lathe_pixel_format (images.h), which image_pixels then hands out, once. Gives
     * height * 2^32 + width; 0: it is no image that can be decoded; -1: there is no library that decodes images. Not within a
     * parallel region. */
    int64_t (*decode_image)(lathe_exec* exec, const void* bytes, int64_t size, int32_t format);
    void (*image_pixels)(lathe_exec* exec, void* to, int64_t bytes);
    /* A function of text: a lathe_string_function. On the entry's thread alone. Where memory lacks it gives 0, and the run fails. */
    int64_t (*string)(lathe_exec* exec, int32_t function, int64_t a, int64_t b, int64_t c);
} lathe_functions;

/* dtype codes: those of lathe::TypeCode (base/data_type.h), bits beside it; of strings those of a handle. */
typedef struct lathe_value_desc {
    const char* name;
    int32_t type_code;
    int32_t bits;
    int32_t rank;
    const int64_t*
        dims; /* >= 0: that size; otherwise symbol -(dim + 1); for outputs INT64_MIN is "known only while running" */
    /* NULL or "": a tensor. Else what is around it, from outside in: 'l' a list, 'o' an optional. The rest is of the tensors in
     * it; INT64_MIN is a dim that each has of its own, type_code 0 and rank -1: there can be none, lists are empty. */
    const char* form;
} lathe_value_desc;

/* A value that the model keeps from one run to the next. To generated code state i is the input input_count + i, what it was
 * before the run, and the output output_count + i, what it will be after it; the two lie apart. */
typedef struct lathe_state_desc {
    lathe_value_desc value; /* all its dims are sizes */
    int32_t initial;        /* the constant of this many bytes that a context begins with; -1: zeros */
    int32_t reserved;
} lathe_state_desc;

typedef struct lathe_constant_desc {
    uint64_t hash_high, hash_low;
    int64_t offset; /* in the constants' part of the file, a multiple of 64 */
    int64_t bytes;
    int64_t strings; /* that the bytes hold, as abi/packed_strings.h has them; 0: the bytes are elements as they are */
} lathe_constant_desc;

/* Values of tir::CheckKind, in its order. */
enum lathe_check_kind {
    LATHE_CHECK_INDEX_OUT_OF_RANGE = 0,
    LATHE_CHECK_DIVISION_BY_ZERO,
    LATHE_CHECK_SHAPE_MISMATCH,
    LATHE_CHECK_OUT_OF_MEMORY,
    LATHE_CHECK_INVALID_VALUE
};

typedef struct lathe_check_desc {
    int32_t kind;   /* a lathe_check_kind */
    int32_t origin; /* of the call's nodes, or of the entry's; none beyond them */
    const char* message;
} lathe_check_desc;

typedef struct lathe_kernel_desc {
    const char* name;
    int32_t check_count;
    const lathe_check_desc* checks;
} lathe_kernel_desc;

/* One kernel call of the entry. nodes[origin] names the model nodes of that origin ("conv1, relu1"). */
typedef struct lathe_call_desc {
    const char* function; /* the fused function's name */
    int32_t kernel;
    int32_t origin_count;
    const char* const* nodes;
    double flops, bytes; /* estimates at the sizes known when compiling; 0 if not known */
} lathe_call_desc;

/* Of lathe_model_desc.flags. */
enum lathe_model_flags {
    LATHE_FLUSH_SUBNORMALS = 1 /* float results below the smallest normal number may be 0, where that is faster */
};

typedef struct lathe_model_desc {
    uint32_t abi_version;
    uint32_t flags; /* lathe_model_flags */
    const char* name;
    int32_t input_count, output_count, symbol_count, constant_count, kernel_count, call_count, entry_check_count,
        entry_node_count;
    const lathe_value_desc* inputs;
    const lathe_value_desc* outputs;
    const char* const* symbols;
    const lathe_constant_desc* constants;
    const lathe_kernel_desc* kernels;
    const lathe_call_desc* calls;
    const lathe_check_desc* entry_checks; /* of no origin: message names the model's input or output, if any */
    const char* const* entry_nodes;       /* by origin, as of a call */
    const char* metadata;                 /* JSON for tools: target, build, peak memory expression, decisions */
    int32_t (*entry)(lathe_exec* exec);   /* 0, or non-zero after `fail` */
    const lathe_functions** functions;    /* where the runtime puts its table before the first run */
    const char* isa;     /* extensions that the CPU must have, LLVM's names with blanks between them; NULL: none */
    int32_t vector_bits; /* of SVE registers exactly, of RISC-V's vector registers at least; 0: any */
    int32_t state_count;
    const lathe_state_desc* states;
} lathe_model_desc;

typedef struct lathe_range {
    uint64_t address, bytes; /* in the image, as segments place it; 0 bytes: none */
} lathe_range;

/* The end of an artifact's last segment, behind its constants and their padding to 64 bytes. Hashes are XXH3, 64 bits. */
typedef struct lathe_trailer {
    lathe_range code[LATHE_CODE_RANGES]; /* sections that are loaded and that no tool changes */
    uint64_t symbols_bytes;              /* of the tables of dynamic symbols, which tools move: by DT_SYMTAB, … */
    uint64_t gnu_hash_bytes;             /* … by DT_GNU_HASH, */
    uint64_t hash_bytes;                 /* … and by DT_HASH; 0: none */
    uint64_t bytes;                      /* of the constants */
    uint64_t code_hash;                  /* of what runtime/artifact_image.h says */
    uint64_t constants_hash;
    uint32_t weights_apart; /* 1: in a file beside the artifact */
    uint32_t reserved;
    char magic[8];
} lathe_trailer;

typedef struct lathe_weights_trailer {
    uint64_t bytes; /* of the constants, which begin the file */
    uint64_t constants_hash;
    uint64_t reserved;
    char magic[8];
} lathe_weights_trailer;

#ifdef __cplusplus
}
#endif

#endif
