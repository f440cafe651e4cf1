/* The loops of a search, compiled: bytes scanned, exact cosines, vectors taken apart and put together, words weighed, the best of many.
 *
 * `uncompiled.py` has the same functions in numpy and is used where this file was not compiled; tests hold both to the same bits. What
 * is summed in any order are whole numbers that the sums hold exactly, and what is not exact is computed step by step as numpy does it.
 *
 * Arrays come by the buffer protocol and answers are written into arrays of the caller's, so that Python's stable interface is all that
 * is needed. A wrong type, a wrong length, a place outside an array or an answer that would be written over what is read is an error, and
 * nothing outside an array is ever read or written, whatever the numbers in it: they may be those of a damaged file.
 */
#include <pyconfig.h> /* which says whether this Python does without its lock: such a one has no stable interface */
#ifndef Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__)
#if __GNUC__ >= 12
#define FOR_EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else /* which knows no levels of processors */
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#endif
#else
#define FOR_EACH_PROCESSOR
#endif
#if defined(_MSC_VER)
#define restrict __restrict
#endif

#define MOST_ARRAYS 12
#define FULL (127.4f * 65536.0f) /* What a byte and a rest hold once they are rounded. */
#define DIVIDED 65536.0f
#define STEP_PRODUCT (1.0f / (512.0f * 2048.0f)) /* A shortest step of a row's times one of the cue's. */
#define FINE_PRODUCT (1.0 / (512.0 * 67108864.0)) /* A shortest step of a row's times a fine one of the cue's. */
#define FINE_STEP (1.0 / (512.0 * 65536.0))
#define DOUBLED_MOST 8.0f
#define AT_LEAST 1.05
#define MOST_LONGER 4 /* No step is longer than the shortest by more, so that sums of their squares hold. */
#define LONGEST_BYTE 128
#define LONGEST_REST 32768
#define GRID 32768.0f /* The steps of one in which the background is summed up. */
#define BEYOND 2.0f /* No cosine is so large; a damaged row's counts as this, so that sums of squares hold. */
#define BLOCK 32 /* So many values have their best told by one. */
#define NOBODY (-1)
#define LOST (-2)
#define AHEAD 4 /* So many rows ahead memory is asked for. */
#define LONG_SCAN (1 << 24) /* From so many bytes on other threads may run meanwhile. */

/* Arrays as arguments ------------------------------------------------------------------------------------------------------------- */

typedef struct {
    Py_buffer views[MOST_ARRAYS];
    int count;
} Arrays;

static void let_go(Arrays *arrays)
{
    while (arrays->count > 0)
        PyBuffer_Release(&arrays->views[--arrays->count]);
}

/* The answer of what has none. Of None a reference is taken here: headers from 3.12 on do without where Python.h gives it, for there None
 * lives for ever, and a 3.11 that loads what was compiled with them would be out of references to it, and end.
 */
static PyObject *done(Arrays *arrays)
{
    let_go(arrays);
    Py_INCREF(Py_None);
    return Py_None;
}

static int is_of(const Py_buffer *view, char kind)
{
    const char *format = view->format == NULL ? "B" : view->format;
    static const struct { char kind; Py_ssize_t size; const char *formats; } kinds[] = {
        {'b', 1, "b"}, {'?', 1, "?"},  {'h', 2, "h"}, {'H', 2, "H"}, {'i', 4, "il"},
        {'q', 8, "lq"}, {'Q', 8, "LQ"}, {'f', 4, "f"}, {'d', 8, "d"},
    };
    if (*format == '<' || *format == '=' || *format == '@')
        format++;
    for (size_t at = 0; at < sizeof kinds / sizeof *kinds; at++)
        if (kinds[at].kind == kind)
            return view->itemsize == kinds[at].size && strlen(format) == 1 && strchr(kinds[at].formats, format[0]) != NULL;
    return 0;
}

static int overlap(const Py_buffer *one, const Py_buffer *other)
{
    uintptr_t first = (uintptr_t)one->buf, second = (uintptr_t)other->buf;
    return one->len && other->len && first < second + (uintptr_t)other->len && second < first + (uintptr_t)one->len;
}

/* Opens the arguments by two letters each: r to read, w to write, o to read or None; then the kind of number. */
static int opened(Arrays *arrays, const char *name, const char *wanted, PyObject *const *given, Py_ssize_t count)
{
    arrays->count = 0;
    if (count * 2 != (Py_ssize_t)strlen(wanted)) {
        PyErr_Format(PyExc_TypeError, "%s takes %zd arrays, and was given %zd", name, (Py_ssize_t)strlen(wanted) / 2, count);
        return 0;
    }
    for (Py_ssize_t at = 0; at < count; at++) {
        Py_buffer *view = &arrays->views[at];
        if (wanted[2 * at] == 'o' && given[at] == Py_None) {
            memset(view, 0, sizeof *view);
            arrays->count++;
            continue;
        }
        int how = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (wanted[2 * at] == 'w' ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(given[at], view, how) != 0) {
            let_go(arrays);
            return 0;
        }
        arrays->count++;
        if (!is_of(view, wanted[2 * at + 1])) {
            PyErr_Format(PyExc_TypeError, "%s: array %zd is not of kind %c", name, at + 1, wanted[2 * at + 1]);
            let_go(arrays);
            return 0;
        }
    }
    /* What is written over an argument would change it after it was checked. */
    for (Py_ssize_t at = 0; at < count; at++)
        for (Py_ssize_t other = 0; other < count && wanted[2 * at] == 'w'; other++)
            if (other != at && overlap(&arrays->views[at], &arrays->views[other])) {
                PyErr_Format(PyExc_ValueError, "%s: array %zd is written over array %zd", name, at + 1, other + 1);
                let_go(arrays);
                return 0;
            }
    return 1;
}

