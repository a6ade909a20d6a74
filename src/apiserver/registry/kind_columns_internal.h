/*
 * The columns of built-in kinds, and the functions that make their cells. Private to
 * kind_columns*.c.
 *
 * A struct kind points to its columns (kind_columns_table.c). A struct kind_printer assigns an
 * array of cells to each array of columns, in the same order. A cell is a function, a path and a
 * default text; most functions are shared between kinds. A function uses nothing but the object and
 * the time.
 *
 * To add a kind: its columns in kind_columns_table.c and below, its cells and a KIND_PRINTER() in
 * one of kind_columns_{core,workload,cluster,storage}.c. A test compares all of them with recorded
 * Tables.
 */
#pragma once

#include <stddef.h>

#include "apiserver/registry/kind.h"
#include "base/buf.h"

extern const struct kind_column kind_columns_default[2]; /* Name, Created At */
extern const struct kind_column kind_columns_plain[2];   /* Name, Age */
extern const struct kind_column kind_columns_config_map[3];
extern const struct kind_column kind_columns_secret[4];
extern const struct kind_column kind_columns_namespace[3];
extern const struct kind_column kind_columns_service[7];
extern const struct kind_column kind_columns_event[10];
extern const struct kind_column kind_columns_pod[9];
extern const struct kind_column kind_columns_pod_template[4];
extern const struct kind_column kind_columns_node[10];
extern const struct kind_column kind_columns_persistent_volume[11];
extern const struct kind_column kind_columns_persistent_volume_claim[9];
extern const struct kind_column kind_columns_endpoints[3];
extern const struct kind_column kind_columns_resource_quota[4];
extern const struct kind_column kind_columns_replicas[8]; /* ReplicaSet, ReplicationController */
extern const struct kind_column kind_columns_deployment[8];
extern const struct kind_column kind_columns_stateful_set[5];
extern const struct kind_column kind_columns_daemon_set[11];
extern const struct kind_column kind_columns_controller_revision[4];
extern const struct kind_column kind_columns_job[8];
extern const struct kind_column kind_columns_cron_job[10];
extern const struct kind_column kind_columns_role_binding[6];
extern const struct kind_column kind_columns_ingress[6];
extern const struct kind_column kind_columns_ingress_class[4];
extern const struct kind_column kind_columns_network_policy[3];
extern const struct kind_column kind_columns_ip_address[3];
extern const struct kind_column kind_columns_service_cidr[3];
extern const struct kind_column kind_columns_pod_disruption_budget[5];
extern const struct kind_column kind_columns_storage_class[6];
extern const struct kind_column kind_columns_volume_attachment[6];
extern const struct kind_column kind_columns_csi_driver[8];
extern const struct kind_column kind_columns_csi_node[3];
extern const struct kind_column kind_columns_csi_storage_capacity[4];
extern const struct kind_column kind_columns_volume_attributes_class[3];
extern const struct kind_column kind_columns_webhook_configuration[3];
extern const struct kind_column kind_columns_admission_policy[4];
extern const struct kind_column kind_columns_admission_policy_binding[4];
extern const struct kind_column kind_columns_mutating_policy[4];
extern const struct kind_column kind_columns_api_service[4];
extern const struct kind_column kind_columns_lease[3];
extern const struct kind_column kind_columns_priority_class[5];
extern const struct kind_column kind_columns_endpoint_slice[5];
extern const struct kind_column kind_columns_runtime_class[3];
extern const struct kind_column kind_columns_horizontal_pod_autoscaler[7];
extern const struct kind_column kind_columns_certificate_signing_request[6];
extern const struct kind_column kind_columns_flow_schema[6];
extern const struct kind_column kind_columns_priority_level_configuration[7];

/* What a cell function may use: the object, the time, and the open array of cells. */
struct kind_row {
    const struct kind *kind;
    const struct json_value *object;
    timestamp now;
    struct json_builder *out;
};

struct kind_cell;
typedef void kind_cell_fn(const struct kind_row *row, const struct kind_cell *cell);

struct kind_cell {
    kind_cell_fn *write;
    const char *path;      /* of the value; see json_path() */
    const char *otherwise; /* shown when the value is absent or empty */
};

/* The cells that belong to a set of columns, in their order. */
struct kind_printer {
    const struct kind_column *columns;
    const struct kind_cell *cells;
    size_t count;
};

#define KIND_PRINTER(of)                                 \
    {                                                    \
        kind_columns_##of, of##_cells, COUNT(of##_cells) \
    }

/* The cells that nearly all kinds have. */
#define KIND_CELL_NAME                     \
    {                                      \
        kind_cell_str, "metadata.name", "" \
    }
#define KIND_CELL_AGE                                     \
    {                                                     \
        kind_cell_age, "metadata.creationTimestamp", NULL \
    }

/* Adds a part to a text, with the separator if the text is not empty. */
void kind_cell_part(struct buf *text, const char *separator, struct str part);

/* Adds a word in lower case. */
void kind_cell_lower(struct buf *text, struct str word);

/* A list of which the first few parts are shown, and how many more there are. */
#define KIND_CELL_LIST_MAX 3
struct kind_cell_list {
    struct buf text;
    size_t count;
};

void kind_cell_list_done(struct kind_cell_list *list);
void kind_cell_list_add(struct kind_cell_list *list, struct str part);

/* Makes the text "a,b,c + 2 more...". */
void kind_cell_list_finish(struct kind_cell_list *list);

/* A number at a path; 0 when absent. */
int64_t kind_cell_number(const struct json_value *object, const char *path);

/* Writes a number to `text` and returns a view of it. */
#define KIND_CELL_DIGITS_MAX 24
struct str kind_cell_digits(int64_t number, char text[static KIND_CELL_DIGITS_MAX]);

/* Whether a condition of status.conditions is True. */
bool kind_cell_has_condition(const struct json_value *object, struct str type);

/* Cells that show a value at a path. */
kind_cell_fn kind_cell_str;
kind_cell_fn kind_cell_int;
kind_cell_fn kind_cell_bool;       /* an absent value is true if `otherwise` is not NULL */
kind_cell_fn kind_cell_count;      /* elements or members */
kind_cell_fn kind_cell_age;        /* of a time */
kind_cell_fn kind_cell_join;       /* an array of strings, with commas */
kind_cell_fn kind_cell_labels;     /* a map of labels: "a=b,c=d" */
kind_cell_fn kind_cell_selector;   /* a label selector */
kind_cell_fn kind_cell_containers; /* names, of a pod spec */
kind_cell_fn kind_cell_images;     /* of a pod spec */
kind_cell_fn kind_cell_balancer;   /* addresses or names of a load balancer */

/* Cells of pods. */
kind_cell_fn kind_cell_pod_ready;
kind_cell_fn kind_cell_pod_status;
kind_cell_fn kind_cell_pod_restarts;
kind_cell_fn kind_cell_pod_ip;
kind_cell_fn kind_cell_pod_gates;

extern const struct kind_printer kind_printers_core[];
extern const size_t kind_printers_core_count;
extern const struct kind_printer kind_printers_workload[];
extern const size_t kind_printers_workload_count;
extern const struct kind_printer kind_printers_cluster[];
extern const size_t kind_printers_cluster_count;
extern const struct kind_printer kind_printers_storage[];
extern const size_t kind_printers_storage_count;
