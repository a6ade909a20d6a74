/*
 * Nodes point at each other, so that a search follows pointers: with ten thousand sets that name 64
 * others each it takes milliseconds. Searches go breadth first, along `before` or `after`, and mark
 * the nodes they have seen with their number. There is no recursion: the length of a chain is up to
 * the users.
 */
#include "clusterresourceset/order_graph.h"

#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/memory.h"

#define CYCLE_SHOWN ((size_t)12) /* names of a cycle that are told */

struct node_list {
    struct order_node **items;
    size_t count, capacity;
};

struct order_node {
    char *namespace, *name;
    char *text; /* the annotation; NULL: none */
    struct arena arena;
    struct order_names names; /* of the annotation, in the arena */
    struct node_list before;  /* what it names */
    struct node_list after;   /* those that name it */
    uint64_t search;          /* the last one that saw it */
    struct order_node *from;  /* where that one came from */
};

struct order_graph {
    struct map nodes; /* "namespace/name" -> struct order_node */
    uint64_t search;
};

static void node_free(void *value)
{
    struct order_node *node = value;
    arena_done(&node->arena);
    mem_free((void *)node->before.items);
    mem_free((void *)node->after.items);
    mem_free(node->namespace);
    mem_free(node->name);
    mem_free(node->text);
    mem_free(node);
}

struct order_graph *order_graph_new(void)
{
    struct order_graph *graph = NEW(struct order_graph);
    graph->nodes.release = node_free;
    return graph;
}

void order_graph_free(struct order_graph *graph)
{
    if (!graph)
        return;
    map_done(&graph->nodes);
    mem_free(graph);
}

static struct key node_key(const struct order_node *node)
{
    return (struct key){str_from_c(node->namespace), str_from_c(node->name)};
}

static struct order_node *find_node(const struct order_graph *graph, struct key key)
{
    SCOPED(buf) text = {.limit = 0};
    if (!map_count(&graph->nodes))
        return NULL;
    key_write(&text, key);
    return map_find(&graph->nodes, buf_str(&text));
}

static struct order_node *open_node(struct order_graph *graph, struct key key)
{
    SCOPED(buf) text = {.limit = 0};
    struct order_node *node = find_node(graph, key);
    if (node)
        return node;
    node = NEW(struct order_node);
    node->namespace = mem_dup(key.namespace.ptr, key.namespace.len);
    node->name = mem_dup(key.name.ptr, key.name.len);
    key_write(&text, key);
    map_put(&graph->nodes, buf_str(&text), node);
    return node;
}

/* A node that says nothing and is not named goes. */
static void drop_if_unused(struct order_graph *graph, struct order_node *node)
{
    SCOPED(buf) text = {.limit = 0};
    if (node->text || node->after.count)
        return;
    key_write(&text, node_key(node));
    map_remove(&graph->nodes, buf_str(&text));
}

static void list_push(struct node_list *list, struct order_node *node)
{
    ARRAY_PUSH(list->items, list->count, list->capacity, node);
}

static void list_remove(struct node_list *list, const struct order_node *node)
{
    size_t at = 0;
    while (list->items[at] != node)
        at++;
    list->items[at] = list->items[--list->count];
}

static void unlink_names(struct order_graph *graph, struct order_node *node)
{
    for (size_t i = 0; i < node->before.count; i++) {
        list_remove(&node->before.items[i]->after, node);
        if (node->before.items[i] != node)
            drop_if_unused(graph, node->before.items[i]);
    }
    node->before.count = 0;
}

static void link_names(struct order_graph *graph, struct order_node *node)
{
    for (size_t i = 0; i < node->names.count; i++) {
        struct order_node *named =
            open_node(graph, (struct key){str_from_c(node->namespace), node->names.names[i]});
        list_push(&node->before, named);
        list_push(&named->after, node);
    }
}

