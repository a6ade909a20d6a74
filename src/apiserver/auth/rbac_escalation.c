/*
 * A user cannot grant permissions that it does not have (pkg/registry/rbac/validation, Covers and
 * ConfirmNoEscalation).
 *
 * Permissions are compared piece by piece: a rule is broken down into rules with one verb, one
 * group, one resource and at most one name. Each piece must be included in a single rule that the
 * user has. The number of pieces is a product, so it is limited before they are made; the number of
 * comparisons is one, too, and is counted while they are made.
 *
 * Pieces are made from the outside in: of the held rules those with the group are kept, of these
 * those with the resource, and the verb and the name are looked for in what is left.
 */
#include "apimachinery/status.h"
#include "apiserver/auth/rbac_internal.h"
#include "base/memory.h"
#include "base/quote.h"

/* From so many strings on a list that is asked more than a few times gets a set. */
#define SET_FROM  32
#define SET_ASKED 4

/* What things take, in the time of comparing two strings. */
#define SET_ADD_STEPS  20
#define SET_FIND_STEPS 10

/* More is not compared. */
#define COVER_STEPS_MAX ((size_t)4000000)

/* More missing pieces are not listed: joining takes quadratic time. */
#define MISSING_MAX 500

/* One list of a held rule. */
struct held_list {
    const struct rbac_strings *strings;
    struct map *set; /* in the arena; NULL as long as the list is searched */
    size_t asked;
    bool has_all; /* "*" is among the strings */
};

struct held_rule {
    const struct rbac_rule *rule;
    struct held_list verbs, api_groups, resources, names;
};

/* Held rules that are left when a part of the piece is known. */
struct held_rules {
    struct held_rule **items;
    size_t count;
};

/* One comparison under way. */
struct cover {
    struct arena *arena;
    struct held_rules all, of_group, of_resource;
    struct str group; /* of of_group */
    bool has_group;
    struct rbac_rules *missing;
    size_t steps;
};

static bool is_over(const struct cover *cover)
{
    return cover->steps > COVER_STEPS_MAX || cover->missing->count >= MISSING_MAX;
}

static void release_set(void *data)
{
    struct map *set = data;
    map_done(set);
}

static void make_set(struct cover *cover, struct held_list *list)
{
    list->set = ARENA_NEW(cover->arena, struct map);
    arena_hold(cover->arena, release_set, list->set);
    for (size_t i = 0; i < list->strings->count; i++)
        map_put(list->set, list->strings->items[i], NULL);
    cover->steps += list->strings->count * SET_ADD_STEPS;
}

static bool has_string(struct cover *cover, struct held_list *list, struct str s)
{
    if (!list->set && list->strings->count >= SET_FROM && ++list->asked > SET_ASKED)
        make_set(cover, list);
    cover->steps += list->set ? SET_FIND_STEPS : list->strings->count;
    return list->set ? map_has(list->set, s) : rbac_strings_has(list->strings, s);
}

static struct held_list held_list(struct cover *cover, const struct rbac_strings *strings)
{
    cover->steps += strings->count;
    return (struct held_list){.strings = strings, .has_all = rbac_strings_has(strings, STR("*"))};
}

static struct held_rules held_rules(struct arena *arena, size_t capacity)
{
    return (struct held_rules){arena_alloc_array(arena, capacity, sizeof(struct held_rule *)), 0};
}

static void init_cover(struct cover *cover, const struct rbac_rules *held)
{
    struct held_rule *rules = arena_alloc_array(cover->arena, held->count, sizeof(rules[0]));
    cover->all = held_rules(cover->arena, held->count);
    cover->of_group = held_rules(cover->arena, held->count);
    cover->of_resource = held_rules(cover->arena, held->count);
    for (size_t i = 0; i < held->count && !is_over(cover); i++) {
        const struct rbac_rule *rule = &held->items[i];
        rules[i] = (struct held_rule){
            rule, held_list(cover, &rule->verbs), held_list(cover, &rule->api_groups),
            held_list(cover, &rule->resources), held_list(cover, &rule->resource_names)};
        cover->all.items[cover->all.count++] = &rules[i];
    }
}

