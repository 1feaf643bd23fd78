/* Character references: &amp; and the like. */

#ifndef GOSSAMER_SCANNER_REFERENCES_H
#define GOSSAMER_SCANNER_REFERENCES_H

#include "findings.h"

enum { ENTITY_SLOTS = 4096, ENTITY_NAME_MOST = 32, ENTITY_VALUE_MOST = 8, BARE_NAME_MOST = 6 };

typedef struct {
    byte name[ENTITY_NAME_MOST], value[ENTITY_VALUE_MOST];
    byte name_size, value_size;
} entity;

static entity entities[ENTITY_SLOTS]; /* filled once, from Python's table */

static size_t slot_of(const byte *name, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ name[i]) * 16777619u;
    return (hash ^ hash >> 15) % ENTITY_SLOTS;
}

static entity *entity_slot(const byte *name, size_t size)
{
    size_t slot = slot_of(name, size);
    while (entities[slot].name_size > 0 &&
           (entities[slot].name_size != size || memcmp(entities[slot].name, name, size) != 0))
        slot = (slot + 1) % ENTITY_SLOTS;
    return &entities[slot];
}

static const unsigned short WINDOWS_1252[32] = {
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
    0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
};

static void put_character(scanner *s, buffer *out, uint32_t code)
{
    byte bytes[4];
    size_t size;
    if (code < 0x80) {
        bytes[0] = (byte)code;
        size = 1;
    } else if (code < 0x800) {
        bytes[0] = (byte)(0xC0 | code >> 6);
        bytes[1] = (byte)(0x80 | (code & 0x3F));
        size = 2;
    } else if (code < 0x10000) {
        bytes[0] = (byte)(0xE0 | code >> 12);
        bytes[1] = (byte)(0x80 | (code >> 6 & 0x3F));
        bytes[2] = (byte)(0x80 | (code & 0x3F));
        size = 3;
    } else {
        bytes[0] = (byte)(0xF0 | code >> 18);
        bytes[1] = (byte)(0x80 | (code >> 12 & 0x3F));
        bytes[2] = (byte)(0x80 | (code >> 6 & 0x3F));
        bytes[3] = (byte)(0x80 | (code & 0x3F));
        size = 4;
    }
    put(s, out, bytes, size);
}

static int digit_value(byte c, bool hexadecimal)
{
    if (is_digit(c))
        return c - '0';
    c = lower(c);
    return hexadecimal && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A reference by number. Gives how many bytes it took, or 0 if it is none. */
static size_t put_numbered(scanner *s, buffer *out, const byte *from, const byte *end)
{
    const byte *at = from + 2;
    bool hexadecimal = at < end && lower(*at) == 'x';
    at += hexadecimal;
    const byte *digits = at;
    uint32_t code = 0;
    for (int digit; at < end && (digit = digit_value(*at, hexadecimal)) >= 0; at++)
        code = code > 0x10FFFF ? code : code * (hexadecimal ? 16 : 10) + (uint32_t)digit;
    if (at == digits)
        return 0;
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        code = 0xFFFD;
    else if (code == 2)
        odd(s); /* a mark in text.py */
    else if (code >= 0x80 && code < 0xA0)
        code = WINDOWS_1252[code - 0x80];
    put_character(s, out, code);
    return (size_t)(at - from) + (at < end && *at == ';');
}

static size_t put_named(scanner *s, buffer *out, const byte *from, const byte *end, bool in_attribute)
{
    const byte *name = from + 1, *at = name;
    while (at < end && (is_letter(*at) || is_digit(*at)) && at - name < ENTITY_NAME_MOST)
        at++;
    size_t size = (size_t)(at - name);
    if (at < end && *at == ';' && size > 0 && size < ENTITY_NAME_MOST) {
        entity *found = entity_slot(name, size + 1);
        if (found->name_size > 0) {
            put(s, out, found->value, found->value_size);
            return size + 2;
        }
    }
    for (size = size < BARE_NAME_MOST ? size : BARE_NAME_MOST; size >= 2; size--) {
        entity *found = entity_slot(name, size);
        if (found->name_size == 0)
            continue;
        byte next = name + size < end ? name[size] : 0;
        if (in_attribute && (next == '=' || is_letter(next) || is_digit(next)))
            return 0;
        put(s, out, found->value, found->value_size);
        return size + 1;
    }
    return 0;
}

/* A text with its references resolved, in a buffer if there are any. */
static span decoded_into(scanner *s, buffer *out, span text, bool in_attribute)
{
    const byte *at = text.at, *end = text.at + text.size;
    const byte *mark = text.size > 0 ? memchr(at, '&', text.size) : NULL;
    if (mark == NULL)
        return text;
    out->size = 0;
    for (; mark != NULL && s->verdict == FINE; mark = at < end ? memchr(at, '&', (size_t)(end - at)) : NULL) {
        put(s, out, at, (size_t)(mark - at));
        bool is_numbered = mark + 1 < end && mark[1] == '#';
        size_t taken = is_numbered ? put_numbered(s, out, mark, end) : put_named(s, out, mark, end, in_attribute);
        if (taken == 0) {
            put_byte(s, out, '&');
            taken = 1;
        }
        at = mark + taken;
    }
    put(s, out, at, (size_t)(end - at));
    return s->verdict == FINE ? (span){out->at, out->size} : (span){text.at, 0};
}

/* It is good until the next call. */
static span decoded(scanner *s, span text, bool in_attribute)
{
    return decoded_into(s, &s->decoded, text, in_attribute);
}

static span value(scanner *s, const token *tag, enum attribute name)
{
    span raw = tag->attributes[name];
    return raw.at == NULL ? (span){(const byte *)"", 0} : decoded(s, raw, true);
}

#endif
