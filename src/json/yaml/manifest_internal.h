/*
 * Shared by the manifest sources: events of libyaml become nodes, nodes become JSON documents.
 *
 * The steps are separate because they are in Kubernetes: a syntax error at the end of a document is
 * reported before a wrong tag at its beginning.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "json/yaml/manifest.h"
#include "json/yaml/yaml_scalar.h"

/* Position in the chunk of text at work, from 0. */
struct manifest_mark {
    size_t line, column;
};

/*
 * libyaml looks at every open flow collection for each token. Both the nesting and the product of
 * nesting and length are bounded, so that what a stranger sends takes some 50 ms at most. JSON is
 * not read by libyaml and may nest as deep as JSON may.
 */
#define MANIFEST_FLOW_WORK_MAX ((size_t)4 * 1000 * 1000)

/* Bytes that may be parsed again because of escapes that libyaml does not know. */
#define MANIFEST_REREAD_MAX (16 * MEGABYTE)

/* Memory of a value in a document, without its text. */
#define MANIFEST_VALUE_SIZE 16

/* One call of a public function, with the remainder of each of its limits. */
struct manifest_scope {
    struct manifest_options limits;
    struct manifest_fault fault;
    size_t nodes_left, memory_left, flow_work_left, reread_left;
    size_t chunks;      /* chunks given to a parser, chunks of comments included */
    bool doubles;       /* every number becomes a double */
    bool drops_rest;    /* text behind the end of a document is no error */
    struct str before;  /* the text in front of the chunk at work */
    struct arena arena; /* of the document at work */
    struct buf json;    /* text of the JSON object at work */
};

void manifest_scope_init(struct manifest_scope *scope, const struct manifest_options *options,
                         bool doubles);
void manifest_scope_done(struct manifest_scope *scope);

/* Releases the memory of one document, before the next. */
void manifest_scope_clear(struct manifest_scope *scope);

/* Records the fault; the message starts with "line 1, column 2: ". */
MUST_USE struct error *manifest_fail(struct manifest_scope *scope, enum manifest_error error,
                                     struct manifest_mark mark, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* The line of the whole text, counted from 1, given a place in the current chunk. */
size_t manifest_line(const struct manifest_scope *scope, struct manifest_mark mark);

/* Sets the place of the fault, given a place in the current chunk. */
void manifest_fault_at(struct manifest_scope *scope, struct manifest_mark mark);

/* Fails because of the text as a whole; the fault has no place. */
MUST_USE struct error *manifest_fail_overall(struct manifest_scope *scope,
                                             enum manifest_error error, const char *format, ...)
    PRINTF_LIKE(3, 4);

enum manifest_node_kind { NODE_SCALAR, NODE_SEQUENCE, NODE_MAPPING, NODE_ALIAS };

/* Children hang in a list; those of a mapping are key, value, key, value. */
struct manifest_node {
    enum manifest_node_kind kind : 8;
    enum scalar_tag tag : 8;
    bool plain : 1;    /* a scalar without quotes */
    bool implicit : 1; /* a plain scalar without a tag, or any with the tag "!" */
    bool flow : 1;     /* [] or {} */
    bool active : 1;   /* an alias that is being expanded */
    bool moved;        /* the text has been copied into the document that is being built */
    uint32_t line, column;
    struct manifest_node *next;
    union {
        struct str text;              /* of a scalar */
        struct manifest_node *target; /* of an alias */
        struct {
            struct manifest_node *first, *last;
        };
    };
};

static inline struct manifest_mark manifest_node_mark(const struct manifest_node *node)
{
    return (struct manifest_mark){node->line, node->column};
}

/* A document, with the number of its nodes and the sum of their text lengths. */
struct manifest_tree {
    struct manifest_node *root; /* NULL for a chunk without a document */
    size_t nodes, text;
};

/* Reads the one document of a chunk. */
MUST_USE struct error *manifest_parse(struct manifest_scope *scope, struct str chunk,
                                      struct manifest_tree *ret_tree);

/* Resolves scalars, aliases and merges. */
MUST_USE struct error *manifest_build(struct manifest_scope *scope,
                                      const struct manifest_tree *tree, struct json_doc **ret_doc);

/* A double if scope->doubles is set, except for integers that a double holds exactly. */
struct scalar_number manifest_form_number(const struct manifest_scope *scope,
                                          struct scalar_number number);

/* Reads a chunk that consists of JSON objects only. False for any other chunk. */
bool manifest_read_objects(struct manifest_scope *scope, struct str chunk,
                           struct manifest_list *list);

/* Reads a JSON array whose elements are objects. */
MUST_USE struct error *manifest_read_list(struct manifest_scope *scope, struct str text,
                                          struct manifest_list *list);

/* The list takes the document. */
void manifest_list_add(struct manifest_list *list, struct json_doc *doc);
void manifest_list_truncate(struct manifest_list *list, size_t count);
MUST_USE struct error *manifest_check_count(struct manifest_scope *scope,
                                            const struct manifest_list *list);

/* Iterates over the documents of a stream. */
struct manifest_splitter {
    struct str text; /* lines that end in LF */
    size_t at;
    size_t start; /* of the chunk, or of the separator that is wrong */
};

enum manifest_split { SPLIT_CHUNK, SPLIT_END, SPLIT_BAD_SEPARATOR };

/* ret_chunk is the text behind the dashes for SPLIT_BAD_SEPARATOR. */
enum manifest_split manifest_split_next(struct manifest_splitter *splitter, struct str *ret_chunk);

/* CRLF becomes LF and the last line gets one; copy holds the text if it had to change. */
struct str manifest_normalize(struct str text, struct buf *copy);

/* Removes Unicode white space at both ends, as strings.TrimSpace() in Go. */
struct str manifest_trim(struct str text);