#define ARRAY(type, at) ((type *)arrays.views[at].buf)
#define LENGTH(at) (arrays.views[at].buf == NULL ? 0 : arrays.views[at].len / arrays.views[at].itemsize)

/* Whether so many numbers are so many rows of a width; the product of two lengths may be too large to be worked out. */
static int is_table(Py_ssize_t length, Py_ssize_t rows, Py_ssize_t width)
{
    return rows && width ? length % width == 0 && length / width == rows : length == 0;
}

static PyObject *refused(Arrays *arrays, const char *name, const char *why)
{
    let_go(arrays);
    return PyErr_Format(PyExc_ValueError, "%s: %s", name, why);
}

/* Vectors ------------------------------------------------------------------------------------------------------------------------- */

static int are_steps(const int16_t *longer, Py_ssize_t width)
{
    int sound = 1;
    for (Py_ssize_t at = 0; at < width; at++)
        sound &= longer[at] >= 1 && longer[at] <= MOST_LONGER;
    return sound;
}

/* The bits of the largest component without its sign; what is no number has more bits than any that is. */
FOR_EACH_PROCESSOR
static int32_t largest(const float *restrict vector, const float *restrict scale, Py_ssize_t width)
{
    int32_t most = 0;
    for (Py_ssize_t at = 0; at < width; at++) {
        union { float value; int32_t bits; } part = {vector[at] * scale[at]};
        int32_t bits = part.bits & 0x7FFFFFFF;
        most = bits > most ? bits : most;
    }
    return most;
}

/* A vector in whole steps as a byte and a rest of two each; the answer is the square of what the bytes alone lose. */
FOR_EACH_PROCESSOR
static int64_t split(const float *restrict vector, const float *restrict scale, float fewer, const int16_t *restrict longer,
                     Py_ssize_t width, int8_t *restrict high, int16_t *restrict low)
{
    int64_t lost = 0;
    for (Py_ssize_t at = 0; at < width; at++) {
        int32_t whole = (int32_t)rintf(vector[at] * scale[at] * fewer);
        int32_t rest = (int32_t)(int16_t)whole;
        int32_t steps = rest * (int32_t)longer[at];
        high[at] = (int8_t)((whole - rest) >> 16);
        low[at] = (int16_t)rest;
        lost += (int64_t)steps * (int64_t)steps;
    }
    return lost;
}

static PyObject *take_apart(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (!opened(&arrays, "take_apart", "rfrfrhwbwhwfwf", given, count))
        return NULL;
    const float *vectors = ARRAY(const float, 0), *scale = ARRAY(const float, 1);
    const int16_t *longer = ARRAY(const int16_t, 2);
    int8_t *high = ARRAY(int8_t, 3);
    int16_t *low = ARRAY(int16_t, 4);
    float *doubled = ARRAY(float, 5), *off = ARRAY(float, 6);
    Py_ssize_t width = LENGTH(1), rows = LENGTH(5);
    if (LENGTH(2) != width || LENGTH(6) != rows || !is_table(LENGTH(0), rows, width) || !is_table(LENGTH(3), rows, width) ||
        !is_table(LENGTH(4), rows, width))
        return refused(&arrays, "take_apart", "arrays of different lengths");
    if (!are_steps(longer, width))
        return refused(&arrays, "take_apart", "steps that are too long");
    for (Py_ssize_t row = 0; row < rows; row++, vectors += width, high += width, low += width) {
        union { int32_t bits; float value; } longest = {largest(vectors, scale, width)};
        float times = longest.value / FULL;
        if (!(times < DOUBLED_MOST)) {
            memset(high, 0, (size_t)width);
            memset(low, 0, (size_t)width * sizeof *low);
            doubled[row] = NAN;
            off[row] = 0.0f;
            continue;
        }
        int exponent;
        frexpf(times, &exponent);
        doubled[row] = ldexpf(1.0f, exponent > 0 ? exponent : 0);
        int64_t lost = split(vectors, scale, 1.0f / doubled[row], longer, width, high, low);
        off[row] = (float)(AT_LEAST * sqrt((double)lost) * FINE_STEP * (double)doubled[row]);
    }
    return done(&arrays);
}

/* Whether a sum of 32 bits holds the product of a cue with any row, however long a damaged one is. */
static int fits_in_32_bits(const int16_t *steps, Py_ssize_t width)
{
    int64_t most = 0;
    for (Py_ssize_t at = 0; at < width; at++)
        most += steps[at] < 0 ? -(int64_t)steps[at] : steps[at];
    return most <= INT32_MAX / LONGEST_BYTE;
}

