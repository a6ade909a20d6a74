/*
 * Impersonate-User, -Uid, -Group and -Extra-*: a request made as another user.
 *
 * There are several modes of being allowed to impersonate (KEP-5284, constrained impersonation),
 * tried from the narrowest to the widest. The first mode that allows decides. When none does, the
 * refusal of the first mode that applied is returned. Kubernetes has one more mode for accounts
 * whose token names their node; our tokens never do.
 *
 * In each mode every attribute of the other user is authorized separately: name, uid, each group,
 * each extra value. In the constrained modes the requested verb is authorized as well.
 */
#include "apimachinery/status.h"
#include "apimachinery/validation.h"
#include "apiserver/auth/auth_internal.h"
#include "base/quote.h"
#include "http/headers.h"
#include "http/url.h"

#define EXTRA_PREFIX "impersonate-extra-"
#define GROUP        "authentication.k8s.io"

/* The other user, as the headers describe it. */
struct wanted {
    struct user_info user;
    bool has_extra;
};

static struct user_extra *find_extra(struct user_info *user, struct str key)
{
    for (size_t i = 0; i < user->extra_count; i++)
        if (str_eq(user->extra[i].key, key))
            return &user->extra[i];
    return NULL;
}

/*
 * Keys are percent-encoded, because header names cannot contain a slash. A key that does not decode
 * is taken as it is.
 */
static struct str extra_key(struct arena *arena, struct str header)
{
    const struct str escaped = str_skip(header, STR(EXTRA_PREFIX).len);
    struct str key;
    OWNED(error) err = url_unescape(arena, escaped, &key);
    return arena_str(arena, err ? escaped : key);
}

static void add_extra(struct arena *arena, struct user_info *user, struct str key, struct str value)
{
    struct user_extra *extra = find_extra(user, key);
    if (!extra) {
        extra = &user->extra[user->extra_count++];
        *extra = (struct user_extra){.key = key};
    }
    extra->values = auth_add_string(arena, extra->values, arena_str(arena, value));
}

static struct wanted read_headers(struct arena *arena, const struct http_headers *headers)
{
    struct wanted wanted = {
        .user.user.name = arena_str(arena, http_headers_find(headers, STR("impersonate-user"))),
        .user.uid = arena_str(arena, http_headers_find(headers, STR("impersonate-uid"))),
    };
    struct rbac_strings *groups = &wanted.user.user.groups;
    wanted.user.extra = arena_alloc_array(arena, headers->count, sizeof(struct user_extra));
    HTTP_HEADERS_FOREACH (header, headers) {
        if (str_eq(header.name, STR("impersonate-group")))
            *groups = auth_add_string(arena, *groups, arena_str(arena, header.value));
        if (!str_starts_with(header.name, STR(EXTRA_PREFIX)))
            continue;
        wanted.has_extra = true;
        add_extra(arena, &wanted.user, extra_key(arena, header.name), header.value);
    }
    return wanted;
}

/* The user as Go prints it, because API servers send this text. */
static void print_strings(struct buf *out, const struct rbac_strings *strings)
{
    buf_add(out, STR("[]string"));
    if (strings->count == 0) {
        buf_add(out, STR("(nil)"));
        return;
    }
    buf_add_char(out, '{');
    for (size_t i = 0; i < strings->count; i++) {
        buf_add(out, i ? STR(", ") : STR(""));
        str_quote_go(out, strings->items[i]);
    }
    buf_add_char(out, '}');
}

static void print_extra(struct buf *out, const struct user_info *user)
{
    buf_add(out, STR("map[string][]string"));
    if (user->extra_count == 0) {
        buf_add(out, STR("(nil)"));
        return;
    }
    buf_add_char(out, '{');
    for (size_t i = 0; i < user->extra_count; i++) {
        buf_add(out, i ? STR(", ") : STR(""));
        str_quote_go(out, user->extra[i].key);
        buf_add_char(out, ':');
        print_strings(out, &user->extra[i].values);
    }
    buf_add_char(out, '}');
}

/* 400: groups, uid or extra without a user name. */
static struct error *no_name(const struct user_info *user)
{
    SCOPED(buf) text = {.limit = 16 * KILOBYTE};
    buf_add(&text, STR("requested &user.DefaultInfo{Name:\"\", UID:"));
    str_quote_go(&text, user->uid);
    buf_add(&text, STR(", Groups:"));
    print_strings(&text, &user->user.groups);
    buf_add(&text, STR(", Extra:"));
    print_extra(&text, user);
    buf_add(&text, STR("} without impersonating a user name"));
    return status_bad_request("%.*s", STR_ARG(buf_str(&text)));
}

