/*
 * The scan of json_is_within(). Each value but the first follows a bracket, a comma or a colon, so
 * these are counted; strings are skipped from quote to quote.
 */
#include "json/weight.h"

#include <string.h>

/* The length of the string behind its opening quote, closing quote included. */
static size_t string_length(struct str rest)
{
    size_t pos = 0;
    while (pos < rest.len) {
        const char *quote = memchr(rest.ptr + pos, '"', rest.len - pos);
        if (!quote)
            break;
        const size_t end = (size_t)(quote - rest.ptr);
        size_t escapes = 0;
        while (end - escapes > pos && rest.ptr[end - escapes - 1] == '\\')
            escapes++;
        pos = end + 1;
        if (escapes % 2 == 0)
            return pos;
    }
    return rest.len;
}

bool json_is_within(struct str text, size_t depth_max, size_t values_max)
{
    size_t depth = 0, values = 1;
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '"':
            i += string_length(str_skip(text, i + 1));
            break;
        case '[':
        case '{':
            if (++depth > depth_max || ++values > values_max)
                return false;
            break;
        case ']':
        case '}':
            depth -= depth > 0;
            break;
        case ',':
        case ':':
            if (++values > values_max)
                return false;
            break;
        default:
            break;
        }
    }
    return values <= values_max;
}
