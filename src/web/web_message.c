#include "web/web_message.h"

#define HEAD_MAX ((size_t)128) /* of the lines around the data */

static void add_part(struct buf *out, const struct html *html, const struct html_part *part)
{
    buf_add(out, STR("{\"id\":"));
    buf_add_json_string(out, part->id);
    buf_add(out, STR(",\"html\":"));
    buf_add_json_string(out, str_slice(buf_str(&html->out), part->begin, part->end));
}

static bool has_same_parts(const struct html *from, const struct html *to)
{
    if (from->part_count != to->part_count)
        return false;
    for (size_t i = 0; i < to->part_count; i++)
        if (!str_eq(from->parts[i].id, to->parts[i].id))
            return false;
    return true;
}

/* The first part that differs is the value itself, the others are in its member "more". */
static void add_changes(const struct html *from, const struct html *to, struct buf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < to->part_count; i++) {
        if (from->parts[i].digest == to->parts[i].digest)
            continue;
        if (count)
            buf_add(out, count == 1 ? STR(",\"more\":[") : STR(","));
        add_part(out, to, &to->parts[i]);
        if (count++)
            buf_add(out, STR("}"));
    }
    buf_add(out, count > 1 ? STR("]}") : STR("}"));
}

void web_message_write_reload(struct str version, struct buf *out)
{
    BUF_ADD_ALL(out, STR("id: "), version, STR("\nevent: reload\ndata: {}\n\n"));
}

void web_message_write(const struct html *from, const struct html *to, struct str version,
                       struct buf *out)
{
    SCOPED(buf) data = {.limit = WEB_MESSAGE_MAX - HEAD_MAX};
    const bool has_parts = has_same_parts(from, to);
    if (has_parts)
        add_changes(from, to, &data);
    if (!has_parts || data.overflowed) {
        web_message_write_reload(version, out);
        return;
    }
    BUF_ADD_ALL(out, STR("id: "), version, STR("\nevent: part\ndata: "), buf_str(&data),
                STR("\n\n"));
}
