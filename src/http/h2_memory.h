/*
 * Allocator for nghttp2's sessions of client connections; saves memory on idle connections.
 *
 * A session holds a buffer for the largest frame, 16 KiB, of which requests without a body use a
 * few hundred bytes. On the heap the whole buffer becomes resident sooner or later. Here the
 * buffers lie in mappings, whose pages become resident only when they are written. All other
 * allocations of nghttp2 go to the heap. A mapping belongs to a thread and holds 64 buffers, since
 * the number of mappings of a process is limited.
 */
#pragma once

#include <nghttp2/nghttp2.h>
#include <stddef.h>

/* State of one session; starts zeroed. */
struct h2_memory {
    struct h2_frames *frames; /* the mapping that holds the frame buffer, or NULL */
    char *frame;
};

/* The allocator to pass to nghttp2. memory must outlive the session. */
nghttp2_mem h2_memory_functions(struct h2_memory *memory);

/* The number of buffers in use on this thread; for tests. */
size_t h2_memory_frame_count(void);