/* Which kind of user a mode is for. */
enum target {
    TARGET_USER,
    TARGET_NODE,
    TARGET_ACCOUNT,
};

static enum target target_of(struct str name)
{
    const struct str prefix = STR("system:node:");
    struct str namespace, account;
    if (service_account_split(name, &namespace, &account))
        return TARGET_ACCOUNT;
    if (str_starts_with(name, prefix) &&
        validation_is_ok(validation_dns1123_subdomain(str_skip(name, prefix.len))))
        return TARGET_NODE;
    return TARGET_USER;
}

/* One way of being allowed. */
struct mode {
    struct str verb; /* on the attributes of the other user */
    struct str on;   /* prefix of the request's verb; empty for the old mode */
    enum target target;
};

static const struct mode modes[] = {
    {STR_INIT("impersonate:arbitrary-node"), STR_INIT("impersonate-on:arbitrary-node:"),
     TARGET_NODE                                                                                    },
    {STR_INIT("impersonate:serviceaccount"), STR_INIT("impersonate-on:serviceaccount:"),
     TARGET_ACCOUNT                                                                                 },
    {STR_INIT("impersonate:user-info"),      STR_INIT("impersonate-on:user-info:"),      TARGET_USER},
    {STR_INIT("impersonate"),                STR_INIT(""),                               TARGET_USER},
};

/* One attempt: a user, the user to impersonate, and the mode. */
struct attempt {
    const struct auth *auth;
    struct arena *arena;
    const struct rbac_attributes *request;
    const struct mode *mode;
    const struct user_info *wanted;
};

static bool is_constrained(const struct attempt *attempt)
{
    return attempt->mode->on.len > 0;
}

/* Nodes and accounts have constrained modes of their own, which take nothing but a name. */
static bool mode_applies(const struct attempt *attempt)
{
    const struct user_info *wanted = attempt->wanted;
    const bool has_name_only =
        wanted->uid.len == 0 && wanted->user.groups.count == 0 && wanted->extra_count == 0;
    if (!is_constrained(attempt))
        return true;
    if (attempt->mode->target != target_of(wanted->user.name))
        return false;
    return attempt->mode->target == TARGET_USER || has_name_only;
}

/* The attributes of a question: the verb of the mode on one attribute of the other user. */
static struct rbac_attributes attributes_of(const struct attempt *attempt, struct str group,
                                            struct str resource, struct str name)
{
    return (struct rbac_attributes){
        .user = attempt->request->user,
        .verb = attempt->mode->verb,
        .is_resource_request = true,
        .api_group = group,
        .resource = resource,
        .name = name,
    };
}

static struct error *ask_authorizer(const struct attempt *attempt,
                                    const struct rbac_attributes *attributes)
{
    return authorize(attempt->auth, attempt->arena, attributes);
}

/* The old mode authorizes users, groups and accounts in the core group. */
static struct str group_of_names(const struct attempt *attempt)
{
    return is_constrained(attempt) ? STR(GROUP) : STR("");
}

/* Constrained modes: may the user do this verb on this resource while impersonating? */
static struct error *ask_request(const struct attempt *attempt)
{
    struct rbac_attributes attributes = *attempt->request;
    if (!is_constrained(attempt))
        return NULL;
    attributes.verb = arena_print(attempt->arena, "%.*s%.*s", STR_ARG(attempt->mode->on),
                                  STR_ARG(attempt->request->verb));
    return ask_authorizer(attempt, &attributes);
}

/* Accounts and nodes get their implied groups unless groups were given. */
static struct error *ask_name(const struct attempt *attempt, struct user_info *user)
{
    const struct str name = attempt->wanted->user.name;
    struct rbac_attributes attributes =
        attributes_of(attempt, group_of_names(attempt), STR("users"), name);
    const enum target target = target_of(name);
    if (target == TARGET_NODE && is_constrained(attempt)) {
        attributes.resource = STR("nodes");
        attributes.name = str_skip(name, STR("system:node:").len);
        user->user.groups =
            auth_add_string(attempt->arena, (struct rbac_strings){NULL, 0}, STR("system:nodes"));
    }
    if (target == TARGET_ACCOUNT) {
        attributes.resource = STR("serviceaccounts");
        service_account_split(name, &attributes.namespace, &attributes.name);
        if (user->user.groups.count == 0)
            user->user.groups = service_account_groups(attempt->arena, attributes.namespace);
    }
    return ask_authorizer(attempt, &attributes);
}

