/* The compiled twin of features.py, marks.py and neural.py: the scores of all blocks of a page, and which are kept.
 *
 * What is summed over containers in Python for each block anew is computed here once for each container, since blocks
 * in a row share theirs, and products are taken for a few rows at a time. So a page takes a fraction of the time; the
 * result differs by rounding only.
 *
 * Input is an Outline, which our own scanner made: its numbers are in range. All sizes are known from the start.
 */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "scorer/choice.h"
#include "scorer/network.h"

static int run(const Outline *page, const Weights *weights, Elements *all, Blocks *blocks)
{
    Scoring s = {page, weights, all, blocks, weights->width, weights->vector};
    walk_down(page, weights, all);
    split(page, all, blocks);
    find_ranges(page, blocks, all);
    find_containers(all, blocks);
    sum_up(page, all, blocks);
    blocks->root[0] = 0;
    for (int i = 0; i < blocks->count; i++)
        blocks->root[i + 1] = blocks->root[i] + sqrtf(blocks->sums[(size_t)i * SUMS + WORDS] + 1);
    if (begin(&s) < 0)
        return -1;
    for (int round = 0; round < ROUNDS; round++)
        look_around(&s, round);
    return 0;
}

/* One piece of memory, dealt out. Every size is a multiple of 8. */
static void *deal(char **at, size_t count, size_t size)
{
    void *dealt = *at;
    *at += (count * size + 7) / 8 * 8;
    return dealt;
}

static void deal_all(const Outline *page, int width, int vector, Elements *all, Blocks *blocks, char *at)
{
    size_t n = page->elements, m = page->runs;
    int32_t **whole[] = {&all->tops, &all->opened, &all->depths, &all->ranks, &all->lows, &all->highs, &all->ups};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        *whole[i] = deal(&at, n, sizeof(int32_t));
    all->linked = deal(&at, n, 1);
    all->looks = deal(&at, n, sizeof(uint64_t));
    all->marks = deal(&at, 4 * n, sizeof(float));
    all->vectors = deal(&at, vector * n, sizeof(float));
    int32_t **each[] = {&blocks->numbers, &blocks->firsts, &blocks->tops, &blocks->order, &blocks->alike};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        *each[i] = deal(&at, m + 1, sizeof(int32_t));
    blocks->containers = deal(&at, LEVELS * m, sizeof(int32_t));
    blocks->sums = deal(&at, SUMS * m, sizeof(float));
    blocks->running = deal(&at, SUMS * (m + 1), sizeof(float));
    blocks->root = deal(&at, m + 1, sizeof(float));
    blocks->state = deal(&at, width * m, sizeof(float));
    blocks->next = deal(&at, width * m, sizeof(float));
    blocks->weighted = deal(&at, width * (m + 1), sizeof(float));
}

static size_t memory(const Outline *page, int width, int vector)
{
    size_t n = page->elements + 2, m = page->runs + 2;
    return n * (7 * 4 + 1 + 8 + 16 + 4 * (size_t)vector) + m * 4 * (5 + LEVELS + 2 * SUMS + 1 + 3 * (size_t)width) + 512;
}

static PyObject *answer(const Outline *page, const Weights *weights)
{
    int width = weights->width, vector = weights->vector;
    Elements all;
    Blocks blocks;
    PyObject *found = NULL;
    char *space = malloc(memory(page, width, vector));
    if (space == NULL)
        return PyErr_NoMemory();
    deal_all(page, width, vector, &all, &blocks, space);
    if (run(page, weights, &all, &blocks) < 0)
        PyErr_NoMemory();
    else {
        Py_ssize_t size = (Py_ssize_t)(blocks.count * sizeof(float));
        float page_state[2 * WIDEST];
        sum_states(weights, &blocks);
        pool_page(weights, &blocks, page_state);
        finish(weights, &blocks, blocks.root);
        for (int i = 0; i < blocks.count; i++) {
            blocks.running[i] = blocks.sums[(size_t)i * SUMS + WORDS];
            blocks.weighted[i] = sqrtf(blocks.running[i] + 1);
        }
        smooth(&blocks, blocks.weighted, blocks.root);
        found = Py_BuildValue("y#y#y#y#", (char *)blocks.numbers, (Py_ssize_t)(page->runs * sizeof(int32_t)),
                              (char *)blocks.root, size, (char *)blocks.running, size, (char *)page_state,
                              (Py_ssize_t)(2 * width * sizeof(float)));
    }
    free(space);
    return found;
}

