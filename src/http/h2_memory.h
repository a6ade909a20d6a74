/*
 * Where nghttp2 keeps what it keeps for a client's connection.
 *
 * A session holds a buffer for the largest frame there is, 16 KiB, of which requests without a body
 * use the first few hundred bytes. On the heap all of it becomes real memory sooner or later; here
 * such buffers lie side by side in mappings whose pages only come into being when they are written
 * to. Everything else is on the heap. Mappings belong to the thread and hold 64 buffers, since
 * their number is limited.
 */
#pragma once

#include <nghttp2/nghttp2.h>
#include <stddef.h>

/* Of one session, zero at first. */
struct h2_memory {
    struct h2_frames *frames; /* the mapping that its frame buffer is in; NULL: none */
    char *frame;
};

/* How nghttp2 gets it; memory outlives the session. */
nghttp2_mem h2_memory_functions(struct h2_memory *memory);

/* Of this thread: buffers in use. */
size_t h2_memory_frame_count(void);