static struct error *ask_uid(const struct attempt *attempt)
{
    const struct rbac_attributes attributes =
        attributes_of(attempt, STR(GROUP), STR("uids"), attempt->wanted->uid);
    return attempt->wanted->uid.len ? ask_authorizer(attempt, &attributes) : NULL;
}

/* Constrained modes never give system:masters. */
static struct error *ask_groups(const struct attempt *attempt)
{
    const struct rbac_strings *groups = &attempt->wanted->user.groups;
    struct rbac_attributes attributes =
        attributes_of(attempt, group_of_names(attempt), STR("groups"), STR(""));
    if (is_constrained(attempt) && rbac_strings_has(groups, STR("")))
        return rbac_forbidden(&attributes,
                              STR("impersonating the empty string group is not allowed"));
    if (is_constrained(attempt) && rbac_strings_has(groups, STR(GROUP_MASTERS))) {
        attributes.name = STR(GROUP_MASTERS);
        return rbac_forbidden(&attributes,
                              STR("impersonating the system:masters group is not allowed"));
    }
    for (size_t i = 0; i < groups->count; i++) {
        attributes.name = groups->items[i];
        TRY(ask_authorizer(attempt, &attributes));
    }
    return NULL;
}

/* "example.com/key" */
static bool is_domain_prefixed(struct str key)
{
    struct str rest = key, domain;
    return str_cut(&rest, '/', &domain) && rest.len &&
           validation_is_ok(validation_dns1123_subdomain(domain));
}

static struct error *check_extra(const struct rbac_attributes *attributes,
                                 const struct user_extra *extra)
{
    if (extra->key.len == 0)
        return rbac_forbidden(attributes,
                              STR("impersonating the empty string key in extra is not allowed"));
    if (!is_domain_prefixed(extra->key)) {
        SCOPED(buf) text = {.limit = 0};
        buf_add(&text, STR("impersonating an invalid key in extra is not allowed: extra.key: "
                           "Invalid value: "));
        str_quote_go(&text, extra->key);
        buf_add(&text, STR(": must be a domain-prefixed path (such as \"acme.io/foo\")"));
        return rbac_forbidden(attributes, buf_str(&text));
    }
    if (rbac_strings_has(&extra->values, STR("")))
        return rbac_forbidden(attributes,
                              STR("impersonating the empty string value in extra is not allowed"));
    return NULL;
}

static struct error *ask_extra(const struct attempt *attempt)
{
    const struct user_info *wanted = attempt->wanted;
    struct rbac_attributes attributes =
        attributes_of(attempt, STR(GROUP), STR("userextras"), STR(""));
    for (size_t i = 0; is_constrained(attempt) && i < wanted->extra_count; i++)
        TRY(check_extra(&attributes, &wanted->extra[i]));
    for (size_t i = 0; i < wanted->extra_count; i++) {
        attributes.subresource = wanted->extra[i].key;
        for (size_t j = 0; j < wanted->extra[i].values.count; j++) {
            attributes.name = wanted->extra[i].values.items[j];
            TRY(ask_authorizer(attempt, &attributes));
        }
    }
    return NULL;
}

/* The user to act as, if the mode allows all of it. */
static struct error *try_mode(const struct attempt *attempt, struct user_info *ret_user)
{
    struct user_info user = *attempt->wanted;
    TRY(ask_request(attempt));
    TRY(ask_name(attempt, &user));
    TRY(ask_uid(attempt));
    TRY(ask_groups(attempt));
    TRY(ask_extra(attempt));
    auth_add_common_group(attempt->arena, &user.user);
    user.is_anonymous = str_eq(user.user.name, STR(USER_ANONYMOUS));
    *ret_user = user;
    return NULL;
}

struct error *impersonate(const struct auth *auth, struct arena *arena,
                          const struct rbac_attributes *attributes, const struct user_info *user,
                          const struct http_headers *headers, struct user_info *ret_user)
{
    OWNED(error) first = NULL;
    const struct wanted wanted = read_headers(arena, headers);
    if (wanted.user.user.name.len == 0) {
        if (wanted.user.uid.len || wanted.user.user.groups.count || wanted.has_extra)
            return no_name(&wanted.user);
        *ret_user = *user;
        return NULL;
    }
    for (size_t i = 0; i < COUNT(modes); i++) {
        const struct attempt attempt = {auth, arena, attributes, &modes[i], &wanted.user};
        if (!mode_applies(&attempt))
            continue;
        OWNED(error) err = try_mode(&attempt, ret_user);
        if (!err)
            return NULL;
        if (!first)
            first = TAKE(err);
    }
    return TAKE(first);
}