FOR_EACH_PROCESSOR
static void scan_rows(const int8_t *restrict high, Py_ssize_t rows, Py_ssize_t width, const int16_t *restrict steps,
                      const float *restrict doubled, float unit, float *restrict near, int first)
{
    for (Py_ssize_t row = 0; row < rows; row++, high += width) {
        int32_t sum = 0;
        for (Py_ssize_t at = 0; at < width; at++)
            sum += (int32_t)high[at] * (int32_t)steps[at];
        float found = (float)sum * (doubled[row] * unit);
        near[row] = first || found > near[row] ? found : near[row];
    }
}

static PyObject *scan(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (!opened(&arrays, "scan", "rbrhrfwf", given, count))
        return NULL;
    Py_ssize_t rows = LENGTH(2), width = rows ? LENGTH(0) / rows : LENGTH(1);
    Py_ssize_t cues = width ? LENGTH(1) / width : 0;
    if (LENGTH(0) != rows * width || LENGTH(3) != rows || !cues || LENGTH(1) != cues * width)
        return refused(&arrays, "scan", "arrays of different lengths");
    for (Py_ssize_t cue = 0; cue < cues; cue++)
        if (!fits_in_32_bits(ARRAY(const int16_t, 1) + cue * width, width))
            return refused(&arrays, "scan", "a cue that is too long");
    PyThreadState *others = rows * width >= LONG_SCAN ? PyEval_SaveThread() : NULL;
    for (Py_ssize_t cue = 0; cue < cues; cue++)
        scan_rows(ARRAY(const int8_t, 0), rows, width, ARRAY(const int16_t, 1) + cue * width, ARRAY(const float, 2), STEP_PRODUCT,
                  ARRAY(float, 3), cue == 0);
    if (others != NULL)
        PyEval_RestoreThread(others);
    return done(&arrays);
}

FOR_EACH_PROCESSOR
static int are_places(const int32_t *places, Py_ssize_t count, Py_ssize_t all)
{
    int sound = 1;
    for (Py_ssize_t at = 0; at < count; at++)
        sound &= places[at] >= 0 && places[at] < all;
    return sound;
}

/* Raises for each number what is found at its place to it, where it is more; what is no number is not. */
static PyObject *most(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (!opened(&arrays, "most", "rfriwf", given, count))
        return NULL;
    const float *numbers = ARRAY(const float, 0);
    const int32_t *places = ARRAY(const int32_t, 1);
    float *found = ARRAY(float, 2);
    Py_ssize_t all = LENGTH(0), held = LENGTH(2);
    if (LENGTH(1) != all)
        return refused(&arrays, "most", "arrays of different lengths");
    if (!are_places(places, all, held))
        return refused(&arrays, "most", "a place that there is not");
    for (Py_ssize_t at = 0; at < all;) {
        /* Numbers of one place mostly follow each other. */
        int32_t place = places[at];
        float best = found[place];
        for (; at < all && places[at] == place; at++)
            best = numbers[at] > best ? numbers[at] : best;
        found[place] = best;
    }
    return done(&arrays);
}

FOR_EACH_PROCESSOR
static double product(const int8_t *restrict high, const int16_t *restrict low, const int32_t *restrict fine, Py_ssize_t width)
{
    int64_t upper = 0, lower = 0;
    for (Py_ssize_t at = 0; at < width; at++) {
        upper += (int64_t)(int32_t)high[at] * (int64_t)fine[at];
        lower += (int64_t)(int32_t)low[at] * (int64_t)fine[at];
    }
    return (double)upper * FINE_PRODUCT + (double)lower * FINE_PRODUCT / DIVIDED;
}

/* Whether a sum of 64 bits holds the product of a cue with the rests of any row. */
static int fits_in_64_bits(const int32_t *fine, Py_ssize_t width)
{
    int64_t most = 0;
    for (Py_ssize_t at = 0; at < width; at++)
        most += fine[at] < 0 ? -(int64_t)fine[at] : fine[at];
    return most <= INT64_MAX / LONGEST_REST;
}

static int is_finite(float number)
{
    return number - number == 0.0f;
}

/* Has the memory of a row fetched, so that it is there when its turn comes. */
static void fetch(const int8_t *high, const int16_t *low, Py_ssize_t width)
{
#if defined(__GNUC__)
    for (Py_ssize_t at = 0; at < width; at += 64)
        __builtin_prefetch(high + at);
    for (Py_ssize_t at = 0; at < width; at += 32)
        __builtin_prefetch(low + at);
#endif
}

