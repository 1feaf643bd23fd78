/* Text that is written: it grows here and nowhere else. */

#ifndef GOSSAMER_TAGGED_BUFFER_H
#define GOSSAMER_TAGGED_BUFFER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tagged/span.h"

typedef struct {
    byte *at;
    size_t size, room;
    bool failed; /* there was no memory for all of it */
} buffer;

static bool make_room(buffer *b, size_t more)
{
    if (more <= b->room - b->size)
        return true;
    size_t room = 2 * (b->size + more) + 256;
    byte *at = more > SIZE_MAX / 4 || b->size > SIZE_MAX / 4 ? NULL : realloc(b->at, room);
    if (at == NULL) {
        b->failed = true;
        return false;
    }
    b->at = at;
    b->room = room;
    return true;
}

static inline void put(buffer *b, const void *at, size_t size)
{
    if (size > 0 && make_room(b, size)) {
        memcpy(b->at + b->size, at, size);
        b->size += size;
    }
}

static inline void put_byte(buffer *b, byte value)
{
    if (b->size < b->room || make_room(b, 1))
        b->at[b->size++] = value;
}

#endif