bool order_graph_put(struct order_graph *graph, struct key set, struct str text)
{
    struct order_node *node = find_node(graph, set);
    if (str_eq(text, node ? str_from_c(node->text) : (struct str){0}))
        return false;
    if (!node)
        node = open_node(graph, set);
    unlink_names(graph, node);
    mem_free(node->text);
    node->text = text.len ? mem_dup(text.ptr, text.len) : NULL;
    arena_done(&node->arena);
    node->arena = (struct arena){0};
    node->names = order_read(text, &node->arena);
    link_names(graph, node);
    drop_if_unused(graph, node);
    return true;
}

struct order_names order_graph_names(const struct order_graph *graph, struct key set)
{
    const struct order_node *node = find_node(graph, set);
    return node ? node->names : (struct order_names){0};
}

bool order_graph_is_named(const struct order_graph *graph, struct key set)
{
    const struct order_node *node = find_node(graph, set);
    return node && node->after.count;
}

void order_graph_each(const struct order_graph *graph, struct str namespace,
                      order_graph_visit_fn *each, void *data)
{
    MAP_FOREACH (entry, &graph->nodes) {
        const struct order_node *node = entry->value;
        if (node->before.count && str_eq(str_from_c(node->namespace), namespace))
            each(data, node_key(node));
    }
}

void order_graph_each_dependent(const struct order_graph *graph, struct key set,
                                order_graph_visit_fn *each, void *data)
{
    const struct order_node *node = find_node(graph, set);
    for (size_t i = 0; node && i < node->after.count; i++)
        each(data, node_key(node->after.items[i]));
}

static void search_push(const struct order_graph *graph, struct node_list *found,
                        struct order_node *node, struct order_node *from)
{
    if (node->search == graph->search)
        return;
    node->search = graph->search;
    node->from = from;
    list_push(found, node);
}

void order_graph_each_follower(struct order_graph *graph, struct key set,
                               order_graph_visit_fn *each, void *data)
{
    struct order_node *node = find_node(graph, set);
    struct node_list found = {0};
    graph->search++;
    for (size_t at = 0; node; node = at < found.count ? found.items[at++] : NULL)
        for (size_t i = 0; i < node->after.count; i++)
            search_push(graph, &found, node->after.items[i], node);
    for (size_t i = 0; i < found.count; i++)
        each(data, node_key(found.items[i]));
    mem_free((void *)found.items);
}

/* The search went from the first node to the last; `from` leads back. Of a long way the end is left
 * out. */
static struct str write_cycle(const struct order_node *first, const struct order_node *last,
                              struct arena *arena)
{
    SCOPED(buf) text = {.limit = 0};
    size_t count = 1;
    for (const struct order_node *node = last; node != first; node = node->from)
        count++;
    const struct order_node **way =
        arena_alloc_array(arena, count, sizeof(const struct order_node *));
    const struct order_node *node = last;
    for (size_t i = count; i > 0; i--, node = node->from)
        way[i - 1] = node;
    for (size_t i = 0; i < count && i < CYCLE_SHOWN; i++)
        buf_print(&text, "%s -> ", way[i]->name);
    if (count > CYCLE_SHOWN)
        buf_print(&text, "%zu more -> ", count - CYCLE_SHOWN);
    buf_print(&text, "%s", first->name);
    return arena_str(arena, buf_str(&text));
}

struct str order_graph_find_cycle(struct order_graph *graph, struct key set, struct arena *arena)
{
    struct order_node *first = find_node(graph, set), *node = first;
    struct node_list found = {0};
    struct str cycle = {0};
    graph->search++;
    for (size_t at = 0; node && !cycle.len; node = at < found.count ? found.items[at++] : NULL)
        for (size_t i = 0; i < node->before.count; i++) {
            if (node->before.items[i] == first) {
                cycle = write_cycle(first, node, arena);
                break;
            }
            search_push(graph, &found, node->before.items[i], node);
        }
    mem_free((void *)found.items);
    return cycle;
}