/* The exact cosines of rows, nan for nobody and for what cannot be compared; each is worked out once and told from then on. */
static PyObject *tell(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (!opened(&arrays, "tell", "rbrhrfririrfrqwdw?wd", given, count))
        return NULL;
    const int8_t *high = ARRAY(const int8_t, 0);
    const int16_t *low = ARRAY(const int16_t, 1);
    const float *doubled = ARRAY(const float, 2), *near = ARRAY(const float, 5);
    const int32_t *fine = ARRAY(const int32_t, 3), *slots = ARRAY(const int32_t, 4);
    const int64_t *rows = ARRAY(const int64_t, 6);
    double *exact = ARRAY(double, 7), *found = ARRAY(double, 9);
    char *told = ARRAY(char, 8);
    Py_ssize_t held = LENGTH(2), width = held ? LENGTH(0) / held : LENGTH(3), cues = width ? LENGTH(3) / width : 0;
    Py_ssize_t all = LENGTH(4), wanted = LENGTH(6);
    if (!is_table(LENGTH(0), held, width) || !is_table(LENGTH(1), held, width) || !cues || LENGTH(3) != cues * width ||
        LENGTH(5) != all || LENGTH(7) != all || LENGTH(8) != all || LENGTH(9) != wanted)
        return refused(&arrays, "tell", "arrays of different lengths");
    for (Py_ssize_t cue = 0; cue < cues; cue++)
        if (!fits_in_64_bits(fine + cue * width, width))
            return refused(&arrays, "tell", "a cue that is too long");
    for (Py_ssize_t at = 0; at < wanted; at++) {
        if (rows[at] < NOBODY || rows[at] >= all)
            return refused(&arrays, "tell", "a row that there is not");
        /* A row that cannot be compared may have its slot among other vectors. */
        if (rows[at] >= 0 && is_finite(near[rows[at]]) && (slots[rows[at]] < 0 || slots[rows[at]] >= held))
            return refused(&arrays, "tell", "a slot that there is not");
    }
    for (Py_ssize_t at = 0; at < wanted; at++) {
        int64_t row = rows[at], later = at + AHEAD < wanted ? rows[at + AHEAD] : NOBODY;
        if (later >= 0 && !told[later] && is_finite(near[later]))
            fetch(high + slots[later] * width, low + slots[later] * width, width);
        if (row < 0 || !is_finite(near[row])) {
            found[at] = NAN;
            continue;
        }
        if (!told[row]) {
            Py_ssize_t start = (Py_ssize_t)slots[row] * width;
            for (Py_ssize_t cue = 0; cue < cues; cue++) {
                double one = product(high + start, low + start, fine + cue * width, width) * (double)doubled[slots[row]];
                one = one > 1.0 ? 1.0 : one < -1.0 ? -1.0 : one;
                exact[row] = cue && exact[row] >= one ? exact[row] : one;
            }
            told[row] = 1;
        }
        found[at] = exact[row];
    }
    return done(&arrays);
}

FOR_EACH_PROCESSOR
static void put_row(const int8_t *restrict high, const int16_t *restrict low, const float *restrict step, float doubled,
                    Py_ssize_t width, float *restrict vector)
{
    for (Py_ssize_t at = 0; at < width; at++)
        vector[at] = ((float)high[at] * DIVIDED + (float)low[at]) * step[at] * doubled;
}

static PyObject *put_together(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (!opened(&arrays, "put_together", "rbrhrfrfriwf", given, count))
        return NULL;
    const int32_t *slots = ARRAY(const int32_t, 4);
    Py_ssize_t width = LENGTH(2), all = LENGTH(3), wanted = LENGTH(4);
    if (!is_table(LENGTH(0), all, width) || !is_table(LENGTH(1), all, width) || !is_table(LENGTH(5), wanted, width))
        return refused(&arrays, "put_together", "arrays of different lengths");
    for (Py_ssize_t at = 0; at < wanted; at++)
        if (slots[at] < 0 || slots[at] >= all)
            return refused(&arrays, "put_together", "a slot that there is not");
    for (Py_ssize_t at = 0; at < wanted; at++)
        put_row(ARRAY(const int8_t, 0) + slots[at] * width, ARRAY(const int16_t, 1) + slots[at] * width, ARRAY(const float, 2),
                ARRAY(const float, 3)[slots[at]], width, ARRAY(float, 5) + at * width);
    return done(&arrays);
}

/* How many numbers are finite, and the sums of them and of their squares in whole steps, which are exact in any order. */
FOR_EACH_PROCESSOR
static void sum_up(const float *restrict near, Py_ssize_t rows, int64_t *restrict sums)
{
    int64_t told = 0, total = 0, squares = 0;
    for (Py_ssize_t row = 0; row < rows; row++) {
        int32_t finite = is_finite(near[row]);
        float bounded = near[row] > BEYOND ? BEYOND : near[row] < -BEYOND ? -BEYOND : near[row];
        int32_t steps = (int32_t)rintf(finite ? bounded * GRID : 0.0f);
        told += finite;
        total += steps;
        squares += (int64_t)steps * (int64_t)steps;
    }
    sums[0] = told;
    sums[1] = total;
    sums[2] = squares;
}

static PyObject *background(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    int64_t sums[3];
    if (!opened(&arrays, "background", "rf", given, count))
        return NULL;
    sum_up(ARRAY(const float, 0), LENGTH(0), sums);
    let_go(&arrays);
    return Py_BuildValue("(LLL)", (long long)sums[0], (long long)sums[1], (long long)sums[2]);
}

/* The cue ------------------------------------------------------------------------------------------------------------------------- */

