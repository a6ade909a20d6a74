#include <string.h>

#include "base/log_internal.h"
#include "base/quote.h"

#define CLOSING_MAX 64 /* kept back: "…", quotes, braces, ,"truncated":true and the newline */
#define VALUE_MIN   96 /* a field starts only where the largest value without text fits */

static const struct str cut_mark = STR_INIT("\xe2\x80\xa6"); /* … */
static const struct str redacted = STR_INIT("[redacted]");

static size_t room(const struct log_line *line)
{
    const size_t taken = line->len + CLOSING_MAX;
    return taken < line->capacity ? line->capacity - taken : 0;
}

/* Appends what closes something, from the room kept back for it. */
static void close_with(struct log_line *line, struct str text)
{
    memcpy(line->ptr + line->len, text.ptr, text.len);
    line->len += text.len;
}

static void put_text(struct log_line *line, struct str text)
{
    if (line->cut || text.len > room(line))
        line->cut = true;
    else
        close_with(line, text);
}

static void put_c(struct log_line *line, const char *text)
{
    put_text(line, str_from_c(text));
}

/* A number with leading zeros up to the width. */
static void put_padded(struct log_line *line, uint64_t value, int width)
{
    char digits[24];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
        width--;
    } while (value || width > 0);
    put_text(line, str_from(digits + at, sizeof(digits) - at));
}

static void put_int(struct log_line *line, int64_t value)
{
    if (value < 0)
        put_text(line, STR("-"));
    put_padded(line, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

/* Text between quotes that are already there, cut between characters where it does not fit. */
static void put_escaped(struct log_line *line, enum log_format format, struct str text)
{
    char piece[QUOTE_PIECE_MAX];
    while (text.len && !line->cut) {
        const size_t len =
            format == LOG_JSON ? quote_next_json(&text, piece) : quote_next_go(&text, piece);
        put_text(line, str_from(piece, len));
        if (line->cut)
            close_with(line, cut_mark);
    }
}

/* The opening quote is known to fit, or the line is cut already. */
static void put_quoted(struct log_line *line, enum log_format format, struct str text)
{
    if (line->cut)
        return;
    put_text(line, STR("\""));
    put_escaped(line, format, text);
    close_with(line, STR("\""));
}

static void put_key(struct log_line *line, enum log_format format, const struct log_field *field)
{
    if (format == LOG_JSON) {
        put_text(line, STR("{\"name\":"));
        put_quoted(line, format, field->text);
        if (field->space.len && room(line) > VALUE_MIN) {
            put_text(line, STR(",\"namespace\":"));
            put_quoted(line, format, field->space);
        } else if (field->space.len) {
            line->cut = true;
        }
        close_with(line, STR("}"));
        return;
    }
    put_text(line, STR("\""));
    put_escaped(line, format, field->space);
    if (field->space.len)
        put_text(line, STR("/"));
    put_escaped(line, format, field->text);
    close_with(line, STR("\""));
}

static void put_value(struct log_line *line, enum log_format format, const struct log_field *field)
{
    char text[DURATION_TEXT_MAX];
    switch (field->kind) {
    case LOG_KIND_STR:
        put_quoted(line, format, field->text);
        break;
    case LOG_KIND_INT:
        put_int(line, field->number);
        break;
    case LOG_KIND_BOOL:
        put_c(line, field->number ? "true" : "false");
        break;
    case LOG_KIND_DURATION:
        put_quoted(line, format, duration_write(field->number, text));
        break;
    case LOG_KIND_KEY:
        put_key(line, format, field);
        break;
    case LOG_KIND_ERROR:
        put_quoted(line, format, str_from_c(field->error->message));
        break;
    case LOG_KIND_SECRET:
        put_quoted(line, format, redacted);
        break;
    }
}

static void put_field(struct log_line *line, enum log_format format, const struct log_field *field)
{
    if (field->kind == LOG_KIND_ERROR && !field->error)
        return;
    if (room(line) < strlen(field->name) + VALUE_MIN)
        line->cut = true;
    if (line->cut)
        return;
    put_c(line, format == LOG_JSON ? ",\"" : " ");
    put_c(line, field->name);
    put_c(line, format == LOG_JSON ? "\":" : "=");
    put_value(line, format, field);
}

static bool has_field(const struct log_field *fields, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return true;
    return false;
}

/* A field of the line, or of a context further inside, has the same name. */
static bool is_hidden(const struct log_record *record, const struct log_context *context,
                      const char *name)
{
    if (has_field(record->fields, record->count, name))
        return true;
    for (const struct log_context *inner = record->context; inner != context; inner = inner->parent)
        if (has_field(inner->fields, inner->count, name))
            return true;
    return false;
}

/* Outermost first. Contexts nest a few levels deep, so calling itself costs little stack. */
static void put_context(struct log_line *line, enum log_format format,
                        const struct log_record *record, const struct log_context *context)
{
    if (!context)
        return;
    put_context(line, format, record, context->parent);
    for (size_t i = 0; i < context->count; i++)
        if (!is_hidden(record, context, context->fields[i].name))
            put_field(line, format, &context->fields[i]);
}

/* "I1115 08:57:28.123456 ": severity, month and day, time of day. */
static void put_text_head(struct log_line *line, const struct log_record *record)
{
    const struct timestamp_civil at = timestamp_to_civil(record->time);
    put_c(line, record->level < 0 ? "E" : "I");
    put_padded(line, (uint64_t)at.month, 2);
    put_padded(line, (uint64_t)at.day, 2);
    put_text(line, STR(" "));
    put_padded(line, (uint64_t)at.hour, 2);
    put_text(line, STR(":"));
    put_padded(line, (uint64_t)at.minute, 2);
    put_text(line, STR(":"));
    put_padded(line, (uint64_t)at.second, 2);
    put_text(line, STR("."));
    put_padded(line, (uint64_t)at.nanosecond / 1000, 6);
    put_text(line, STR(" "));
}

/* Milliseconds with microseconds as their fraction. Errors have no verbosity. */
static void put_json_head(struct log_line *line, const struct log_record *record)
{
    const int64_t micros = record->time / 1000;
    put_text(line, STR("{\"ts\":"));
    put_int(line, micros / 1000);
    if (micros % 1000) {
        put_text(line, STR("."));
        put_padded(line, (uint64_t)(micros < 0 ? -micros : micros) % 1000, 3);
    }
    if (record->level >= 0) {
        put_text(line, STR(",\"v\":"));
        put_int(line, record->level);
    }
    put_text(line, STR(",\"msg\":"));
}

void log_line_write(struct log_line *line, enum log_format format, const struct log_record *record)
{
    if (format == LOG_JSON)
        put_json_head(line, record);
    else
        put_text_head(line, record);
    put_quoted(line, format, str_from_c(record->message));
    put_context(line, format, record, record->context);
    for (size_t i = 0; i < record->count; i++)
        put_field(line, format, &record->fields[i]);
    if (format == LOG_JSON) {
        if (line->cut)
            close_with(line, STR(",\"truncated\":true"));
        close_with(line, STR("}"));
    } else if (line->cut) {
        close_with(line, STR(" "));
        close_with(line, cut_mark);
    }
    close_with(line, STR("\n"));
}
