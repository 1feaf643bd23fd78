/* The compiled twin of simhash_minhash_numpy.py: the simhash and the sketch of a text, in one pass over its characters.
 *
 * The text comes folded (see `folded` in shingles.py). Its words are written one after the other into a buffer, in
 * UTF-8, with a space between; each is hashed there. Tests hold this equal to that for every text, so the two change together.
 * Time and memory are linear in the length of the text.
 */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tagged/letters.h"

#define GOLDEN 0x9E3779B97F4A7C15u
#define BINS 256
#define BIN_SHIFT 56
#define HEAVIEST 8

typedef unsigned char byte;

typedef struct {
    byte *at;
    size_t size, room;
    size_t word; /* where the word that is being read begins */
    unsigned letters;
} text_buffer;

typedef struct {
    uint64_t hash;
    uint64_t weight; /* 0: none here */
} word;

typedef struct {
    word *at;
    size_t count, room;
} word_list;

static uint32_t crc_table[256];

static void fill_crc_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
        crc_table[i] = c;
    }
}

static uint32_t crc32_of(const byte *at, size_t size)
{
    uint32_t c = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++)
        c = crc_table[(c ^ at[i]) & 0xFF] ^ c >> 8;
    return ~c;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* Scripts without spaces between words: UNSPACED in words.py. */
static bool stands_alone(Py_UCS4 c)
{
    if (c < 0x0E00)
        return false;
    if (c < 0x3005)
        return c <= 0x0EFF || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF);
    return c <= 0x3007 || (c >= 0x3040 && c <= 0x30FF) || (c >= 0x31F0 && c <= 0x31FF) ||
           (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0xFF66 && c <= 0xFF9F) || (c >= 0x20000 && c <= 0x3FFFF);
}

static bool is_of_a_word(Py_UCS4 c)
{
    if (c < 0x80)
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
    return is_letter_or_digit(c);
}

/* Room for one more character and a space. */
static bool has_room(text_buffer *text)
{
    if (text->room - text->size >= 8)
        return true;
    size_t room = 2 * text->room + 1024;
    byte *at = PyMem_Realloc(text->at, room);
    if (at == NULL)
        return false;
    text->at = at;
    text->room = room;
    return true;
}

static void put_character(text_buffer *text, Py_UCS4 c)
{
    byte *at = text->at + text->size;
    if (c < 0x80) {
        *at++ = (byte)c;
    } else if (c < 0x800) {
        *at++ = (byte)(0xC0 | c >> 6);
        *at++ = (byte)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *at++ = (byte)(0xE0 | c >> 12);
        *at++ = (byte)(0x80 | (c >> 6 & 0x3F));
        *at++ = (byte)(0x80 | (c & 0x3F));
    } else {
        *at++ = (byte)(0xF0 | c >> 18);
        *at++ = (byte)(0x80 | (c >> 12 & 0x3F));
        *at++ = (byte)(0x80 | (c >> 6 & 0x3F));
        *at++ = (byte)(0x80 | (c & 0x3F));
    }
    text->size = (size_t)(at - text->at);
    text->letters++;
}

static bool end_word(text_buffer *text, word_list *words)
{
    if (text->size == text->word)
        return true;
    if (words->count == words->room) {
        size_t room = 2 * words->room + 256;
        word *at = PyMem_Realloc(words->at, room * sizeof *at);
        if (at == NULL)
            return false;
        words->at = at;
        words->room = room;
    }
    uint64_t hash = mixed(crc32_of(text->at + text->word, text->size - text->word) + GOLDEN);
    words->at[words->count++] = (word){hash, text->letters < HEAVIEST ? text->letters : HEAVIEST};
    text->at[text->size++] = ' ';
    text->word = text->size;
    text->letters = 0;
    return true;
}

