/*
 * Built-in types as server-side apply sees them.
 *
 * The Go types (apiserver/types) say which fields there are and how a strategic merge patch treats
 * them. The markers of the published API (listType, listMapKey, mapType, structType) mostly say
 * the same; the tables below are where they differ. A place in the tables is a struct field_type
 * whose node is a type or a field, and whose flags say which.
 *
 * To add a kind: its type in apiserver/types, then every marker of it that no rule here derives.
 */
#include "apiserver/managedfields/field_type_internal.h"
#include "apiserver/types/go_types.h"

/* Flags of a place in the tables; the node is a type, or a field whose owner is in more. */
enum {
    AT_TYPE,
    AT_FIELD,
    AT_ITEM, /* an element of the field's list, a value of its map */
    AT_STRING,
};

/* Objects that are one value, by the name of their type. */
static const char *const atomic_types[] = {
    "LabelSelector",
    "ObjectReference",
    "OwnerReference",
    "LocalObjectReference",
    "TypedLocalObjectReference",
    "SecretReference",
    "SecretKeySelector",
    "ConfigMapKeySelector",
    "FileKeySelector",
    "ObjectFieldSelector",
    "ResourceFieldSelector",
    "NodeSelector",
    "NodeSelectorTerm",
    "TopologySelectorTerm",
    "ScopeSelector",
    "EndpointAddress",
    "EndpointPort",
    "RoleRef",
    "ServiceBackendPort",
    "Subject",
    "ParamKind",
    "ParamRef",
    "Variable",
    "MatchResources",
    "NamedRuleWithOperations",
};

/* Elements that more than one member identifies; the list is a map for patches, too. */
static const struct {
    const char *element;
    struct str keys[2];
} compound_keys[] = {
    {"ContainerPort",            {STR_INIT("containerPort"), STR_INIT("protocol")}       },
    {"ServicePort",              {STR_INIT("port"), STR_INIT("protocol")}                },
    {"TopologySpreadConstraint", {STR_INIT("topologyKey"), STR_INIT("whenUnsatisfiable")}},
};

/* Fields that a patch treats differently. The key is that of a map. */
enum rule {
    RULE_ATOMIC_MAP,
    RULE_GRANULAR, /* an object of an atomic type, of which each member has owners here */
    RULE_ATOMIC_LIST,
    RULE_SET,
    RULE_KEYED,
    RULE_NEVER_ABSENT,
};

static const struct field_rule {
    const char *owner, *field;
    enum rule rule;
    struct str key;
} rules[] = {
    {"PodSpec",                                "nodeSelector",         RULE_ATOMIC_MAP,   {0}                   },
    {"ServiceSpec",                            "selector",             RULE_ATOMIC_MAP,   {0}                   },
    {"ReplicationControllerSpec",              "selector",             RULE_ATOMIC_MAP,   {0}                   },
    {"Scheduling",                             "nodeSelector",         RULE_ATOMIC_MAP,   {0}                   },
    {"PersistentVolumeSpec",                   "claimRef",             RULE_GRANULAR,     {0}                   },
    {"PodStatus",                              "hostIPs",              RULE_ATOMIC_LIST,  {0}                   },
    {"JobStatus",                              "conditions",           RULE_ATOMIC_LIST,  {0}                   },
    {"Endpoint",                               "addresses",            RULE_SET,          {0}                   },
    {"CSIDriverSpec",                          "volumeLifecycleModes", RULE_SET,          {0}                   },
    {"UncountedTerminatedPods",                "succeeded",            RULE_SET,          {0}                   },
    {"UncountedTerminatedPods",                "failed",               RULE_SET,          {0}                   },
    {"PodFailurePolicyOnExitCodesRequirement", "values",               RULE_SET,          {0}                   },
    {"ContainerRestartRuleOnExitCodes",        "values",               RULE_SET,          {0}                   },
    {"ValidatingAdmissionPolicyBindingSpec",   "validationActions",    RULE_SET,          {0}                   },
    {"NodeAllocatableResourceClaimStatus",     "containers",           RULE_SET,          {0}                   },
    {"ResourcePolicyRule",                     "verbs",                RULE_SET,          {0}                   },
    {"ResourcePolicyRule",                     "apiGroups",            RULE_SET,          {0}                   },
    {"ResourcePolicyRule",                     "resources",            RULE_SET,          {0}                   },
    {"ResourcePolicyRule",                     "namespaces",           RULE_SET,          {0}                   },
    {"NonResourcePolicyRule",                  "verbs",                RULE_SET,          {0}                   },
    {"NonResourcePolicyRule",                  "nonResourceURLs",      RULE_SET,          {0}                   },
    {"ResourceStatus",                         "resources",            RULE_KEYED,        STR_INIT("resourceID")},
    {"ResourceRequirements",                   "claims",               RULE_KEYED,        STR_INIT("name")      },
    {"CertificateSigningRequestStatus",        "conditions",           RULE_KEYED,        STR_INIT("type")      },
    {"CustomResourceDefinitionStatus",         "conditions",           RULE_KEYED,        STR_INIT("type")      },
    {"ValidatingAdmissionPolicyStatus",        "conditions",           RULE_KEYED,        STR_INIT("type")      },
    {"PodSpec",                                "containers",           RULE_NEVER_ABSENT, {0}                   },
    {"CSINodeSpec",                            "drivers",              RULE_NEVER_ABSENT, {0}                   },
};

