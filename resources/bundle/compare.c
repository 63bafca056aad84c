/* SPDX-License-Identifier: Apache-2.0
 *
 * What `make check` calls beside the model's program, which reads and writes elements alone. C99.
 *
 *   compare elements FILE.npy TO                                 the elements of a NumPy file
 *   compare exact|float|bfloat WIDTH ABSOLUTE OF_RANGE GOT FILE.npy   exit code 0: GOT has the elements of the NumPy file
 */
#include "npy.h"

static int write_elements(const char* from, const char* to) {
    const npy_array array = npy_read(from);
    FILE* file = array.data ? fopen(to, "wb") : NULL;
    const int good = file && fwrite(array.data, 1, array.bytes, file) == array.bytes;
    const int closed = file && fclose(file) == 0;
    if (!good || !closed)
        fprintf(stderr, "%s cannot be written\n", to);
    free(array.data);
    return good && closed ? 0 : 1;
}

int main(int argc, char** argv) {
    npy_array expected;
    npy_kind kind;
    size_t width, bytes = 0;
    void* got;
    FILE* file;
    long wrong = -1;
    if (argc == 4 && strcmp(argv[1], "elements") == 0)
        return write_elements(argv[2], argv[3]);
    if (argc != 7)
        return 2;
    kind = strcmp(argv[1], "float") == 0 ? NPY_FLOAT : strcmp(argv[1], "bfloat") == 0 ? NPY_BFLOAT : NPY_EXACT;
    width = (size_t)strtol(argv[2], NULL, 10);
    expected = npy_read(argv[6]);
    file = fopen(argv[5], "rb");
    got = malloc(expected.bytes + 1);
    if (expected.data && file && got) {
        bytes = fread(got, 1, expected.bytes + 1, file);
        wrong = npy_wrong(kind, width, got, bytes, &expected, strtod(argv[3], NULL), strtod(argv[4], NULL));
    }
    if (wrong)
        fprintf(stderr, wrong < 0 ? "%s: another size than %s\n" : "%s: elements differ from those of %s: %ld\n",
                argv[5], argv[6], wrong);
    if (file)
        fclose(file);
    free(expected.data);
    free(got);
    return wrong ? 1 : 0;
}