enum { OUTLINE_PARTS = 11, WEIGHT_PARTS = 14 }; /* the weights for kinds stay in Python */

/* Buffers of a tuple, as many as are wanted. They are let go by the caller in any case. */
static int hold(PyObject *parts, int count, Py_buffer *buffers, int *held)
{
    if (!PyTuple_Check(parts) || PyTuple_Size(parts) != count) {
        PyErr_SetString(PyExc_TypeError, "a tuple of other size was expected");
        return -1;
    }
    for (int i = 0; i < count; i++) {
        if (PyObject_GetBuffer(PyTuple_GetItem(parts, i), buffers + i, PyBUF_SIMPLE) < 0)
            return -1;
        ++*held;
    }
    return 0;
}

static int items(const Py_buffer *buffer, int size)
{
    return (int)(buffer->len / size);
}

static Outline outline_of(const Py_buffer *parts)
{
    return (Outline){
        .tags = parts[0].buf, .parents = parts[1].buf, .ends = parts[2].buf, .text = parts[3].buf, .starts = parts[4].buf,
        .owners = parts[5].buf, .befores = parts[6].buf, .counts = parts[7].buf, .names = parts[8].buf,
        .named = parts[9].buf, .flags = parts[10].buf, .elements = items(parts, 1), .runs = items(parts + 5, 4),
        .name_count = items(parts + 8, 4),
    };
}

static Weights weights_of(const Py_buffer *parts, int width, int vector)
{
    int names = items(parts, 4);
    return (Weights){
        .names = parts[0].buf, .words = parts[1].buf, .name_vectors = parts[2].buf, .word_vectors = parts[3].buf,
        .dense = parts[4].buf, .bags = parts[5].buf, .bias = parts[6].buf, .rounds = parts[7].buf, .pages = parts[8].buf,
        .round_bias = parts[9].buf, .out = parts[10].buf, .out_bias = parts[11].buf,
        .name_beginnings = parts[12].buf, .word_beginnings = parts[13].buf,
        .tag_count = items(parts + 2, 4 * vector) - names,
        .width = width, .vector = vector,
    };
}

/* The shapes that this was compiled for. */
static bool fits(const Py_buffer *parts, const Weights *weights)
{
    Py_ssize_t width = weights->width, vector = weights->vector;
    return width > 0 && width <= WIDEST && width % LANE == 0 && vector > 0 && vector <= WIDEST &&
           parts[4].len == DENSE * width * 4 && parts[5].len == (WAYS + 2) * vector * width * 4 &&
           parts[7].len == ROUNDS * AROUND * width * width * 4 &&
           parts[12].len == ((1 << FIRST_BITS) + 1) * 4 && parts[13].len == parts[12].len;
}

static PyObject *scores(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *page, *learned, *found = NULL;
    int width, vector, held = 0, held_weights = 0;
    Py_buffer parts[OUTLINE_PARTS], weights[WEIGHT_PARTS];
    if (!PyArg_ParseTuple(arguments, "OOii:scores", &page, &learned, &width, &vector))
        return NULL;
    if (hold(page, OUTLINE_PARTS, parts, &held) == 0 && hold(learned, WEIGHT_PARTS, weights, &held_weights) == 0) {
        Outline outline = outline_of(parts);
        Weights model = weights_of(weights, width, vector);
        if (!fits(weights, &model))
            PyErr_SetString(PyExc_ValueError, "these weights are of another shape");
        else
            found = answer(&outline, &model);
    }
    while (held > 0)
        PyBuffer_Release(parts + --held);
    while (held_weights > 0)
        PyBuffer_Release(weights + --held_weights);
    return found;
}

