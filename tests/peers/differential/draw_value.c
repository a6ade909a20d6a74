/* Values that fit a schema, mostly. */
#include "base/buf.h"
#include "json/path.h"
#include "peers/differential/draw_internal.h"

#define DEPTH_MAX 4

static const char *const wrongs[] = {"null", "1", "\"x\"", "true", "[]", "{}", "[1]", "1.5", "-1"};

static struct str draw_string(struct draw *draw, const struct json_value *schema)
{
    static const char *const texts[] = {"\"a\"", "\"b\"", "\"x-y\"", "\"1\"", "\"\""};
    static const char *const times[] = {"\"2020-01-01T00:00:00Z\"", "\"2020-01-01T00:00:00.5Z\"",
                                        "\"yesterday\"", "null"};
    static const char *const bytes[] = {"\"eA==\"", "\"\"", "\"!\""};
    const struct json_value *values = json_get(schema, STR("enum"));
    const struct str format = json_path_str(schema, "format");
    if (json_count(values) && draw_chance(draw, 85))
        return json_write_arena(&draw->arena,
                                json_at(values, draw_below(draw, json_count(values))));
    if (str_eq(format, STR("date-time")))
        return DRAW_ONE(draw, times);
    if (str_eq(format, STR("byte")))
        return DRAW_ONE(draw, bytes);
    return DRAW_ONE(draw, texts);
}

/* Texts or numbers: quantities, ports, shares. */
static struct str draw_either(struct draw *draw, const struct json_value *schema)
{
    static const char *const ports[] = {"1", "80", "\"http\"", "\"25%\"", "0"};
    static const char *const quantities[] = {"\"1\"", "\"100m\"", "\"1Gi\"", "2", "\"x\""};
    return str_eq(json_path_str(schema, "format"), STR("int-or-string"))
               ? DRAW_ONE(draw, ports)
               : DRAW_ONE(draw, quantities);
}

static struct str draw_at(struct draw *draw, const struct resource *resource,
                          const struct json_value *schema, int depth);

static bool is_required(const struct json_value *schema, struct str name)
{
    const struct json_value *required;
    JSON_FOREACH (key, required, json_get(schema, STR("required")))
        if (str_eq(json_to_str(required), name))
            return true;
    return false;
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH_MAX */
static struct str draw_members(struct draw *draw, const struct resource *resource,
                               const struct json_value *schema, int depth)
{
    SCOPED(buf) out = {0};
    const struct json_value *member, *rest = json_get(schema, STR("additionalProperties"));
    buf_add_char(&out, '{');
    JSON_FOREACH (name, member, json_get(schema, STR("properties")))
        if (is_required(schema, name) || (depth < DEPTH_MAX && draw_chance(draw, 12)))
            buf_print(&out, "%s\"%.*s\":%.*s", out.len > 1 ? "," : "", STR_ARG(name),
                      STR_ARG(draw_at(draw, resource, member, depth + 1)));
    if (json_type(rest) == JSON_OBJECT && draw_chance(draw, 70))
        buf_print(&out, "%s\"k\":%.*s", out.len > 1 ? "," : "",
                  STR_ARG(draw_at(draw, resource, rest, depth + 1)));
    buf_add_char(&out, '}');
    return arena_str(&draw->arena, buf_str(&out));
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH_MAX */
static struct str draw_elements(struct draw *draw, const struct resource *resource,
                                const struct json_value *schema, int depth)
{
    SCOPED(buf) out = {0};
    const size_t count = depth < DEPTH_MAX ? draw_below(draw, 3) : 0;
    buf_add_char(&out, '[');
    for (size_t i = 0; i < count; i++)
        buf_print(&out, "%s%.*s", i ? "," : "",
                  STR_ARG(draw_at(draw, resource, json_get(schema, STR("items")), depth + 1)));
    buf_add_char(&out, ']');
    return arena_str(&draw->arena, buf_str(&out));
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH_MAX */
static struct str draw_at(struct draw *draw, const struct resource *resource,
                          const struct json_value *schema, int depth)
{
    static const char *const numbers[] = {"0", "1", "2", "5", "-1", "100"};
    static const char *const truths[] = {"true", "false"};
    schema = catalogue_resolve(resource, schema);
    const struct str type = json_path_str(schema, "type");
    if (draw_chance(draw, 2))
        return DRAW_ONE(draw, wrongs);
    if (str_eq(type, STR("string")))
        return draw_string(draw, schema);
    if (str_eq(type, STR("integer")) || str_eq(type, STR("number")))
        return DRAW_ONE(draw, numbers);
    if (str_eq(type, STR("boolean")))
        return DRAW_ONE(draw, truths);
    if (str_eq(type, STR("array")))
        return draw_elements(draw, resource, schema, depth);
    if (json_get(schema, STR("oneOf")))
        return draw_either(draw, schema);
    return draw_members(draw, resource, schema, depth);
}

struct str draw_value(struct draw *draw, const struct resource *resource,
                      const struct json_value *schema)
{
    return draw_at(draw, resource, schema, 0);
}