static bool read_words(const Py_UCS4 *given, Py_ssize_t length, text_buffer *text, word_list *words)
{
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 c = given[i];
        bool alone = stands_alone(c), kept = is_of_a_word(c);
        if (!has_room(text) || ((alone || !kept) && !end_word(text, words)))
            return false;
        if (kept)
            put_character(text, c);
        if (kept && alone && !end_word(text, words))
            return false;
    }
    if (!has_room(text) || !end_word(text, words))
        return false;
    text->size -= text->size > 0; /* the last space */
    return true;
}

/* Puts a word into an open table whose size is a power of two; hashes are well mixed, so their low bits choose. */
static void put_once(word *table, size_t mask, word one)
{
    size_t place = (size_t)one.hash & mask;
    while (table[place].weight != 0 && table[place].hash != one.hash)
        place = (place + 1) & mask;
    if (table[place].weight == 0)
        table[place] = one;
}

static bool simhash_of(const word_list *words, uint64_t *result)
{
    size_t size = 16;
    while (size < 2 * words->count)
        size *= 2;
    word *table = PyMem_Calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < words->count; i++)
        put_once(table, size - 1, words->at[i]);
    uint64_t votes[64] = {0}, all = 0;
    for (size_t i = 0; i < size; i++) {
        uint64_t weight = table[i].weight, hash = table[i].hash;
        if (weight == 0)
            continue;
        all += weight;
        for (int bit = 0; bit < 64; bit++)
            votes[bit] += weight & (0 - (hash >> bit & 1));
    }
    PyMem_Free(table);
    *result = 0;
    for (int bit = 0; bit < 64; bit++)
        *result |= (uint64_t)(2 * votes[bit] > all) << bit;
    return true;
}

static void put_least(uint64_t *least, bool *filled, uint64_t hash)
{
    size_t bin = (size_t)(hash >> BIN_SHIFT);
    if (!filled[bin] || hash < least[bin])
        least[bin] = hash;
    filled[bin] = true;
}

static void sketch_of(const word_list *words, char *sketch)
{
    uint64_t least[BINS] = {0};
    bool filled[BINS] = {false};
    for (size_t i = 0; i + 1 < words->count; i++)
        put_least(least, filled, mixed(words->at[i].hash * GOLDEN + words->at[i + 1].hash));
    if (words->count == 1)
        put_least(least, filled, words->at[0].hash);
    for (size_t i = 0; i < BINS; i++)
        sketch[i] = (char)(byte)(filled[i] ? (least[i] & 0xFFFFFFFFu) % 255 + 1 : 0);
}

static PyObject *result_of(const text_buffer *text, const word_list *words)
{
    uint64_t simhash;
    char sketch[BINS];
    if (!simhash_of(words, &simhash))
        return PyErr_NoMemory();
    sketch_of(words, sketch);
    return Py_BuildValue("(Ky#y#n)", (unsigned long long)simhash, sketch, (Py_ssize_t)BINS,
                         text->size > 0 ? (const char *)text->at : "", (Py_ssize_t)text->size,
                         (Py_ssize_t)words->count);
}

static PyObject *measure(PyObject *Py_UNUSED(module), PyObject *given)
{
    if (!PyUnicode_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "a text is a str");
        return NULL;
    }
    Py_ssize_t length = PyUnicode_GetLength(given);
    Py_UCS4 *characters = PyUnicode_AsUCS4Copy(given);
    text_buffer text = {0};
    word_list words = {0};
    PyObject *result = NULL;
    if (characters != NULL && know_letters(characters, length))
        result = read_words(characters, length, &text, &words) ? result_of(&text, &words) : PyErr_NoMemory();
    PyMem_Free(characters);
    PyMem_Free(text.at);
    PyMem_Free(words.at);
    return result;
}

static PyMethodDef methods[] = {
    {"measure", measure, METH_O, "Simhash, sketch, words and their number, of a text that is folded."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_prints",
    .m_size = 0,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__prints(void)
{
    fill_crc_table();
    return PyModule_Create(&module);
}