static const struct field_type_ops builtin_ops;

static struct field_type place(const void *node, const void *owner, unsigned flags)
{
    return (struct field_type){.ops = &builtin_ops, .node = node, .more = owner, .flags = flags};
}

static const struct field_rule *find_rule(struct field_type type)
{
    const struct go_type *owner = type.more;
    const struct go_field *field = type.node;
    for (size_t i = 0; owner && i < COUNT(rules); i++)
        if (strcmp(rules[i].owner, owner->name) == 0 && strcmp(rules[i].field, field->name) == 0)
            return &rules[i];
    return NULL;
}

/* Whether the table has this rule for the field. */
static bool has_rule(struct field_type type, enum rule rule)
{
    const struct field_rule *found = find_rule(type);
    return found && found->rule == rule;
}

/*
 * The reference of autoscaling/v2 has the same name as that of v1 and is not atomic; nor is a
 * subject of flow control, unlike that of a binding.
 */
static bool is_atomic_type(const struct go_type *type)
{
    if (type == &type_autoscaling_v1_cross_version_object_reference)
        return true;
    if (type == &type_flow_subject)
        return false;
    for (size_t i = 0; i < COUNT(atomic_types); i++)
        if (strcmp(atomic_types[i], type->name) == 0)
            return true;
    return false;
}

static struct field_shape object_shape(const struct go_type *type)
{
    return (struct field_shape){.forms = FIELD_MAP, .atomic_map = is_atomic_type(type)};
}

static struct field_shape scalar_shape(enum field_scalar scalar)
{
    return (struct field_shape){.forms = FIELD_SCALAR, .scalar = scalar};
}

/* The form of one element of a list, of one value of a map, or of a plain field. */
static struct field_shape item_shape(const struct go_field *field)
{
    switch ((enum go_field_kind)field->kind) {
    case GO_STRING:
    case GO_BYTES:
    case GO_DURATION:
        return scalar_shape(FIELD_SCALAR_STRING);
    case GO_BOOL:
        return scalar_shape(FIELD_SCALAR_BOOL);
    case GO_INT32:
    case GO_INT64:
    case GO_DOUBLE:
        return scalar_shape(FIELD_SCALAR_NUMBER);
    case GO_STRINGS:
        return (struct field_shape){.forms = FIELD_LIST};
    case GO_ANY:
    case GO_UNION:
        return (struct field_shape){
            .forms = FIELD_MAP | FIELD_SCALAR | FIELD_LIST,
            .atomic_map = true,
        };
    case GO_MESSAGE:
        return object_shape(field->type);
    case GO_QUANTITY:
    case GO_INT_OR_STRING:
    case GO_TIME:
    case GO_MICRO_TIME:
        break;
    }
    return scalar_shape(FIELD_SCALAR_ANY);
}

/*
 * Rules first. Without one, a list that a patch merges is a map by its merge key, or a set when it
 * has none; all others are atomic.
 */
static enum schema_list_type list_type(struct field_type type)
{
    const struct go_field *field = type.node;
    const struct field_rule *rule = find_rule(type);
    if (rule && rule->rule != RULE_NEVER_ABSENT)
        return rule->rule == RULE_KEYED ? SCHEMA_LIST_MAP
               : rule->rule == RULE_SET ? SCHEMA_LIST_SET
                                        : SCHEMA_LIST_ATOMIC;
    if (!(field->flags & GO_MERGE))
        return SCHEMA_LIST_ATOMIC;
    return field->merge_key ? SCHEMA_LIST_MAP : SCHEMA_LIST_SET;
}

static struct field_shape builtin_shape(struct field_type type)
{
    const struct go_field *field = type.node;
    if (type.flags == AT_STRING)
        return scalar_shape(FIELD_SCALAR_STRING);
    if (type.flags == AT_TYPE)
        return object_shape(type.node);
    if (type.flags == AT_FIELD && (field->flags & GO_LIST))
        return (struct field_shape){.forms = FIELD_LIST, .list = list_type(type)};
    if (type.flags == AT_FIELD && (field->flags & GO_MAP))
        return (struct field_shape){
            .forms = FIELD_MAP,
            .atomic_map = has_rule(type, RULE_ATOMIC_MAP),
        };
    struct field_shape shape = item_shape(field);
    if (type.flags == AT_FIELD && has_rule(type, RULE_GRANULAR))
        shape.atomic_map = false;
    return shape;
}

/*
 * What Go's struct holds when JSON lacks the member: fields that are no pointers have a zero
 * value, which is written again when they are required.
 */
