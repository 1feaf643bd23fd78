/* What is counted of a run of text: a row of outline.py's counts. */

#ifndef GOSSAMER_SCANNER_COUNTING_H
#define GOSSAMER_SCANNER_COUNTING_H

#include "outline.h"

enum { WORDS, CHARACTERS, COMMAS, SENTENCES, DIGITS, CAPITALS };

/* Each in 12 bits of a number, so that a byte is counted by one addition. White space counts nothing. */
enum { BITS = 12, BYTES_MOST = (1 << BITS) - 1 };
#define ONE(column) ((uint64_t)1 << BITS * ((column) - 1))
#define CHARACTER ONE(CHARACTERS)

static uint64_t ascii_counts[128]; /* filled once */

static void fill_ascii_counts(void)
{
    for (int c = 0; c < 128; c++) {
        bool is_white = (c >= '\t' && c <= '\r') || c == ' ';
        ascii_counts[c] = is_white ? 0 : CHARACTER;
        if (c != 0 && strchr(",;:", c) != NULL)
            ascii_counts[c] += ONE(COMMAS);
        else if (c != 0 && strchr(".!?", c) != NULL)
            ascii_counts[c] += ONE(SENTENCES);
        else if (is_digit((byte)c))
            ascii_counts[c] += ONE(DIGITS);
        else if (is_capital((byte)c))
            ascii_counts[c] += ONE(CAPITALS);
    }
}

static uint32_t code_point(const byte *at, int *size)
{
    byte lead = at[0];
    if (lead < 0xE0) {
        *size = 2;
        return (lead & 0x1Fu) << 6 | (at[1] & 0x3Fu);
    }
    if (lead < 0xF0) {
        *size = 3;
        return (lead & 0xFu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
    }
    *size = 4;
    return (lead & 7u) << 18 | (at[1] & 0x3Fu) << 12 | (at[2] & 0x3Fu) << 6 | (at[3] & 0x3Fu);
}

static bool is_between(uint32_t code, uint32_t first, uint32_t last)
{
    return code >= first && code <= last;
}

/* Ideographs and kana, each of which is a word. */
static bool is_wide(uint32_t code)
{
    return code >= 0x2E80 &&
           (is_between(code, 0x2E80, 0x2FFF) || is_between(code, 0x3005, 0x3007) || is_between(code, 0x3021, 0x318F) ||
            is_between(code, 0x31A0, 0x9FFF) || is_between(code, 0xF900, 0xFAFF) || is_between(code, 0xFF66, 0xFF9F) ||
            is_between(code, 0x20000, 0x3FFFF));
}

static uint64_t other_counts(uint32_t code)
{
    switch (code) {
    case 0x060C:
    case 0x061B:
    case 0x3001:
    case 0xFF0C:
    case 0xFF1A:
    case 0xFF1B:
        return CHARACTER + ONE(COMMAS);
    case 0x061F:
    case 0x0964:
    case 0x2026:
    case 0x3002:
    case 0xFF01:
    case 0xFF1F:
        return CHARACTER + ONE(SENTENCES);
    default:
        return CHARACTER;
    }
}

static void count_part(const byte *at, const byte *end, bool *in_word, int32_t *row)
{
    uint64_t sum = 0;
    int32_t words = 0;
    bool within = *in_word;
    while (at < end) {
        uint64_t counts;
        bool begins, goes_on;
        int size = 1;
        if (*at < 0x80) {
            counts = ascii_counts[*at];
            goes_on = counts != 0;
            begins = goes_on && !within;
        } else {
            uint32_t code = code_point(at, &size);
            bool wide = is_wide(code);
            counts = white(at, end) > 0 ? 0 : other_counts(code);
            goes_on = counts != 0 && !wide;
            begins = counts != 0 && (wide || !within);
        }
        sum += counts;
        words += begins;
        within = goes_on;
        at += size;
    }
    *in_word = within;
    row[WORDS] += words;
    for (int column = CHARACTERS; column < COUNTED; column++)
        row[column] += (int32_t)(sum >> BITS * (column - 1) & BYTES_MOST);
}

/* The text is valid UTF-8. */
static void count_run(const byte *at, const byte *end, int32_t *row)
{
    bool in_word = false;
    memset(row, 0, COUNTED * sizeof *row);
    while (at < end) {
        const byte *stop = end - at > BYTES_MOST ? at + BYTES_MOST : end;
        while (stop < end && (*stop & 0xC0) == 0x80)
            stop--;
        count_part(at, stop, &in_word, row);
        at = stop;
    }
}

#endif
