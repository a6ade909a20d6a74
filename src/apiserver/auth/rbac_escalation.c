/*
 * A user cannot grant permissions that it does not have (pkg/registry/rbac/validation, Covers and
 * ConfirmNoEscalation).
 *
 * Permissions are compared piece by piece: a rule is broken down into rules with one verb, one
 * group, one resource and at most one name. Each piece must be included in a single rule that the
 * user has. The number of pieces is a product, so it is limited before they are made.
 */
#include "apimachinery/status.h"
#include "apiserver/auth/rbac_internal.h"
#include "base/quote.h"

/* "*" includes everything. "*" with a slash and a subresource includes it for all resources. */
static bool covers_resource(const struct rbac_rule *held, struct str wanted)
{
    struct str rest = wanted, resource;
    if (rbac_strings_has(&held->resources, STR("*")) || rbac_strings_has(&held->resources, wanted))
        return true;
    if (!str_cut(&rest, '/', &resource))
        return false;
    for (size_t i = 0; i < held->resources.count; i++) {
        const struct str one = held->resources.items[i];
        if (str_starts_with(one, STR("*/")) && str_eq(str_skip(one, 2), rest))
            return true;
    }
    return false;
}

/* A held path that ends with "*" includes everything that begins with the part before it. */
static bool covers_url(const struct rbac_rule *held, struct str wanted)
{
    for (size_t i = 0; i < held->urls.count; i++) {
        const struct str url = held->urls.items[i];
        if (str_eq(url, wanted) || (str_ends_with(url, STR("*")) &&
                                    str_starts_with(wanted, str_slice(url, 0, url.len - 1))))
            return true;
    }
    return false;
}

/* wanted is a piece: it has at most one value of each kind. */
static bool covers_piece(const struct rbac_rule *held, const struct rbac_rule *wanted)
{
    if (!rbac_strings_has(&held->verbs, STR("*")) &&
        !rbac_strings_has(&held->verbs, wanted->verbs.items[0]))
        return false;
    if (wanted->urls.count)
        return covers_url(held, wanted->urls.items[0]);
    if (!rbac_strings_has(&held->api_groups, STR("*")) &&
        !rbac_strings_has(&held->api_groups, wanted->api_groups.items[0]))
        return false;
    if (held->resource_names.count &&
        (wanted->resource_names.count == 0 ||
         !rbac_strings_has(&held->resource_names, wanted->resource_names.items[0])))
        return false;
    return covers_resource(held, wanted->resources.items[0]);
}

/* Rules do not add up: a single rule has to include the piece. */
static bool is_held(const struct rbac_rules *held, const struct rbac_rule *piece)
{
    for (size_t i = 0; i < held->count; i++)
        if (covers_piece(&held->items[i], piece))
            return true;
    return false;
}

/* One comparison under way. */
struct cover {
    struct arena *arena;
    const struct rbac_rules *held;
    struct rbac_rules *missing;
};

/* Adds the piece to the missing ones unless it is held. */
static void check_piece(struct cover *cover, struct rbac_rule piece)
{
    if (!is_held(cover->held, &piece))
        *rbac_rules_add(cover->arena, cover->missing) = piece;
}

static struct rbac_strings one_of(const struct rbac_strings *strings, size_t index)
{
    return (struct rbac_strings){&strings->items[index], 1};
}

/* Pieces of one group, one resource and one verb: one without a name or one for each name. */
static void check_names(struct cover *cover, const struct rbac_rule *rule, struct rbac_rule piece)
{
    if (rule->resource_names.count == 0)
        check_piece(cover, piece);
    for (size_t i = 0; i < rule->resource_names.count; i++) {
        piece.resource_names = one_of(&rule->resource_names, i);
        check_piece(cover, piece);
    }
}

/* Every combination of group, resource and verb is a piece. */
static void check_resources(struct cover *cover, const struct rbac_rule *rule)
{
    struct rbac_rule piece = {.verbs = {.count = 0}};
    for (size_t group = 0; group < rule->api_groups.count; group++)
        for (size_t resource = 0; resource < rule->resources.count; resource++)
            for (size_t verb = 0; verb < rule->verbs.count; verb++) {
                piece.api_groups = one_of(&rule->api_groups, group);
                piece.resources = one_of(&rule->resources, resource);
                piece.verbs = one_of(&rule->verbs, verb);
                check_names(cover, rule, piece);
            }
}

static void check_urls(struct cover *cover, const struct rbac_rule *rule)
{
    for (size_t url = 0; url < rule->urls.count; url++)
        for (size_t verb = 0; verb < rule->verbs.count; verb++)
            check_piece(cover, (struct rbac_rule){.urls = one_of(&rule->urls, url),
                                                  .verbs = one_of(&rule->verbs, verb)});
}

bool rbac_covers(struct arena *arena, const struct rbac_rules *held,
                 const struct rbac_rules *wanted, struct rbac_rules *missing)
{
    struct cover cover = {arena, held, missing};
    const size_t before = missing->count;
    for (size_t i = 0; i < wanted->count; i++) {
        check_resources(&cover, &wanted->items[i]);
        check_urls(&cover, &wanted->items[i]);
    }
    return missing->count == before;
}

/* For pieces, which have at most one string. */
static bool strings_equal(const struct rbac_strings *a, const struct rbac_strings *b)
{
    return a->count == b->count && (a->count == 0 || str_eq(a->items[0], b->items[0]));
}

