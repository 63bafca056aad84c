// SPDX-License-Identifier: Apache-2.0
//
// What keeps liblathe_rt.so.1 running on systems older than the one that it is built on. The linker binds a symbol to its
// newest version; here are those that have one newer than glibc 2.17 (CentOS 7; 2.27 for RISC-V, its first) and GLIBCXX_3.4.22
// (GCC 6), each bound to its oldest instead, or done without the library. The linker's --wrap sends the calls here: its list
// is in cmake/runtimes.cmake. Nothing of this is in the static libraries, whose floor is that of who links them.
#include <cstddef>
#include <dlfcn.h>
#include <new>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#elif defined(__riscv) && __riscv_xlen == 64
#define OLDEST "GLIBC_2.27"
#else
#error "which version of the symbols of glibc is the oldest here?"
#endif

// float and double functions: since 2.27 and 2.29 without the wrappers that set errno, else the same.
#define SAME(result, name, parameters, arguments)                                                                      \
    extern "C" result oldest_##name parameters;                                                                        \
    __asm__(".symver oldest_" #name ", " #name "@" OLDEST);                                                            \
    extern "C" result __wrap_##name parameters {                                                                       \
        return oldest_##name arguments;                                                                                \
    }

SAME(float, expf, (float x), (x))
SAME(float, logf, (float x), (x))
SAME(float, powf, (float x, float y), (x, y))
SAME(double, exp, (double x), (x))
SAME(double, log, (double x), (x))
SAME(double, pow, (double x, double y), (x, y))
// 2.34 moved these from libdl into libc.
SAME(void*, dlopen, (const char* path, int flags), (path, flags))
SAME(void*, dlsym, (void* library, const char* name), (library, name))
SAME(int, dlclose, (void* library), (library))
SAME(char*, dlerror, (), ())
SAME(int, dladdr, (const void* address, Dl_info* info), (address, info))

// Before 2.33 it was an inline function over another one. On 64-bit machines the kernel's struct is the library's.
extern "C" int __wrap_fstat(int file, struct stat* status) {
    return static_cast<int>(syscall(SYS_fstat, file, status));
}

// Since 2.32, and a hint: false is always right.
extern "C" __attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

// Since GLIBCXX_3.4.29, what new[] throws for a negative or too large length.
namespace std {
__attribute__((visibility("hidden"))) void __throw_bad_array_new_length() {
    throw bad_array_new_length();
}
} // namespace std
