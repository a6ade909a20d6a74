/*
 * Groups, versions, kinds and resources: their texts, and the order of versions.
 *
 * Texts are those of k8s.io/apimachinery/pkg/runtime/schema: "apps/v1", "Deployment.apps",
 * "deployments.v1.apps". Versions of the form v1, v2beta3, v1alpha1 are ordered by stability, see
 * version_cmp().
 */
#include "apimachinery/gvk.h"

#include "base/ascii.h"

bool gvk_eq(struct gvk a, struct gvk b)
{
    return str_eq(a.kind, b.kind) && str_eq(a.group, b.group) && str_eq(a.version, b.version);
}

bool gvr_eq(struct gvr a, struct gvr b)
{
    return str_eq(a.resource, b.resource) && str_eq(a.group, b.group) &&
           str_eq(a.version, b.version);
}

struct gvk gvk_copy(struct arena *arena, struct gvk gvk)
{
    return (struct gvk){arena_str(arena, gvk.group), arena_str(arena, gvk.version),
                        arena_str(arena, gvk.kind)};
}

struct gvr gvr_copy(struct arena *arena, struct gvr gvr)
{
    return (struct gvr){arena_str(arena, gvr.group), arena_str(arena, gvr.version),
                        arena_str(arena, gvr.resource)};
}

struct error *gvk_from_api_version(struct str api_version, struct str kind, struct gvk *ret_gvk)
{
    struct str rest = api_version, head;
    const bool has_group = str_cut(&rest, '/', &head);
    if (str_find_char(rest, '/') != STR_NONE)
        return error_new(ERROR_INVALID, "unexpected GroupVersion string: %.*s",
                         STR_ARG(api_version));
    *ret_gvk = has_group ? (struct gvk){head, rest, kind} : (struct gvk){STR(""), head, kind};
    return NULL;
}

static struct str write_api_version(struct arena *arena, struct str group, struct str version)
{
    if (group.len == 0)
        return arena_str(arena, version);
    return arena_print(arena, "%.*s/%.*s", STR_ARG(group), STR_ARG(version));
}

struct str gvk_api_version(struct arena *arena, struct gvk gvk)
{
    return write_api_version(arena, gvk.group, gvk.version);
}

static struct str with_group(struct arena *arena, struct str name, struct str group)
{
    if (group.len == 0)
        return arena_str(arena, name);
    return arena_print(arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(group));
}

struct str gvk_group_kind(struct arena *arena, struct gvk gvk)
{
    return with_group(arena, gvk.kind, gvk.group);
}

struct str gvr_group_resource(struct arena *arena, struct gvr gvr)
{
    return with_group(arena, gvr.resource, gvr.group);
}

/* The stability of a version, least first. */
enum stage {
    STAGE_ALPHA,
    STAGE_BETA,
    STAGE_STABLE,
};

/* Takes a number without leading zeros off the front. */
static bool take_number(struct str *rest, uint64_t *ret_number)
{
    size_t len = 0;
    while (len < rest->len && ascii_is_digit(rest->ptr[len]))
        len++;
    const struct str digits = str_slice(*rest, 0, len);
    *rest = str_skip(*rest, len);
    return len > 0 && digits.ptr[0] != '0' && str_to_uint64(digits, ret_number);
}

/* "v", a number, and optionally "alpha" or "beta" with a second number. */
static bool read_version(struct str rest, enum stage *ret_stage, uint64_t ret_numbers[static 2])
{
    if (!str_starts_with(rest, STR("v")))
        return false;
    rest = str_skip(rest, 1);
    ret_numbers[1] = 0;
    *ret_stage = STAGE_STABLE;
    if (!take_number(&rest, &ret_numbers[0]))
        return false;
    if (rest.len == 0)
        return true;
    const struct str alpha = STR("alpha"), beta = STR("beta");
    *ret_stage = str_starts_with(rest, alpha) ? STAGE_ALPHA : STAGE_BETA;
    if (*ret_stage == STAGE_BETA && !str_starts_with(rest, beta))
        return false;
    rest = str_skip(rest, *ret_stage == STAGE_ALPHA ? alpha.len : beta.len);
    return take_number(&rest, &ret_numbers[1]) && rest.len == 0;
}

/* The greater number comes first. */
static int descending(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

/* CompareKubeAwareVersionStrings() of apimachinery/pkg/version, with the opposite sign. */
int version_cmp(struct str a, struct str b)
{
    enum stage stage_a = STAGE_STABLE, stage_b = STAGE_STABLE;
    uint64_t numbers_a[2] = {0}, numbers_b[2] = {0};
    const bool known_a = read_version(a, &stage_a, numbers_a);
    const bool known_b = read_version(b, &stage_b, numbers_b);
    if (known_a != known_b)
        return known_a ? -1 : 1;
    if (!known_a)
        return str_cmp(a, b);
    if (stage_a != stage_b)
        return descending(stage_a, stage_b);
    const int major = descending(numbers_a[0], numbers_b[0]);
    return major ? major : descending(numbers_a[1], numbers_b[1]);
}