static bool covers_verb(struct cover *cover, struct held_rule *held, struct str wanted)
{
    return held->verbs.has_all || has_string(cover, &held->verbs, wanted);
}

static bool covers_group(struct cover *cover, struct held_rule *held, struct str wanted)
{
    return held->api_groups.has_all || has_string(cover, &held->api_groups, wanted);
}

/* "*" includes everything. "*" with a slash and a subresource includes it for all resources. */
static bool covers_resource(struct cover *cover, struct held_rule *held, struct str wanted)
{
    struct str rest = wanted, resource;
    SCOPED(buf) of_all = {.limit = 0};
    if (held->resources.has_all || has_string(cover, &held->resources, wanted))
        return true;
    if (!str_cut(&rest, '/', &resource))
        return false;
    BUF_ADD_ALL(&of_all, STR("*/"), rest);
    return has_string(cover, &held->resources, buf_str(&of_all));
}

/* Without names a rule includes all names. No name is wanted where the list is empty. */
static bool covers_name(struct cover *cover, struct held_rule *held,
                        const struct rbac_strings *wanted)
{
    return held->names.strings->count == 0 ||
           (wanted->count && has_string(cover, &held->names, wanted->items[0]));
}

/* A held path that ends with "*" includes everything that begins with the part before it. */
static bool covers_url(struct cover *cover, const struct rbac_rule *held, struct str wanted)
{
    cover->steps += held->urls.count;
    for (size_t i = 0; i < held->urls.count; i++) {
        const struct str url = held->urls.items[i];
        if (str_eq(url, wanted) || (str_ends_with(url, STR("*")) &&
                                    str_starts_with(wanted, str_slice(url, 0, url.len - 1))))
            return true;
    }
    return false;
}

typedef bool covers_fn(struct cover *cover, struct held_rule *held, struct str wanted);

static void keep_held(struct cover *cover, const struct held_rules *from, struct held_rules *to,
                      covers_fn *covers, struct str wanted)
{
    to->count = 0;
    for (size_t i = 0; i < from->count && !is_over(cover); i++) {
        cover->steps++;
        if (covers(cover, from->items[i], wanted))
            to->items[to->count++] = from->items[i];
    }
}

/* Rules do not add up: a single rule has to include the piece. Its group and resource are known. */
static bool is_held(struct cover *cover, const struct rbac_rule *piece)
{
    for (size_t i = 0; i < cover->of_resource.count && !is_over(cover); i++) {
        struct held_rule *held = cover->of_resource.items[i];
        cover->steps++;
        if (covers_verb(cover, held, piece->verbs.items[0]) &&
            covers_name(cover, held, &piece->resource_names))
            return true;
    }
    return false;
}

static bool is_url_held(struct cover *cover, const struct rbac_rule *piece)
{
    for (size_t i = 0; i < cover->all.count && !is_over(cover); i++) {
        struct held_rule *held = cover->all.items[i];
        cover->steps++;
        if (held->rule->urls.count && covers_verb(cover, held, piece->verbs.items[0]) &&
            covers_url(cover, held->rule, piece->urls.items[0]))
            return true;
    }
    return false;
}

static void add_missing(struct cover *cover, struct rbac_rule piece)
{
    *rbac_rules_add(cover->arena, cover->missing) = piece;
}

static struct rbac_strings one_of(const struct rbac_strings *strings, size_t index)
{
    return (struct rbac_strings){&strings->items[index], 1};
}

static void check_piece(struct cover *cover, struct rbac_rule piece)
{
    if (!is_held(cover, &piece))
        add_missing(cover, piece);
}

/* Pieces of one group, one resource and one verb: one without a name or one for each name. */
static void check_names(struct cover *cover, const struct rbac_rule *rule, struct rbac_rule piece)
{
    if (rule->resource_names.count == 0)
        check_piece(cover, piece);
    for (size_t i = 0; i < rule->resource_names.count && !is_over(cover); i++) {
        piece.resource_names = one_of(&rule->resource_names, i);
        check_piece(cover, piece);
    }
}

