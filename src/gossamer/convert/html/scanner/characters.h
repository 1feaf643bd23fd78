/* Bytes and spans of them. */

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

static bool is_no_break_space(const byte *at)
{
    return at[0] == 0xC2 && at[1] == 0xA0;
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
