/* words.py: which characters are in words, and which join them? */

#ifndef GOSSAMER_REDUCER_CHARACTERS_H
#define GOSSAMER_REDUCER_CHARACTERS_H

#include <stdint.h>
#include <string.h>

#include "tagged/letters.h"

/* Scripts that put no space between words: every character is a word, and words of a query become phrases. */
static int alone(Py_UCS4 c)
{
    return (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF) ||
           (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

/* Vowel signs and accents that stand for themselves belong to their word. */
static int clings(Py_UCS4 c)
{
    return (c >= 0x0300 && c <= 0x036F) || (c >= 0x0900 && c <= 0x0DFF && c != 0x0964 && c != 0x0965);
}

/* Left out of a word: what is not seen, and points of Hebrew and Arabic. */
static int unseen(Py_UCS4 c)
{
    if (c < 0x0591)
        return c == 0xAD;
    if (c < 0x0700)
        return (c <= 0x05C7 && c != 0x05BE && c != 0x05C0 && c != 0x05C3 && c != 0x05C6) || c == 0x061C ||
               (c >= 0x064B && c <= 0x065F) || c == 0x0670 || (c >= 0x06D6 && c <= 0x06DC) ||
               (c >= 0x06DF && c <= 0x06E4) || c == 0x06E7 || c == 0x06E8 || (c >= 0x06EA && c <= 0x06ED);
    return (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

/* What stands between the words of a chain, as it is written in its name; 0 for anything else. */
static inline char connector(Py_UCS4 c)
{
    return c == '.' ? '.' : c == '-' || c == 0x2010 || c == 0x2011 ? '-' : 0;
}

/* Of ASCII that is in no word: may a word go on behind it? */
static inline int joins(Py_UCS4 c)
{
    return c == '.' || c == '-' || c == '+' || c == '#';
}

/* What may stand before the dot of a name that begins with one. */
static int opens(Py_UCS4 c)
{
    return c <= 0x20 || c == 0xA0 || (c < 128 && strchr("([{\"'`/*", (int)c) != NULL);
}

static const uint64_t PLAIN[2] = {0x03FF000000000000, 0x07FFFFFE87FFFFFE}; /* 0-9, A-Z, _ and a-z */

static inline int plain(Py_UCS4 c)
{
    return (int)(PLAIN[c >> 6] >> (c & 63) & 1);
}

static inline int in_word(Py_UCS4 c)
{
    return c < 128 ? plain(c) : !(c >= 0x0E00 && alone(c)) && (is_letter_or_digit(c) || clings(c));
}

static size_t as_utf8(Py_UCS4 c, char *to)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xC0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xE0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3F));
        to[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3F));
    to[2] = (char)(0x80 | (c >> 6 & 0x3F));
    to[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

#endif
