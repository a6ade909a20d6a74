#include "base/base64.h"

#include <stdint.h>

#include "base/ascii.h"

struct alphabet {
    const char *letters;
    bool padded;
};

static const struct alphabet standard = {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", true};
static const struct alphabet for_urls = {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", false};

/* Up to three bytes as up to four letters. */
static size_t encode_group(const struct alphabet *alphabet, const uint8_t *in, size_t len,
                           char out[static 4])
{
    const uint32_t bits = (uint32_t)in[0] << 16 | (uint32_t)(len > 1 ? in[1] : 0) << 8 |
                          (uint32_t)(len > 2 ? in[2] : 0);
    for (size_t i = 0; i < 4; i++)
        out[i] = i <= len ? alphabet->letters[bits >> (18 - 6 * i) & 63] : '=';
    return alphabet->padded ? 4 : len + 1;
}

static void encode_with(const struct alphabet *alphabet, struct buf *buf, struct str bytes)
{
    if (bytes.len / 3 > SIZE_MAX / 8) {
        buf->overflowed = true;
        return;
    }
    char *out = buf_reserve(buf, (bytes.len + 2) / 3 * 4);
    if (!out)
        return;
    size_t written = 0;
    for (size_t at = 0; at < bytes.len; at += 3) {
        const size_t left = bytes.len - at;
        written += encode_group(alphabet, (const uint8_t *)bytes.ptr + at, left < 3 ? left : 3,
                                out + written);
    }
    buf_grow(buf, written);
}

/* The six bits of a letter, or 64 for anything else. */
static uint32_t letter_value(const struct alphabet *alphabet, char c)
{
    if (ascii_is_upper(c))
        return (uint32_t)(c - 'A');
    if (ascii_is_lower(c))
        return (uint32_t)(c - 'a') + 26;
    if (ascii_is_digit(c))
        return (uint32_t)(c - '0') + 52;
    if (c == alphabet->letters[62])
        return 62;
    return c == alphabet->letters[63] ? 63 : 64;
}

static size_t skip_newlines(struct str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == '\n' || text.ptr[at] == '\r'))
        at++;
    return at;
}

/* A walk over the text. Once wrong is set, it is the position of the first mistake. */
struct decoder {
    const struct alphabet *alphabet;
    struct str text;
    size_t at;
    size_t wrong;
};

/* The letters of a group ended early, at the end of the text or at padding. */
static bool end_is_allowed(struct decoder *decoder, size_t letters, bool padding)
{
    if (!padding) {
        if (letters == 1 || decoder->alphabet->padded)
            decoder->wrong = decoder->at - letters;
        return decoder->wrong == STR_NONE;
    }
    size_t at = decoder->at; /* behind the first '=' */
    if (letters < 2) {
        decoder->wrong = at - 1;
        return false;
    }
    if (letters == 2) {
        at = skip_newlines(decoder->text, at);
        if (at == decoder->text.len || decoder->text.ptr[at] != '=') {
            decoder->wrong = at == decoder->text.len ? at : at - 1;
            return false;
        }
        at++;
    }
    decoder->at = skip_newlines(decoder->text, at);
    if (decoder->at < decoder->text.len)
        decoder->wrong = decoder->at; /* behind the padding; the group itself still counts */
    return true;
}

/* Decodes one group of up to four letters; returns the number of bytes, 0 at the end or if wrong.
 */
static size_t decode_group(struct decoder *decoder, char out[static 3])
{
    uint32_t bits = 0;
    size_t letters = 0;
    bool padding = false;
    while (letters < 4 && !padding && decoder->at < decoder->text.len) {
        const char c = decoder->text.ptr[decoder->at++];
        const uint32_t value = letter_value(decoder->alphabet, c);
        if (value < 64) {
            bits |= value << (18 - 6 * letters++);
        } else if (c == '=' && decoder->alphabet->padded) {
            padding = true;
        } else if (c != '\n' && c != '\r') {
            decoder->wrong = decoder->at - 1;
            return 0;
        }
    }
    if (letters == 0 && !padding)
        return 0;
    if (letters < 4 && !end_is_allowed(decoder, letters, padding))
        return 0;
    for (size_t i = 0; i < 3; i++)
        out[i] = (char)(bits >> (16 - 8 * i));
    return letters - 1;
}

/* Appends what can be decoded; the position of the first mistake, or STR_NONE. */
static size_t decode_with(const struct alphabet *alphabet, struct buf *buf, struct str text)
{
    struct decoder decoder = {alphabet, text, 0, STR_NONE};
    char *out = buf_reserve(buf, text.len / 4 * 3 + 3);
    if (!out)
        return STR_NONE; /* the buffer remembers */
    size_t written = 0;
    while (decoder.at < text.len && decoder.wrong == STR_NONE) {
        char group[3];
        const size_t len = decode_group(&decoder, group);
        memcpy(out + written, group, len);
        written += len;
    }
    buf_grow(buf, written);
    return decoder.wrong;
}

static struct error *decode_strict(const struct alphabet *alphabet, struct buf *buf,
                                   struct str text)
{
    const size_t before = buf->len;
    const size_t wrong = decode_with(alphabet, buf, text);
    if (wrong == STR_NONE)
        return NULL;
    buf_truncate(buf, before);
    return error_new(ERROR_PARSE, "illegal base64 data at input byte %zu", wrong);
}

void base64_encode(struct buf *buf, struct str bytes)
{
    encode_with(&standard, buf, bytes);
}

struct error *base64_decode(struct buf *buf, struct str text)
{
    return decode_strict(&standard, buf, text);
}

size_t base64_decode_lenient(struct buf *buf, struct str text)
{
    return decode_with(&standard, buf, text);
}

void base64_encode_url(struct buf *buf, struct str bytes)
{
    encode_with(&for_urls, buf, bytes);
}

struct error *base64_decode_url(struct buf *buf, struct str text)
{
    return decode_strict(&for_urls, buf, text);
}
