/* How io.c reaches libuv's loop. */
#pragma once

struct loop;
struct uv_loop_s;

struct uv_loop_s *io_uv_loop(struct loop *loop);
