/* Bytes, and a stretch of them that belongs to somebody else. */

#ifndef GOSSAMER_TAGGED_SPAN_H
#define GOSSAMER_TAGGED_SPAN_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned char byte;

typedef struct {
    const byte *at;
    size_t size;
} span;

#endif
