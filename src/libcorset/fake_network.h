/*
 * A network inside the process, for the servers of a fake world (fake_api.h). Bytes arrive at once
 * and in order, nothing is lost, and no socket is opened. A host that does not listen refuses.
 */
#pragma once

struct loop;
struct network;

/* Every listener and every connection must be gone before network_free(). */
struct network *fake_network_new(struct loop *loop);