FOR_EACH_PROCESSOR
static double steps_of(const float *restrict vector, const int16_t *restrict longer, Py_ssize_t width, int16_t *restrict steps,
                       int32_t *restrict fine)
{
    int64_t lost = 0;
    for (Py_ssize_t at = 0; at < width; at++) {
        double exact = (double)vector[at];
        int32_t coarse = (int32_t)rint(exact * 2048.0), rest = (int32_t)rint(exact * 67108864.0);
        int32_t off = rest - coarse * 32768;
        steps[at] = (int16_t)(coarse * longer[at]);
        fine[at] = rest * longer[at];
        lost += (int64_t)off * (int64_t)off;
    }
    return sqrt((double)lost) / 67108864.0;
}

/* The answer is how far the coarse steps are from the vector, which has no component beyond 1. */
static PyObject *in_steps(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (!opened(&arrays, "in_steps", "rfrhwhwi", given, count))
        return NULL;
    const float *vector = ARRAY(const float, 0);
    Py_ssize_t width = LENGTH(0);
    if (LENGTH(1) != width || LENGTH(2) != width || LENGTH(3) != width)
        return refused(&arrays, "in_steps", "arrays of different lengths");
    if (!are_steps(ARRAY(const int16_t, 1), width))
        return refused(&arrays, "in_steps", "steps that are too long");
    for (Py_ssize_t at = 0; at < width; at++)
        if (!(fabsf(vector[at]) <= 1.5f))
            return refused(&arrays, "in_steps", "a component of no vector of length 1");
    double off = steps_of(vector, ARRAY(const int16_t, 1), width, ARRAY(int16_t, 2), ARRAY(int32_t, 3));
    let_go(&arrays);
    return PyFloat_FromDouble(off);
}

/* The best of many ---------------------------------------------------------------------------------------------------------------- */

/* The highest of the values that were offered, the least of them first. */
typedef struct {
    double *values;
    Py_ssize_t held, room;
} Heap;

static void offer(Heap *heap, double value)
{
    double *values = heap->values;
    Py_ssize_t at = 0;
    if (heap->held < heap->room) {
        for (at = heap->held++; at > 0 && values[(at - 1) / 2] > value; at = (at - 1) / 2)
            values[at] = values[(at - 1) / 2];
    } else if (value > values[0]) {
        for (Py_ssize_t below = 1; below < heap->room; below = 2 * at + 1) {
            below += below + 1 < heap->room && values[below + 1] < values[below];
            if (!(values[below] < value))
                break;
            values[at] = values[below];
            at = below;
        }
    } else
        return;
    values[at] = value;
}

/* Which values can be among the best, and how many those are: all that reach, at their highest, what the best reach at their lowest, but
 * for a margin. The lowest of the best is told by the best of each block where there are more blocks than are wanted: it may be somewhat
 * too low then, and is never too high. `best` has room for as many as are wanted, and `blocks` for two numbers a block.
 */
#define CAN_BE_BEST(name, type, at_lowest, at_highest)                                                                             \
    static Py_ssize_t name(const type *values, const type *off, Py_ssize_t count, Heap best, type *blocks, double margin,           \
                           int64_t *places)                                                                                         \
    {                                                                                                                               \
        Py_ssize_t many = (count + BLOCK - 1) / BLOCK, found = 0;                                                                   \
        type *lowest = blocks, *highest = blocks + many;                                                                            \
        (void)off;                                                                                                                  \
        for (Py_ssize_t block = 0; block < many; block++) {                                                                         \
            Py_ssize_t at = block * BLOCK, end = at + BLOCK < count ? at + BLOCK : count;                                           \
            type low = at_lowest, high = at_highest;                                                                                \
            for (at++; at < end; at++) {                                                                                            \
                low = at_lowest > low ? at_lowest : low;                                                                            \
                high = at_highest > high ? at_highest : high;                                                                       \
            }                                                                                                                       \
            lowest[block] = low;                                                                                                    \
            highest[block] = high;                                                                                                  \
        }                                                                                                                           \
        for (Py_ssize_t at = 0; at < (many > best.room ? many : count); at++)                                                       \
            offer(&best, (double)(many > best.room ? lowest[at] : at_lowest));                                                      \
        double least = best.values[0] - margin;                                                                                     \
        for (Py_ssize_t block = 0; block < many; block++) {                                                                         \
            if (!((double)highest[block] >= least))                                                                                 \
                continue;                                                                                                           \
            for (Py_ssize_t at = block * BLOCK; at < count && at < (block + 1) * BLOCK; at++)                                       \
                if ((double)(at_highest) >= least)                                                                                  \
                    places[found++] = at;                                                                                           \
        }                                                                                                                           \
        return found;                                                                                                               \
    }

CAN_BE_BEST(floats_within, float, values[at] - off[at], values[at] + off[at])
CAN_BE_BEST(doubles_within, double, values[at], values[at])