/* Rules one after the other are often of the same group. */
static void keep_group(struct cover *cover, struct str group)
{
    if (cover->has_group && str_eq(cover->group, group))
        return;
    keep_held(cover, &cover->all, &cover->of_group, covers_group, group);
    cover->group = group;
    cover->has_group = true;
}

/* Pieces of one group. */
static void check_group(struct cover *cover, const struct rbac_rule *rule, struct rbac_rule piece)
{
    keep_group(cover, piece.api_groups.items[0]);
    for (size_t i = 0; i < rule->resources.count && !is_over(cover); i++) {
        piece.resources = one_of(&rule->resources, i);
        keep_held(cover, &cover->of_group, &cover->of_resource, covers_resource,
                  piece.resources.items[0]);
        for (size_t verb = 0; verb < rule->verbs.count && !is_over(cover); verb++) {
            piece.verbs = one_of(&rule->verbs, verb);
            check_names(cover, rule, piece);
        }
    }
}

/* Every combination of group, resource and verb is a piece. */
static void check_resources(struct cover *cover, const struct rbac_rule *rule)
{
    for (size_t i = 0; i < rule->api_groups.count && !is_over(cover); i++)
        check_group(cover, rule, (struct rbac_rule){.api_groups = one_of(&rule->api_groups, i)});
}

static void check_urls(struct cover *cover, const struct rbac_rule *rule)
{
    for (size_t url = 0; url < rule->urls.count; url++)
        for (size_t verb = 0; verb < rule->verbs.count && !is_over(cover); verb++) {
            const struct rbac_rule piece = {.urls = one_of(&rule->urls, url),
                                            .verbs = one_of(&rule->verbs, verb)};
            if (!is_url_held(cover, &piece))
                add_missing(cover, piece);
        }
}

/* Adds what is not held to missing. False when that takes too long. */
static bool compare_rules(struct arena *arena, const struct rbac_rules *held,
                          const struct rbac_rules *wanted, struct rbac_rules *missing)
{
    struct cover cover = {.arena = arena, .missing = missing};
    init_cover(&cover, held);
    for (size_t i = 0; i < wanted->count && !is_over(&cover); i++) {
        cover.steps++;
        check_resources(&cover, &wanted->items[i]);
        check_urls(&cover, &wanted->items[i]);
    }
    return cover.steps <= COVER_STEPS_MAX;
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

/* The number of pieces that compare_rules() would make. */
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

/*
 * Compares unless there is too much of it: false, and the user is refused. Rules that were left out
 * of what is granted may be anything; those left out of what is held are not needed if the others
 * are enough.
 */
static bool find_missing(struct rbac *rbac, struct arena *arena, const struct rbac_user *user,
                         struct str namespace, const struct rbac_rules *granted,
                         struct rbac_rules *missing)
{
    if (granted->is_incomplete || count_pieces(granted) > PIECES_MAX)
        return false;
    const struct rbac_rules held = rbac_held_rules(rbac, arena, user, namespace);
    return compare_rules(arena, &held, granted, missing) &&
           (missing->count == 0 || !held.is_incomplete);
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
    const bool is_compared = find_missing(rbac, &arena, user, namespace, granted, &missing);
    if (is_compared && missing.count == 0)
        return NULL;
    buf_add(&text, STR("user "));
    str_quote_go(&text, user->name);
    buf_add(&text, STR(" (groups="));
    write_strings(&text, NULL, &user->groups);
    buf_add(
        &text,
        is_compared
            ? STR(") is attempting to grant RBAC permissions not currently held:")
            : STR(") is attempting to grant more RBAC permissions at once than can be checked"));
    if (is_compared)
        write_missing(&text, &arena, &missing);
    return error_new(ERROR_FORBIDDEN, "%.*s", STR_ARG(buf_str(&text)));
}