static enum field_absent absent_as(struct field_type type)
{
    const struct go_field *field = type.node;
    if (field->flags & (GO_LIST | GO_MAP))
        return has_rule(type, RULE_NEVER_ABSENT) ? FIELD_ABSENT_NULL : FIELD_ABSENT;
    if (field->flags & GO_POINTER)
        return FIELD_ABSENT;
    if (field->kind == GO_MESSAGE)
        return FIELD_ABSENT_OBJECT;
    if (field->kind == GO_TIME || field->kind == GO_MICRO_TIME)
        return FIELD_ABSENT_NULL;
    if (!(field->flags & GO_REQUIRED))
        return FIELD_ABSENT;
    switch (item_shape(field).scalar) {
    case FIELD_SCALAR_STRING:
        return field->kind == GO_BYTES ? FIELD_ABSENT_NULL : FIELD_ABSENT_STRING;
    case FIELD_SCALAR_NUMBER:
        return FIELD_ABSENT_NUMBER;
    case FIELD_SCALAR_BOOL:
        return FIELD_ABSENT_BOOL;
    case FIELD_SCALAR_ANY:
        break;
    }
    return FIELD_ABSENT_NULL;
}

/* The type whose members an object has; NULL when it is none of ours. */
static const struct go_type *object_type(struct field_type type)
{
    const struct go_field *field = type.node;
    if (type.flags == AT_TYPE)
        return type.node;
    return type.flags != AT_STRING && field->kind == GO_MESSAGE ? field->type : NULL;
}

/* A member that a struct does not declare is refused; a map takes any. */
static bool builtin_member(struct field_type type, struct str name, struct field_member *ret_member)
{
    const struct go_field *field = type.node;
    *ret_member = (struct field_member){.declared = false};
    if (type.flags == AT_FIELD && (field->flags & GO_MAP)) {
        ret_member->type = place(field, type.more, AT_ITEM);
        return true;
    }
    const struct go_type *object = object_type(type);
    if (!object)
        return true;
    const struct go_field *member = go_type_field(object, name);
    if (!member)
        return false;
    ret_member->type = place(member, object, AT_FIELD);
    ret_member->declared = true;
    ret_member->absent = absent_as(ret_member->type);
    return true;
}

/* The elements of a list field, or of the lists inside of a map such as extra headers. */
static struct field_type builtin_element(struct field_type type)
{
    const struct go_field *field = type.node;
    if (type.flags == AT_FIELD && (field->flags & GO_LIST))
        return place(field, type.more, AT_ITEM);
    if (type.flags != AT_TYPE && type.flags != AT_STRING && field->kind == GO_STRINGS)
        return field_builtin_string();
    return (struct field_type){.ops = NULL};
}

/*
 * The keys of a list that is a map: of a rule, of an element with several keys, or, as NULL, the
 * merge key of the field.
 */
static const struct str *find_keys(struct field_type type, size_t *ret_count)
{
    const struct go_field *field = type.node;
    const struct field_rule *rule = find_rule(type);
    *ret_count = 1;
    if (rule && rule->rule == RULE_KEYED)
        return &rule->key;
    for (size_t i = 0; field->type && i < COUNT(compound_keys); i++)
        if (strcmp(compound_keys[i].element, field->type->name) == 0) {
            *ret_count = COUNT(compound_keys[i].keys);
            return compound_keys[i].keys;
        }
    return NULL;
}

static size_t builtin_key_count(struct field_type type)
{
    size_t count;
    find_keys(type, &count);
    return count;
}

static struct str builtin_key(struct field_type type, size_t index)
{
    size_t count;
    const struct str *keys = find_keys(type, &count);
    return keys ? keys[index] : str_from_c(((const struct go_field *)type.node)->merge_key);
}

/*
 * The value of a key that an element leaves out. Only the protocol of a port has a default other
 * than zero.
 */
static bool builtin_key_default(struct field_type type, struct str key, struct buf *out)
{
    const struct go_field *field = type.node;
    const struct go_field *member = field->type ? go_type_field(field->type, key) : NULL;
    if (!member)
        return false;
    const bool is_number = item_shape(member).scalar == FIELD_SCALAR_NUMBER;
    const bool is_reference = strcmp(field->type->name, "LocalObjectReference") == 0;
    if (str_eq(key, STR("protocol")))
        buf_add(out, STR("\"TCP\""));
    else if ((member->flags & GO_REQUIRED) || is_reference)
        buf_add(out, is_number ? STR("0") : STR("\"\""));
    else
        return false;
    return true;
}

static const struct field_type_ops builtin_ops = {
    .shape = builtin_shape,
    .member = builtin_member,
    .element = builtin_element,
    .key_count = builtin_key_count,
    .key = builtin_key,
    .key_default = builtin_key_default,
};

struct field_type field_builtin_metadata(void)
{
    return place(&type_object_meta, NULL, AT_TYPE);
}

struct field_type field_builtin_string(void)
{
    return place(&type_object_meta, NULL, AT_STRING);
}

bool field_type_of_builtin(struct gvk gvk, struct field_type *ret_type)
{
    const struct go_type *type = go_type_find(gvk);
    if (!type)
        return false;
    *ret_type = place(type, NULL, AT_TYPE);
    return true;
}

struct field_type field_type_of_go_type(const struct go_type *type)
{
    return place(type, NULL, AT_TYPE);
}