/* Takes arrays, how many of the best are wanted and the margin; the first array has the values and the last has room for their places. */
static PyObject *best_within(const char *name, const char *wanted, PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    Py_ssize_t many = (Py_ssize_t)strlen(wanted) / 2;
    if (count != many + 2)
        return PyErr_Format(PyExc_TypeError, "%s takes %zd arrays, how many are wanted, and a margin", name, many);
    Py_ssize_t pool = PyLong_AsSsize_t(given[many]);
    double margin = pool == -1 && PyErr_Occurred() ? 0.0 : PyFloat_AsDouble(given[many + 1]);
    if (PyErr_Occurred() || !opened(&arrays, name, wanted, given, many))
        return NULL;
    Py_ssize_t values = LENGTH(0), last = many - 1, found;
    if (pool < 1 || pool > values || LENGTH(1) != values || LENGTH(last) != values)
        return refused(&arrays, name, "more wanted than there are, or none, or arrays of different lengths");
    Heap best = {PyMem_Malloc((size_t)(pool + 2 * (values / BLOCK + 1)) * sizeof(double)), 0, pool};
    if (best.values == NULL) {
        let_go(&arrays);
        return PyErr_NoMemory();
    }
    void *blocks = best.values + pool;
    if (last == 2)
        found = floats_within(ARRAY(const float, 0), ARRAY(const float, 1), values, best, blocks, margin, ARRAY(int64_t, 2));
    else
        found = doubles_within(ARRAY(const double, 0), NULL, values, best, blocks, margin, ARRAY(int64_t, 1));
    PyMem_Free(best.values);
    let_go(&arrays);
    return PyLong_FromSsize_t(found);
}

static PyObject *nearest(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    return best_within("nearest", "rfrfwq", given, count);
}

static PyObject *highest(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    return best_within("highest", "rdwq", given, count);
}

/* Values with their rows, the highest first, ties by row. */
typedef struct {
    double value;
    int64_t row;
} Ranked;

/* What is no number comes last, as in numpy: sorting needs to know of any two which comes first. */
static int comes_first(const void *one, const void *other)
{
    const Ranked *a = one, *b = other;
    if (a->value > b->value || a->value < b->value)
        return a->value > b->value ? -1 : 1;
    if (!isnan(a->value) != !isnan(b->value))
        return isnan(b->value) ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static PyObject *rank(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (!opened(&arrays, "rank", "rdrqwq", given, count))
        return NULL;
    Py_ssize_t values = LENGTH(0), wanted = LENGTH(2);
    if (LENGTH(1) != values || wanted > values)
        return refused(&arrays, "rank", "arrays of different lengths, or more wanted than there are");
    Ranked *ranked = PyMem_Malloc((size_t)(values + 1) * sizeof *ranked);
    if (ranked == NULL) {
        let_go(&arrays);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t at = 0; at < values; at++)
        ranked[at] = (Ranked){ARRAY(const double, 0)[at], ARRAY(const int64_t, 1)[at]};
    qsort(ranked, (size_t)values, sizeof *ranked, comes_first);
    for (Py_ssize_t at = 0; at < wanted; at++)
        ARRAY(int64_t, 2)[at] = ranked[at].row;
    PyMem_Free(ranked);
    return done(&arrays);
}

/* Neighbours ---------------------------------------------------------------------------------------------------------------------- */

/* The next row in a chain that is visible, NOBODY, or LOST where the chain leads out of the rows or to no end. */
static int64_t next_of(const int32_t *links, const char *visible, Py_ssize_t all, int64_t row)
{
    for (Py_ssize_t left = all; left > 0; left--) {
        row = links[row];
        if (row == NOBODY)
            return NOBODY;
        if (row < 0 || row >= all)
            return LOST;
        if (visible == NULL || visible[row])
            return row;
    }
    return LOST;
}

/* Rows, then who stands before each, then who stands after each. */
static PyObject *beside(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (!opened(&arrays, "beside", "rqririo?wq", given, count))
        return NULL;
    const int64_t *rows = ARRAY(const int64_t, 0);
    const char *visible = ARRAY(const char, 3);
    int64_t *everywhere = ARRAY(int64_t, 4);
    Py_ssize_t wanted = LENGTH(0), all = LENGTH(1);
    if (LENGTH(2) != all || LENGTH(4) != 3 * wanted || (visible != NULL && LENGTH(3) != all))
        return refused(&arrays, "beside", "arrays of different lengths");
    for (Py_ssize_t at = 0; at < wanted; at++) {
        if (rows[at] < 0 || rows[at] >= all)
            return refused(&arrays, "beside", "a row that there is not");
        everywhere[at] = rows[at];
        everywhere[wanted + at] = next_of(ARRAY(const int32_t, 1), visible, all, rows[at]);
        everywhere[2 * wanted + at] = next_of(ARRAY(const int32_t, 2), visible, all, rows[at]);
        if (everywhere[wanted + at] == LOST || everywhere[2 * wanted + at] == LOST)
            return refused(&arrays, "beside", "a row that there is not");
    }
    return done(&arrays);
}

static int is_less(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return a < b ? -1 : a > b;
}

static int lowest_bit(uint64_t bits)
{
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int at = 0;
    for (; !(bits & 1); bits >>= 1)
        at++;
    return at;
#endif
}

/* Puts rows in order in place, each once and nobody left out; the answer is how many those are. */
static PyObject *merge(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "merge takes an array, and how many rows there are");
    Py_ssize_t all = PyLong_AsSsize_t(given[1]), held = 0;
    if (PyErr_Occurred() || !opened(&arrays, "merge", "wq", given, 1))
        return NULL;
    if (all < 0)
        return refused(&arrays, "merge", "fewer rows than none");
    int64_t *rows = ARRAY(int64_t, 0);
    Py_ssize_t words = all / 64 + 1;
    for (Py_ssize_t at = 0; at < LENGTH(0); at++)
        if (rows[at] < NOBODY || rows[at] >= all)
            return refused(&arrays, "merge", "a row that there is not");
    uint64_t *there = PyMem_Calloc((size_t)words, sizeof *there);
    if (there == NULL) {
        let_go(&arrays);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t at = 0; at < LENGTH(0); at++)
        if (rows[at] != NOBODY)
            there[rows[at] / 64] |= (uint64_t)1 << (rows[at] % 64);
    for (Py_ssize_t word = 0; word < words; word++)
        for (uint64_t bits = there[word]; bits; bits &= bits - 1)
            rows[held++] = word * 64 + lowest_bit(bits);
    PyMem_Free(there);
    let_go(&arrays);
    return PyLong_FromSsize_t(held);
}

