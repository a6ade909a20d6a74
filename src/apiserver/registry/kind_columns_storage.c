/*
 * Cells of PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment,
 * VolumeAttributesClass and the CSI kinds.
 */
#include "apiserver/registry/kind_columns_internal.h"
#include "base/owned.h"
#include "json/path.h"

/* An object that is being deleted is Terminating, whatever its phase. */
static void cell_phase(const struct kind_row *row, const struct kind_cell *cell)
{
    const bool deleting = !str_is_empty(json_path_str(row->object, "metadata.deletionTimestamp"));
    json_builder_str(row->out,
                     deleting ? STR("Terminating") : json_path_str(row->object, cell->path));
}

/* Short forms, in the order of this table, each once. */
static void add_access_modes(struct buf *text, const struct json_value *modes)
{
    static const char *const known[][2] = {
        {"ReadWriteOnce",    "RWO" },
        {"ReadOnlyMany",     "ROX" },
        {"ReadWriteMany",    "RWX" },
        {"ReadWriteOncePod", "RWOP"},
    };
    const struct json_value *mode;
    for (size_t i = 0; i < COUNT(known); i++)
        JSON_FOREACH (key, mode, modes)
            if (str_eq(json_to_str(mode), str_from_c(known[i][0]))) {
                kind_cell_part(text, ",", str_from_c(known[i][1]));
                break;
            }
}

static void cell_access_modes(const struct kind_row *row, const struct kind_cell *cell)
{
    SCOPED(buf) text = {0};
    add_access_modes(&text, json_path(row->object, cell->path));
    json_builder_str(row->out, buf_str(&text));
}

static void cell_claim(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *claim = json_path(row->object, cell->path);
    SCOPED(buf) text = {0};
    if (json_type(claim) == JSON_OBJECT)
        buf_print(&text, "%.*s/%.*s", STR_ARG(json_path_str(claim, "namespace")),
                  STR_ARG(json_path_str(claim, "name")));
    json_builder_str(row->out, buf_str(&text));
}

/* The beta annotation takes precedence over the field, as upstream. */
static void cell_storage_class(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *old = json_get(json_path(row->object, "metadata.annotations"),
                                            STR("volume.beta.kubernetes.io/storage-class"));
    json_builder_str(row->out, old ? json_to_str(old) : json_path_str(row->object, cell->path));
}

/* A text that Go has a pointer to: one that was given is shown, even when it is empty. */
static void cell_given(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *value = json_path(row->object, cell->path);
    json_builder_str(row->out, value ? json_to_str(value) : str_from_c(cell->otherwise));
}

static const struct kind_cell persistent_volume_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str,      "spec.capacity.storage",              "0"      },
    {cell_access_modes,  "spec.accessModes",                   NULL     },
    {kind_cell_str,      "spec.persistentVolumeReclaimPolicy", ""       },
    {cell_phase,         "status.phase",                       NULL     },
    {cell_claim,         "spec.claimRef",                      NULL     },
    {cell_storage_class, "spec.storageClassName",              NULL     },
    {cell_given,         "spec.volumeAttributesClassName",     "<unset>"},
    {kind_cell_str,      "status.reason",                      ""       },
    KIND_CELL_AGE,
    {kind_cell_str,      "spec.volumeMode",                    "<unset>"},
};

/* Capacity and access modes of a claim are shown once it is bound. */
static bool is_bound(const struct json_value *claim)
{
    return !str_is_empty(json_path_str(claim, "spec.volumeName"));
}

static void cell_bound_capacity(const struct kind_row *row, const struct kind_cell *cell)
{
    if (is_bound(row->object))
        kind_cell_str(row, cell);
    else
        json_builder_str(row->out, STR(""));
}

static void cell_bound_modes(const struct kind_row *row, const struct kind_cell *cell)
{
    if (is_bound(row->object))
        cell_access_modes(row, cell);
    else
        json_builder_str(row->out, STR(""));
}

