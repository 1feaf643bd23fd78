/* White space as Python sees it. */

#ifndef GOSSAMER_SCANNER_WHITE_H
#define GOSSAMER_SCANNER_WHITE_H

#include "tagged/span.h"

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

#endif