/* The findings' columns ----------------------------------------------------------------------------------------------------------- */

/* The place of each of a pool's rows among rows in order, as a rank from 1. */
static PyObject *number(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (!opened(&arrays, "number", "rqrqwd", given, count))
        return NULL;
    const int64_t *rows = ARRAY(const int64_t, 0), *pool = ARRAY(const int64_t, 1);
    Py_ssize_t all = LENGTH(0), pooled = LENGTH(1);
    if (LENGTH(2) != all)
        return refused(&arrays, "number", "arrays of different lengths");
    for (Py_ssize_t at = 0; at < pooled; at++) {
        const int64_t *row = bsearch(&pool[at], rows, (size_t)all, sizeof *rows, is_less);
        if (row == NULL)
            return refused(&arrays, "number", "a row that is not among them");
        ARRAY(double, 2)[row - rows] = (double)(at + 1);
    }
    return done(&arrays);
}

/* A score or a share to nine decimals, as numpy rounds. */
static double rounded(double value)
{
    return rint(value * 1e9) / 1e9;
}

/* Writes scores and shares of rows and of their neighbours, then what of the names each row has, whether it lies in the window, and its
 * length. Behind the scores of the rows stands that of nobody.
 */
static PyObject *lay_out(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (!opened(&arrays, "lay_out", "rqodododo?rqrdwd", given, count))
        return NULL;
    const int64_t *everywhere = ARRAY(const int64_t, 0), *lengths = ARRAY(const int64_t, 5);
    const double *scores = ARRAY(const double, 1), *covered = ARRAY(const double, 2), *names = ARRAY(const double, 3);
    const double *totals = ARRAY(const double, 6);
    const char *window = ARRAY(const char, 4);
    double *columns = ARRAY(double, 7);
    Py_ssize_t all = LENGTH(5), places = LENGTH(0), rows = places / 3;
    if (places != 3 * rows || LENGTH(6) != 2 || LENGTH(7) != 9 * rows || (scores == NULL) != (covered == NULL) ||
        (scores != NULL && (LENGTH(1) != all + 1 || LENGTH(2) != all + 1)) || (names != NULL && LENGTH(3) != all) ||
        (window != NULL && LENGTH(4) != all))
        return refused(&arrays, "lay_out", "arrays of different lengths");
    for (Py_ssize_t at = 0; at < places; at++)
        if (everywhere[at] >= all || everywhere[at] < (at < rows ? 0 : NOBODY))
            return refused(&arrays, "lay_out", "a row that there is not");
    for (Py_ssize_t at = 0; at < places; at++) {
        int64_t row = everywhere[at] == NOBODY ? all : everywhere[at];
        columns[at] = scores == NULL ? 0.0 : rounded(scores[row]);
        columns[places + at] = covered == NULL ? 0.0 : totals[0] > 0 ? rounded(covered[row] / totals[0]) : covered[row];
    }
    columns += 2 * places;
    for (Py_ssize_t at = 0; at < rows; at++) {
        int64_t row = everywhere[at];
        columns[at] = names == NULL ? 0.0 : totals[1] > 0 ? rounded(names[row] / totals[1]) : names[row];
        columns[rows + at] = window != NULL && window[row] ? 1.0 : 0.0;
        columns[2 * rows + at] = (double)lengths[row];
    }
    return done(&arrays);
}

/* Words --------------------------------------------------------------------------------------------------------------------------- */