/* Whether two pieces differ in their verb at most. Paths are not joined. */
static bool same_subject(const struct rbac_rule *a, const struct rbac_rule *b)
{
    return a->urls.count == 0 && b->urls.count == 0 &&
           strings_equal(&a->api_groups, &b->api_groups) &&
           strings_equal(&a->resources, &b->resources) &&
           strings_equal(&a->resource_names, &b->resource_names);
}

static void add_verb(struct arena *arena, struct rbac_rule *rule, struct str verb)
{
    struct str *items = arena_alloc_array(arena, rule->verbs.count + 1, sizeof(items[0]));
    memcpy(items, rule->verbs.items, rule->verbs.count * sizeof(items[0]));
    items[rule->verbs.count] = verb;
    rule->verbs = (struct rbac_strings){items, rule->verbs.count + 1};
}

/* More missing pieces are not listed: joining takes quadratic time. */
#define MISSING_MAX 500

/* For the message: pieces that differ in their verb alone are joined again. */
static struct rbac_rules join_rules(struct arena *arena, const struct rbac_rules *pieces)
{
    struct rbac_rules joined = {.items = NULL};
    for (size_t i = 0; i < pieces->count && i < MISSING_MAX; i++) {
        const struct rbac_rule *piece = &pieces->items[i];
        size_t j = 0;
        while (j < joined.count && !same_subject(&joined.items[j], piece))
            j++;
        if (j == joined.count)
            *rbac_rules_add(arena, &joined) = *piece;
        else if (!rbac_strings_has(&joined.items[j].verbs, piece->verbs.items[0]))
            add_verb(arena, &joined.items[j], piece->verbs.items[0]);
    }
    return joined;
}

static void write_strings(struct buf *text, const char *name, const struct rbac_strings *strings)
{
    if (name && strings->count == 0)
        return;
    if (name)
        buf_print(text, "%s%s:", text->len > 1 ? ", " : "", name);
    buf_add_char(text, '[');
    for (size_t i = 0; i < strings->count; i++) {
        buf_add(text, i ? STR(" ") : STR(""));
        str_quote_go(text, strings->items[i]);
    }
    buf_add_char(text, ']');
}

/* A rule as Go prints it in the message of kube-apiserver. */
static struct str describe_rule(struct arena *arena, const struct rbac_rule *rule)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add_char(&text, '{');
    write_strings(&text, "APIGroups", &rule->api_groups);
    write_strings(&text, "Resources", &rule->resources);
    write_strings(&text, "NonResourceURLs", &rule->urls);
    write_strings(&text, "ResourceNames", &rule->resource_names);
    write_strings(&text, "Verbs", &rule->verbs);
    buf_add_char(&text, '}');
    return arena_str(arena, buf_str(&text));
}

static int text_cmp(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Sorted and without duplicates, one rule to a line. */
static void write_missing(struct buf *text, struct arena *arena, const struct rbac_rules *missing)
{
    const struct rbac_rules joined = join_rules(arena, missing);
    struct str *lines = arena_alloc_array(arena, joined.count, sizeof(lines[0]));
    for (size_t i = 0; i < joined.count; i++)
        lines[i] = describe_rule(arena, &joined.items[i]);
    qsort(lines, joined.count, sizeof(lines[0]), text_cmp);
    for (size_t i = 0; i < joined.count; i++)
        if (i == 0 || !str_eq(lines[i], lines[i - 1]))
            buf_print(text, "\n%.*s", STR_ARG(lines[i]));
}

/* More pieces are not compared: a short text can grant very many permissions. */
#define PIECES_MAX ((size_t)100000)

/* a * b, but at most PIECES_MAX + 1. */
static size_t times(size_t a, size_t b)
{
    return b && a > PIECES_MAX / b ? PIECES_MAX + 1 : a * b;
}

/* The number of pieces that rbac_covers() would compare. */
static size_t count_pieces(const struct rbac_rules *rules)
{
    size_t count = 0;
    for (size_t i = 0; i < rules->count && count <= PIECES_MAX; i++) {
        const struct rbac_rule *rule = &rules->items[i];
        const size_t names = rule->resource_names.count ? rule->resource_names.count : 1;
        count += times(times(rule->api_groups.count, rule->resources.count),
                       times(rule->verbs.count, names));
        count += times(rule->urls.count, rule->verbs.count);
    }
    return count;
}

/* The message lists the missing permissions, as that of kube-apiserver does. */
struct error *rbac_check_escalation(struct rbac *rbac, const struct rbac_user *user,
                                    struct str namespace, const struct rbac_rules *granted)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    struct rbac_rules missing = {.items = NULL};
    if (rbac_is_master(user))
        return NULL;
    const bool is_too_much = count_pieces(granted) > PIECES_MAX;
    const struct rbac_rules held = rbac_user_rules(rbac, &arena, user, namespace);
    if (!is_too_much && rbac_covers(&arena, &held, granted, &missing))
        return NULL;
    buf_add(&text, STR("user "));
    str_quote_go(&text, user->name);
    buf_add(&text, STR(" (groups="));
    write_strings(&text, NULL, &user->groups);
    buf_add(&text,
            is_too_much
                ? STR(") is attempting to grant more RBAC permissions at once than can be checked")
                : STR(") is attempting to grant RBAC permissions not currently held:"));
    write_missing(&text, &arena, &missing);
    return error_new(ERROR_FORBIDDEN, "%.*s", STR_ARG(buf_str(&text)));
}
