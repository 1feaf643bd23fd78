/* Bytes, spans of them, and white space as Python sees it. */

#ifndef GOSSAMER_SCANNER_CHARACTERS_H
#define GOSSAMER_SCANNER_CHARACTERS_H

#include "types.h"

/* Of HTML. Carriage returns are gone by now, but for those that were written as references. */
static const bool SPACE[256] = {['\t'] = true, ['\n'] = true, ['\f'] = true, ['\r'] = true, [' '] = true};
static const bool NAME_END[256] = {
    ['\t'] = true, ['\n'] = true, ['\f'] = true, [' '] = true, ['/'] = true, ['>'] = true,
};

static bool is_space(byte c)
{
    return SPACE[c];
}

static bool ends_name(byte c)
{
    return NAME_END[c];
}

static byte lower(byte c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static bool is_letter(byte c)
{
    return lower(c) >= 'a' && lower(c) <= 'z';
}

static bool is_digit(byte c)
{
    return c >= '0' && c <= '9';
}

static bool is_ascii(span text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.at[i] >= 0x80)
            return false;
    return true;
}

static bool same_ignoring_case(span a, span b)
{
    if (a.size != b.size)
        return false;
    for (size_t i = 0; i < a.size; i++)
        if (a.at[i] != b.at[i] && lower(a.at[i]) != lower(b.at[i]))
            return false;
    return true;
}

static bool is_word(span text, const char *word)
{
    return same_ignoring_case(text, (span){(const byte *)word, strlen(word)});
}

static bool begins_with(const byte *at, const byte *end, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(end - at) >= size && is_word((span){at, size}, word);
}

/* Bytes with which a character begins that Python's str.isspace() may hold for white space. */
static const bool MAYBE_WHITE[256] = {
    ['\t'] = true, ['\n'] = true, [0x0B] = true, ['\f'] = true, ['\r'] = true, [0x1C] = true, [0x1D] = true,
    [0x1E] = true, [0x1F] = true, [' '] = true,  [0xC2] = true, [0xE1] = true, [0xE2] = true, [0xE3] = true,
};

/* How many bytes of white space, in Python's sense, a text begins with: those of one character, or 0. */
static size_t white(const byte *at, const byte *end)
{
    if (at == end || !MAYBE_WHITE[*at])
        return 0;
    if (*at < 0x80)
        return 1;
    if (*at == 0xC2)
        return end - at >= 2 && (at[1] == 0x85 || at[1] == 0xA0) ? 2 : 0;
    if (end - at < 3)
        return 0;
    unsigned code = (at[0] & 0xFu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
    bool is_white = code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
                    code == 0x202F || code == 0x205F || code == 0x3000;
    return is_white ? 3 : 0;
}

static bool is_no_break_space(const byte *at)
{
    return at[0] == 0xC2 && at[1] == 0xA0;
}

static size_t white_at_end(span text)
{
    for (size_t width = 1; width <= 3 && width <= text.size; width++) {
        const byte *last = text.at + text.size - width;
        if ((*last & 0xC0) != 0x80)
            return white(last, text.at + text.size) == width ? width : 0;
    }
    return 0;
}

static span stripped_at_end(span text)
{
    for (size_t width; (width = white_at_end(text)) > 0;)
        text.size -= width;
    return text;
}

static span stripped(span text)
{
    for (size_t width; (width = white(text.at, text.at + text.size)) > 0;) {
        text.at += width;
        text.size -= width;
    }
    return stripped_at_end(text);
}

/* The first `most` characters. */
static span beginning(span text, size_t most)
{
    if (text.size <= most)
        return text;
    size_t size = 0;
    for (size_t count = 0; size < text.size; size++)
        if ((text.at[size] & 0xC0) != 0x80 && count++ == most)
            break;
    return (span){text.at, size};
}

/* What the URL standard cuts off at both ends of an address. */
static span without_blanks(span text)
{
    while (text.size > 0 && text.at[0] <= 0x20)
        text.at++, text.size--;
    while (text.size > 0 && text.at[text.size - 1] <= 0x20)
        text.size--;
    return text;
}

#endif
