#include "cmd/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/quote.h"

#define WIDTH_DEFAULT  80
#define HEIGHT_DEFAULT 24
#define SIZE_MAX_SANE  10000

/* getenv() is safe here: the program never changes its environment. */
static const char *variable_of(const char *name)
{
    return getenv(name); /* NOLINT(concurrency-mt-unsafe) */
}

bool terminal_is_live(int fd)
{
    const char *kind = variable_of("TERM");
    return isatty(fd) && kind && *kind && strcmp(kind, "dumb") != 0;
}

/* An explicit --color wins over NO_COLOR and over a pipe. */
bool terminal_has_color(int fd, enum terminal_color wanted)
{
    const char *no_color = variable_of("NO_COLOR");
    if (wanted != TERMINAL_AUTO)
        return wanted == TERMINAL_ALWAYS;
    return terminal_is_live(fd) && (!no_color || !*no_color);
}

/* A size from the environment, unless it is missing or absurd. */
static size_t size_from(const char *variable, size_t otherwise)
{
    uint64_t number;
    const char *text = variable_of(variable);
    if (!text || !str_to_uint64(str_from_c(text), &number) || !number || number > SIZE_MAX_SANE)
        return otherwise;
    return (size_t)number;
}

void terminal_size(int fd, size_t *ret_width, size_t *ret_height)
{
    struct winsize size = {0};
    if (ioctl(fd, TIOCGWINSZ, &size) != 0)
        size = (struct winsize){0};
    *ret_width = size.ws_col ? size.ws_col : size_from("COLUMNS", WIDTH_DEFAULT);
    *ret_height = size.ws_row ? size.ws_row : size_from("LINES", HEIGHT_DEFAULT);
}

void terminal_add_shown(struct buf *out, struct str text)
{
    quote_add_shown(out, text);
}

/*
 * The columns of the first character; *ret_len is its length in bytes. Invalid bytes take one
 * column.
 */
static size_t char_width(struct str text, size_t *ret_len)
{
    const size_t len = str_char_len(text);
    *ret_len = len ? len : 1;
    if (!len || len == 1)
        return 1;
    const int width = wcwidth((wchar_t)str_char_code(str_slice(text, 0, len)));
    return width < 0 ? 1 : (size_t)width;
}

size_t terminal_width(struct str text)
{
    size_t width = 0, len;
    while (text.len) {
        width += char_width(text, &len);
        text = str_skip(text, len);
    }
    return width;
}

/* The "…" takes one column of the width. */
void terminal_add_cut(struct buf *out, struct str text, size_t width)
{
    size_t used = 0, len;
    if (terminal_width(text) <= width) {
        buf_add(out, text);
        return;
    }
    while (text.len && width) {
        const size_t columns = char_width(text, &len);
        if (used + columns > width - 1)
            break;
        buf_add(out, str_slice(text, 0, len));
        used += columns;
        text = str_skip(text, len);
    }
    if (width)
        buf_add(out, STR("…"));
}