static PyObject *likely(PyObject *module, PyObject *arguments)
{
    (void)module;
    Py_buffer scores, words;
    float calm;
    if (!PyArg_ParseTuple(arguments, "y*y*f:likely", &scores, &words, &calm))
        return NULL;
    PyObject *kept = NULL;
    float *chances = malloc((size_t)scores.len + 1);
    if (scores.len != words.len)
        PyErr_SetString(PyExc_ValueError, "there must be as many scores as words");
    else if (chances == NULL)
        PyErr_NoMemory();
    else if ((kept = PyBytes_FromStringAndSize(NULL, items(&scores, 4))) != NULL)
        choose(scores.buf, words.buf, items(&scores, 4), calm, chances, (uint8_t *)PyBytes_AsString(kept));
    free(chances);
    PyBuffer_Release(&scores);
    PyBuffer_Release(&words);
    return kept;
}

static PyObject *numbered(const Outline *page)
{
    PyObject *numbers = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(page->runs * sizeof(int32_t)));
    PyObject *headings = PyBytes_FromStringAndSize(NULL, page->runs);
    int32_t *space = malloc(((size_t)page->elements * 3 + 1) * sizeof(int32_t));
    PyObject *both = NULL;
    if (space == NULL)
        PyErr_NoMemory();
    else if (numbers != NULL && headings != NULL) {
        number_runs(page, space, (int32_t *)(void *)PyBytes_AsString(numbers), (uint8_t *)PyBytes_AsString(headings));
        both = PyTuple_Pack(2, numbers, headings);
    }
    free(space);
    Py_XDECREF(numbers);
    Py_XDECREF(headings);
    return both;
}

static PyObject *blocks(PyObject *module, PyObject *page)
{
    (void)module;
    PyObject *found = NULL;
    int held = 0;
    Py_buffer parts[OUTLINE_PARTS];
    if (hold(page, OUTLINE_PARTS, parts, &held) == 0) {
        Outline outline = outline_of(parts);
        found = numbered(&outline);
    }
    while (held > 0)
        PyBuffer_Release(parts + --held);
    return found;
}

static bool is_white(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* FNV-1a of a text without the white space around it. */
static uint64_t hash_of(const uint8_t *at, const uint8_t *end)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    while (at < end && is_white(*at))
        at++;
    while (at < end && is_white(end[-1]))
        end--;
    for (; at < end; at++)
        hash = (hash ^ *at) * UINT64_C(0x100000001B3);
    return hash;
}

static PyObject *hashes(PyObject *module, PyObject *arguments)
{
    (void)module;
    Py_buffer text, begins, ends;
    if (!PyArg_ParseTuple(arguments, "y*y*y*:hashes", &text, &begins, &ends))
        return NULL;
    Py_ssize_t count = begins.len / (Py_ssize_t)sizeof(int32_t);
    PyObject *found = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint64_t));
    uint64_t *out = found == NULL ? NULL : (uint64_t *)(void *)PyBytes_AsString(found);
    for (Py_ssize_t i = 0; out != NULL && i < count; i++)
        out[i] = hash_of((const uint8_t *)text.buf + ((const int32_t *)begins.buf)[i],
                         (const uint8_t *)text.buf + ((const int32_t *)ends.buf)[i]);
    PyBuffer_Release(&text);
    PyBuffer_Release(&begins);
    PyBuffer_Release(&ends);
    return found;
}

static PyMethodDef functions[] = {
    {"hashes", hashes, METH_VARARGS, "A hash of each of some parts of a text."},
    {"blocks", blocks, METH_O, "The block of each run, and whether it stands in a heading."},
    {"scores", scores, METH_VARARGS, "The block of each run, the score of each block, its words, and the average and maximum of the page."},
    {"likely", likely, METH_VARARGS, "Which blocks are kept, by their scores and words."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_score", "See network.py.", -1, functions, NULL, NULL, NULL, NULL,
};
PyMODINIT_FUNC PyInit__score(void)
{
    fill_logs();
    return PyModule_Create(&definition);
}
