/* Any bytes as a vector: text or a NumPy array by themselves, raw floats where the first
 * byte says so. What is read is finite, and its integers are its values. */
#include "app/vectors.h"
#include "tests/fuzz/in_memory.h"

#include <math.h>

static void check_vector(const weir_vector *v)
{
    const size_t parts = v->is_complex ? 2 : 1;
    fuzz_require(v->n > 0 && !(v->integers && v->beyond[0]));
    for (size_t i = 0; i < v->n * parts; i++) {
        fuzz_require(isfinite(v->values[i]));
        fuzz_require(!v->integers || (double)v->integers[i] == v->values[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"cf32", "f64be", "s24"};
    if (size == 0) {
        return 0;
    }
    const char *format = data[0] < 3 ? formats[data[0]] : NULL;
    fuzz_file file = fuzz_file_of(data + (format != NULL), size - (format != NULL));
    weir_vector vector;
    weir_error err = {0};
    if (weir_vector_read(&vector, file.path, format, &err) == WEIR_OK) {
        check_vector(&vector);
    } else {
        fuzz_require(err.text[0] != '\0' && !vector.values && !vector.integers);
    }
    weir_vector_free(&vector);
    fuzz_file_close(&file);
    return 0;
}
