/* How many pairs of words of a text were not met lately? The same as `by_lines` in new_text.py, which says what is done
 * and why; here nothing is made for a line or a word. CRC-32 is that of zlib, eight bytes at a time.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char byte;

#define LINES_MOST 4096

static const uint32_t POLYNOMIAL = 0xEDB88320u, MIX = 0x9E3779B1u;
static uint32_t REST[8][256];

static void fill_rests(void)
{
    for (uint32_t value = 0; value < 256; value++) {
        uint32_t rest = value;
        for (int bit = 0; bit < 8; bit++)
            rest = rest & 1 ? rest >> 1 ^ POLYNOMIAL : rest >> 1;
        REST[0][value] = rest;
    }
    for (int more = 1; more < 8; more++)
        for (int value = 0; value < 256; value++)
            REST[more][value] = REST[more - 1][value] >> 8 ^ REST[0][REST[more - 1][value] & 255];
}

static uint32_t crc32_of(const byte *at, const byte *end)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (; end - at >= 8; at += 8) {
        crc ^= (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        crc = REST[7][crc & 255] ^ REST[6][crc >> 8 & 255] ^ REST[5][crc >> 16 & 255] ^ REST[4][crc >> 24] ^
              REST[3][at[4]] ^ REST[2][at[5]] ^ REST[1][at[6]] ^ REST[0][at[7]];
    }
    for (; at < end; at++)
        crc = crc >> 8 ^ REST[0][(crc ^ *at) & 255];
    return ~crc;
}

/* As bytes.strip and bytes.split have it. */
static inline bool is_space(byte c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

typedef struct {
    const byte *at, *end;
    uint32_t crc;
} line;

/* The lines of a page that were met, each once: a table with open places, at most a quarter of them in use. */
typedef struct {
    line *places;
    uint32_t mask;
} lines_met;

static bool meets(lines_met *met, line new)
{
    uint32_t place = new.crc & met->mask;
    for (; met->places[place].at != NULL; place = (place + 1) & met->mask) {
        line old = met->places[place];
        if (old.crc == new.crc && old.end - old.at == new.end - new.at && memcmp(old.at, new.at, new.end - new.at) == 0)
            return false;
    }
    met->places[place] = new;
    return true;
}

/* What a kind has shown lately. */
typedef struct {
    byte *table;
    uint32_t size;
} memory;

static inline bool is_new(memory kind, uint32_t mark)
{
    byte *place = kind.table + mark % kind.size, print = mark >> 24 ? (byte)(mark >> 24) : 1;
    if (*place == print)
        return false;
    *place = print;
    return true;
}

typedef struct {
    int lines, pairs, enough, stretch;
} limits;

typedef struct {
    int new, looked_at, made;
} sums;

/* The pairs of words of a line that is new, until enough of a stretch of them are. */
static void look_at_pairs(line each, memory kind, limits most, sums *found)
{
    uint32_t before = 0;
    const byte *at = each.at;
    while (at < each.end) {
        int words = 0;
        for (; at < each.end && words < most.stretch; words++) {
            const byte *word = at;
            while (at < each.end && !is_space(*at))
                at++;
            uint32_t mark = crc32_of(word, at);
            found->new += is_new(kind, before * MIX + mark);
            before = mark;
            while (at < each.end && is_space(*at))
                at++;
        }
        found->looked_at += words;
        if (found->new >= most.enough)
            return;
    }
}

static sums look_at_lines(const byte *at, const byte *end, memory kind, limits most, lines_met *met)
{
    sums found = {0, 0, 0};
    int lines = 0;
    while (at < end && lines < most.lines) {
        const byte *stop = memchr(at, '\n', end - at);
        line each = {at, stop == NULL ? end : stop, 0};
        at = stop == NULL ? end : stop + 1;
        while (each.at < each.end && is_space(*each.at))
            each.at++;
        while (each.at < each.end && is_space(each.end[-1]))
            each.end--;
        if (each.at == each.end)
            continue;
        each.crc = crc32_of(each.at, each.end);
        if (!meets(met, each))
            continue;
        lines++;
        if (!is_new(kind, each.crc))
            continue;
        found.made++;
        look_at_pairs(each, kind, most, &found);
        if (found.new >= most.enough || found.looked_at >= most.pairs)
            break;
    }
    found.made += found.new;
    return found;
}

static bool make_places(lines_met *met, int lines)
{
    uint32_t places = 64;
    while (places < 4 * (uint32_t)lines)
        places *= 2;
    met->mask = places - 1;
    met->places = PyMem_Calloc(places, sizeof(line));
    return met->places != NULL;
}

PyDoc_STRVAR(met_doc, "met(data, table, lines, pairs, enough, stretch) -> tuple\n\n"
                      "How many pairs of words of the text were not met, and how many marks were made in the table.");

static PyObject *met_of(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer data, table;
    limits most;
    if (!PyArg_ParseTuple(args, "y*w*iiii:met", &data, &table, &most.lines, &most.pairs, &most.enough, &most.stretch))
        return NULL;
    PyObject *answer = NULL;
    lines_met met = {NULL, 0};
    if (table.len < 1 || table.len > INT32_MAX || most.lines < 0 || most.lines > LINES_MOST || most.stretch < 1)
        PyErr_SetString(PyExc_ValueError, "the table has no place, or the limits are none");
    else if (!make_places(&met, most.lines))
        PyErr_NoMemory();
    else {
        memory kind = {table.buf, (uint32_t)table.len};
        const byte *start = data.buf;
        sums found = look_at_lines(start, start + data.len, kind, most, &met);
        answer = Py_BuildValue("ii", found.new, found.made);
    }
    PyMem_Free(met.places);
    PyBuffer_Release(&data);
    PyBuffer_Release(&table);
    return answer;
}

static PyMethodDef functions[] = {{"met", met_of, METH_VARARGS, met_doc}, {NULL, NULL, 0, NULL}};

static int begin(PyObject *module)
{
    (void)module;
    fill_rests();
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, begin}, {0, NULL}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_newness", "The compiled part of gossamer.frontier.worth.new_text.", 0, functions, slots, NULL, NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__newness(void)
{
    return PyModuleDef_Init(&definition);
}