static const struct kind_cell persistent_volume_claim_cells[] = {
    KIND_CELL_NAME,
    {cell_phase,          "status.phase",                   NULL     },
    {kind_cell_str,       "spec.volumeName",                ""       },
    {cell_bound_capacity, "status.capacity.storage",        "0"      },
    {cell_bound_modes,    "status.accessModes",             NULL     },
    {cell_storage_class,  "spec.storageClassName",          NULL     },
    {cell_given,          "spec.volumeAttributesClassName", "<unset>"},
    KIND_CELL_AGE,
    {kind_cell_str,       "spec.volumeMode",                "<unset>"},
};

/* Whether a StorageClass is marked as default, by the current or the beta annotation. */
static bool is_default(const struct json_value *object)
{
    const struct json_value *annotations = json_path(object, "metadata.annotations");
    return str_eq(json_to_str(
                      json_get(annotations, STR("storageclass.kubernetes.io/is-default-class"))),
                  STR("true")) ||
           str_eq(json_to_str(json_get(annotations,
                                       STR("storageclass.beta.kubernetes.io/is-default-class"))),
                  STR("true"));
}

static void cell_class_name(const struct kind_row *row, const struct kind_cell *cell)
{
    SCOPED(buf) text = {0};
    buf_add(&text, json_path_str(row->object, cell->path));
    if (is_default(row->object))
        buf_add(&text, STR(" (default)"));
    json_builder_str(row->out, buf_str(&text));
}

static const struct kind_cell storage_class_cells[] = {
    {cell_class_name, "metadata.name",        NULL       },
    {kind_cell_str,   "provisioner",          ""         },
    {kind_cell_str,   "reclaimPolicy",        "Delete"   },
    {kind_cell_str,   "volumeBindingMode",    "Immediate"},
    {kind_cell_bool,  "allowVolumeExpansion", NULL       },
    KIND_CELL_AGE,
};

static const struct kind_cell volume_attachment_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str,  "spec.attacher",                    ""  },
    {kind_cell_str,  "spec.source.persistentVolumeName", ""  },
    {kind_cell_str,  "spec.nodeName",                    ""  },
    {kind_cell_bool, "status.attached",                  NULL},
    KIND_CELL_AGE,
};

static void cell_audiences(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *requests = json_path(row->object, cell->path), *request;
    SCOPED(buf) text = {0};
    JSON_FOREACH (key, request, requests)
        kind_cell_part(&text, ",", json_path_str(request, "audience"));
    json_builder_str(row->out, json_type(requests) == JSON_ARRAY ? buf_str(&text) : STR("<unset>"));
}

static const struct kind_cell csi_driver_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_bool, "spec.attachRequired",       "true"  },
    {kind_cell_bool, "spec.podInfoOnMount",       NULL    },
    {kind_cell_bool, "spec.storageCapacity",      NULL    },
    {cell_audiences, "spec.tokenRequests",        NULL    },
    {kind_cell_bool, "spec.requiresRepublish",    NULL    },
    {kind_cell_join, "spec.volumeLifecycleModes", "<none>"},
    KIND_CELL_AGE,
};

static const struct kind_cell csi_node_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_count, "spec.drivers", NULL},
    KIND_CELL_AGE,
};

static const struct kind_cell csi_storage_capacity_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str, "storageClassName", ""       },
    {kind_cell_str, "capacity",         "<unset>"},
    KIND_CELL_AGE,
};

static const struct kind_cell volume_attributes_class_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str, "driverName", ""},
    KIND_CELL_AGE,
};

const struct kind_printer kind_printers_storage[] = {
    KIND_PRINTER(persistent_volume),    KIND_PRINTER(persistent_volume_claim),
    KIND_PRINTER(storage_class),        KIND_PRINTER(volume_attachment),
    KIND_PRINTER(csi_driver),           KIND_PRINTER(csi_node),
    KIND_PRINTER(csi_storage_capacity), KIND_PRINTER(volume_attributes_class),
};
const size_t kind_printers_storage_count = COUNT(kind_printers_storage);
