/* A parser that accepts everything: the texts are shown to people, so no input is an error. */
#include "client/warning_text.h"

/* Appends the rest of a quoted string. *text begins behind the first quote and ends up behind the
 * last. */
static void unquote(struct str *text, struct buf *out)
{
    size_t i = 0;
    for (; i < text->len && text->ptr[i] != '"'; i++) {
        i += text->ptr[i] == '\\';
        if (i < text->len && out)
            buf_add_char(out, text->ptr[i]);
    }
    *text = str_skip(*text, i + 1);
}

/* Skips the optional date and the comma in front of the next warning. */
static void skip_to_next(struct str *value)
{
    struct str ignored;
    *value = str_trim(*value);
    if (str_starts_with(*value, STR("\""))) {
        *value = str_skip(*value, 1);
        unquote(value, NULL);
    }
    str_cut(value, ',', &ignored);
}

bool warning_text_next(struct str *value, struct buf *out)
{
    *value = str_trim(*value);
    const size_t quote = str_find_char(*value, '"');
    if (!value->len)
        return false;
    if (quote == STR_NONE) {
        buf_add(out, *value);
        *value = STR("");
        return true;
    }
    *value = str_skip(*value, quote + 1);
    unquote(value, out);
    skip_to_next(value);
    return true;
}
