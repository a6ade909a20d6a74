/*
 * Text made safe to show, in the spelling of Go's %q and in that of JSON.
 *
 * Both spellings work on one character at a time: first_character() decodes it,
 * quote_is_printable() looks it up in a table of ranges, and quote_next_go() or quote_next_json()
 * writes it. Writers with a fixed buffer (log_line.c) stop between two characters.
 */
#include "base/quote.h"

/* Ranges of characters that are not shown as they are; ascending, both ends included. */
static const struct {
    uint32_t first, last;
} unprintable[] = {
    {0x0000,  0x001f  }, /* controls */
    {0x007f,  0x00a0  }, /* more controls, no-break space */
    {0x00ad,  0x00ad  }, /* soft hyphen */
    {0x0600,  0x0605  }, /* Arabic number signs, and other format characters below */
    {0x061c,  0x061c  },
    {0x06dd,  0x06dd  },
    {0x070f,  0x070f  },
    {0x0890,  0x0891  },
    {0x08e2,  0x08e2  },
    {0x1680,  0x1680  }, /* ogham space */
    {0x180e,  0x180e  },
    {0x2000,  0x200f  }, /* spaces, joiners, direction marks */
    {0x2028,  0x202f  }, /* line and paragraph separator, direction overrides */
    {0x205f,  0x206f  },
    {0x3000,  0x3000  }, /* ideographic space */
    {0xd800,  0xf8ff  }, /* surrogates, private use */
    {0xfdd0,  0xfdef  }, /* noncharacters */
    {0xfeff,  0xfeff  }, /* byte order mark */
    {0xfff0,  0xfffb  },
    {0xfffe,  0xffff  },
    {0x110bd, 0x110bd },
    {0x110cd, 0x110cd },
    {0x13430, 0x1343f }, /* hieroglyph controls */
    {0x1bca0, 0x1bca3 },
    {0x1d173, 0x1d17a },
    {0x1fffe, 0x1ffff },
    {0x2fffe, 0x2ffff },
    {0x3fffe, 0xe00ff }, /* planes without characters, tags */
    {0xe01f0, 0x10ffff}, /* private planes; the variation selectors before them are kept */
};

/* Binary search for the first range that does not end before the character. */
bool quote_is_printable(uint32_t code)
{
    size_t low = 0, high = COUNT(unprintable);
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (code > unprintable[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < COUNT(unprintable) && code < unprintable[low].first;
}

/*
 * A character at the front of a text. A byte that belongs to no character has length 1 and is not
 * valid.
 */
struct character {
    uint32_t code;
    size_t len;
    bool valid;
};

static struct character first_character(struct str text)
{
    const size_t len = str_char_len(text);
    if (!len)
        return (struct character){(unsigned char)text.ptr[0], 1, false};
    return (struct character){str_char_code(str_slice(text, 0, len)), len, true};
}

/* The letter behind the backslash for characters that both spellings abbreviate, or 0. */
static char common_letter(uint32_t code)
{
    switch (code) {
    case '"':
    case '\\':
        return (char)code;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

static char go_letter(uint32_t code)
{
    if (code == '\a')
        return 'a';
    return code == '\v' ? 'v' : common_letter(code);
}

static size_t put_letter(char letter, char piece[static QUOTE_PIECE_MAX])
{
    piece[0] = '\\';
    piece[1] = letter;
    return 2;
}

/* A backslash, a letter and this many hexadecimal digits; returns the length. */
static size_t put_hex(char letter, int digits, uint32_t value, char *piece)
{
    static const char hex[] = "0123456789abcdef";
    piece[0] = '\\';
    piece[1] = letter;
    for (int i = digits; i > 0; i--, value >>= 4)
        piece[i + 1] = hex[value & 15];
    return (size_t)digits + 2;
}

static size_t put_plain(struct str text, size_t len, char piece[static QUOTE_PIECE_MAX])
{
    memcpy(piece, text.ptr, len);
    return len;
}

size_t quote_next_go(struct str *rest, char ret_piece[static QUOTE_PIECE_MAX])
{
    const struct str text = *rest;
    const struct character c = first_character(text);
    *rest = str_skip(text, c.len);
    if (!c.valid)
        return put_hex('x', 2, c.code, ret_piece);
    if (go_letter(c.code))
        return put_letter(go_letter(c.code), ret_piece);
    if (quote_is_printable(c.code))
        return put_plain(text, c.len, ret_piece);
    if (c.code < 0x80)
        return put_hex('x', 2, c.code, ret_piece);
    if (c.code < 0x10000)
        return put_hex('u', 4, c.code, ret_piece);
    return put_hex('U', 8, c.code, ret_piece);
}

/* JSON escapes 16 bits at a time: a character past U+FFFF is a pair of surrogates. */
size_t quote_next_json(struct str *rest, char ret_piece[static QUOTE_PIECE_MAX])
{
    const struct str text = *rest;
    const struct character c = first_character(text);
    *rest = str_skip(text, c.len);
    if (!c.valid)
        return put_plain(STR("\xef\xbf\xbd"), 3, ret_piece);
    if (common_letter(c.code))
        return put_letter(common_letter(c.code), ret_piece);
    if (quote_is_printable(c.code))
        return put_plain(text, c.len, ret_piece);
    if (c.code < 0x10000)
        return put_hex('u', 4, c.code, ret_piece);
    const uint32_t above = c.code - 0x10000;
    const size_t len = put_hex('u', 4, 0xd800 + (above >> 10), ret_piece);
    return len + put_hex('u', 4, 0xdc00 + (above & 0x3ff), ret_piece + len);
}

void str_quote_go(struct buf *buf, struct str s)
{
    char piece[QUOTE_PIECE_MAX];
    buf_add_char(buf, '"');
    while (s.len) {
        const size_t len = quote_next_go(&s, piece);
        buf_add(buf, str_from(piece, len));
    }
    buf_add_char(buf, '"');
}

void quote_add_shown(struct buf *buf, struct str s)
{
    char piece[QUOTE_PIECE_MAX];
    while (s.len) {
        const char first = s.ptr[0];
        const size_t len = quote_next_go(&s, piece);
        if (first == '"' || first == '\\')
            buf_add_char(buf, first);
        else
            buf_add(buf, str_from(piece, len));
    }
}