/* Where the entries of each key lie in a segment, and how many more visible rows have it. */
static PyObject *find(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (!opened(&arrays, "find", "rQrqrio?rQwqwqwq", given, count))
        return NULL;
    const uint64_t *hashes = ARRAY(const uint64_t, 0), *keys = ARRAY(const uint64_t, 4);
    const int64_t *starts = ARRAY(const int64_t, 1);
    const int32_t *rows = ARRAY(const int32_t, 2);
    const char *visible = ARRAY(const char, 3);
    int64_t *begins = ARRAY(int64_t, 5), *ends = ARRAY(int64_t, 6), *documents = ARRAY(int64_t, 7);
    Py_ssize_t known = LENGTH(0), entries = LENGTH(2), all = LENGTH(3), wanted = LENGTH(4);
    if (LENGTH(1) != known + 1 || LENGTH(5) != wanted || LENGTH(6) != wanted || LENGTH(7) != wanted)
        return refused(&arrays, "find", "arrays of different lengths");
    for (Py_ssize_t key = 0; key < wanted; key++) {
        Py_ssize_t low = 0, high = known;
        while (low < high) {
            Py_ssize_t middle = low + (high - low) / 2;
            if (hashes[middle] < keys[key])
                low = middle + 1;
            else
                high = middle;
        }
        int there = low < known && hashes[low] == keys[key];
        begins[key] = there ? starts[low] : 0;
        ends[key] = there ? starts[low + 1] : 0;
        if (begins[key] < 0 || ends[key] < begins[key] || ends[key] > entries)
            return refused(&arrays, "find", "entries that there are not");
        if (visible == NULL)
            documents[key] += ends[key] - begins[key];
        else
            for (int64_t entry = begins[key]; entry < ends[key]; entry++) {
                if (rows[entry] < 0 || rows[entry] >= all)
                    return refused(&arrays, "find", "a row that there is not");
                documents[key] += visible[rows[entry]] != 0;
            }
    }
    return done(&arrays);
}

/* Adds what each key is worth in each row that has it, in the order of the keys, and notes the rows that had none before. */
static PyObject *weigh(PyObject *Py_UNUSED(module), PyObject *const *given, Py_ssize_t count)
{
    Arrays arrays;
    if (!opened(&arrays, "weigh", "rirHrqrqo?rqrdrdwdwdwq", given, count))
        return NULL;
    const int32_t *rows = ARRAY(const int32_t, 0);
    const uint16_t *counts = ARRAY(const uint16_t, 1);
    const int64_t *begins = ARRAY(const int64_t, 2), *ends = ARRAY(const int64_t, 3), *lengths = ARRAY(const int64_t, 5);
    const char *visible = ARRAY(const char, 4);
    const double *weights = ARRAY(const double, 6), *parameters = ARRAY(const double, 7);
    double *scores = ARRAY(double, 8), *covered = ARRAY(double, 9);
    int64_t *found = ARRAY(int64_t, 10);
    Py_ssize_t entries = LENGTH(0), all = LENGTH(5), wanted = LENGTH(6), room = LENGTH(10), held = 0;
    if (LENGTH(1) != entries || LENGTH(2) != wanted || LENGTH(3) != wanted || LENGTH(7) != 4 || LENGTH(8) != all || LENGTH(9) != all ||
        (visible != NULL && LENGTH(4) != all))
        return refused(&arrays, "weigh", "arrays of different lengths");
    const double shorter = parameters[0], b = parameters[1], k1 = parameters[2], delta = parameters[3];
    for (Py_ssize_t key = 0; key < wanted; key++) {
        if (begins[key] < 0 || ends[key] < begins[key] || ends[key] > entries)
            return refused(&arrays, "weigh", "entries that there are not");
        for (int64_t entry = begins[key]; entry < ends[key] && weights[key] > 0.0; entry++) {
            int32_t row = rows[entry];
            if (row < 0 || row >= all)
                return refused(&arrays, "weigh", "a row that there is not");
            if (visible != NULL && !visible[row])
                continue;
            if (covered[row] == 0.0) {
                if (held == room)
                    return refused(&arrays, "weigh", "more rows than there is room for");
                found[held++] = row;
            }
            double damped = (double)lengths[row] * shorter;
            damped *= b;
            damped += 1 - b;
            damped *= k1;
            damped += (double)counts[entry];
            double score = (double)counts[entry] * (k1 + 1);
            score /= damped;
            score += delta;
            score *= weights[key];
            scores[row] += score;
            covered[row] += weights[key];
        }
    }
    let_go(&arrays);
    return PyLong_FromSsize_t(held);
}

/* The module ---------------------------------------------------------------------------------------------------------------------- */

#define LOOP(name) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL}

static PyMethodDef loops[] = {
    LOOP(take_apart), LOOP(put_together), LOOP(in_steps), LOOP(scan), LOOP(most), LOOP(tell), LOOP(background), LOOP(nearest),
    LOOP(highest), LOOP(rank), LOOP(beside), LOOP(merge), LOOP(number), LOOP(lay_out), LOOP(find), LOOP(weigh), {NULL, NULL, 0, NULL},
};

/* Whoever has the source beside this module can tell whether it was compiled from it. */
#ifndef SOURCE_SUM
#define SOURCE_SUM 0
#endif

static int set_up(PyObject *module)
{
    PyObject *sum = PyLong_FromUnsignedLong(SOURCE_SUM);
    int failed = PyModule_AddObjectRef(module, "SOURCE_SUM", sum);
    Py_XDECREF(sum);
    return failed;
}

static PyModuleDef_Slot parts[] = {
    {Py_mod_exec, (void *)set_up},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kernels", "The loops of a search, compiled.", 0, loops, parts, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__kernels(void)
{
    return PyModuleDef_Init(&definition);
}
