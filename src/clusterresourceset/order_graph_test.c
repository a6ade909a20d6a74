#include "clusterresourceset/order_graph.h"

#include <stdio.h>

#include "testing/test.h"

#define NODES 4
#define EDGES ((size_t)NODES * NODES)

static struct key node(size_t i)
{
    static const char *const names[NODES] = {"a", "b", "c", "d"};
    return (struct key){STR("ns"), str_from_c(names[i])};
}

static bool has_edge(unsigned edges, size_t from, size_t to)
{
    return edges & 1U << (from * NODES + to);
}

/* The annotation of a set by its edges. */
static bool put_node(struct order_graph *graph, unsigned edges, size_t from)
{
    SCOPED(buf) text = {.limit = 0};
    for (size_t to = 0; to < NODES; to++)
        if (has_edge(edges, from, to))
            buf_print(&text, "%s%.*s", text.len ? ", " : "", STR_ARG(node(to).name));
    return order_graph_put(graph, node(from), buf_str(&text));
}

/* distances[from][to]: steps on the shortest way, at least one; 0: there is none. */
static void measure(unsigned edges, unsigned distances[NODES][NODES])
{
    for (size_t i = 0; i < EDGES; i++)
        distances[i / NODES][i % NODES] = has_edge(edges, i / NODES, i % NODES);
    for (size_t via = 0; via < NODES; via++)
        for (size_t from = 0; from < NODES; from++)
            for (size_t to = 0; to < NODES; to++) {
                const unsigned one = distances[from][via], other = distances[via][to];
                const unsigned sum = one && other ? one + other : 0;
                if (sum && (!distances[from][to] || sum < distances[from][to]))
                    distances[from][to] = sum;
            }
}

/* "a -> b -> a": along edges, and back to where it began. */
static void check_cycle(unsigned edges, size_t first, struct str cycle, unsigned length)
{
    size_t at = first;
    CHECK_EQ(cycle.len, length ? (size_t)5 * length + 1 : 0);
    for (size_t i = 0; i < cycle.len; i += 5) {
        const size_t next = (size_t)(cycle.ptr[i] - 'a');
        CHECK(i == 0 ? next == first : has_edge(edges, at, next));
        CHECK(i + 1 == cycle.len || str_eq(str_slice(cycle, i + 1, i + 5), STR(" -> ")));
        at = next;
    }
    CHECK_EQ(at, first);
}

static void count_follower(void *data, struct key set)
{
    ++((size_t *)data)[set.name.ptr[0] - 'a'];
}

static void check_node(struct order_graph *graph, unsigned edges, size_t i,
                       unsigned distances[NODES][NODES])
{
    SCOPED(arena) arena = {0};
    size_t followers[NODES] = {0}, dependents[NODES] = {0};
    check_cycle(edges, i, order_graph_find_cycle(graph, node(i), &arena), distances[i][i]);
    order_graph_each_follower(graph, node(i), count_follower, followers);
    order_graph_each_dependent(graph, node(i), count_follower, dependents);
    for (size_t j = 0; j < NODES; j++) {
        CHECK_EQ(followers[j], (size_t)(distances[j][i] > 0));
        CHECK_EQ(dependents[j], (size_t)has_edge(edges, j, i));
    }
}

/* All 65,536 graphs of four sets, in an order in which one edge comes or goes at a time. */
TEST(every_graph_of_four_sets_has_the_cycles_it_has)
{
    OWNED(order_graph) graph = order_graph_new();
    unsigned before = 0;
    for (unsigned i = 1; i <= 1U << EDGES; i++) {
        const unsigned edges = (i ^ i >> 1) & ((1U << EDGES) - 1);
        unsigned distances[NODES][NODES];
        for (size_t j = 0; j < NODES; j++)
            if ((edges ^ before) >> (j * NODES) & ((1U << NODES) - 1))
                CHECK(put_node(graph, edges, j));
        measure(edges, distances);
        for (size_t j = 0; j < NODES; j++)
            check_node(graph, edges, j, distances);
        before = edges;
    }
}

TEST(a_long_cycle_is_told_in_short)
{
    OWNED(order_graph) graph = order_graph_new();
    SCOPED(arena) arena = {0};
    for (int i = 0; i < 1000; i++) {
        char name[16], next[16];
        snprintf(name, sizeof(name), "s%d", i);
        snprintf(next, sizeof(next), "s%d", (i + 1) % 1000);
        order_graph_put(graph, (struct key){STR("ns"), str_from_c(name)}, str_from_c(next));
    }
    CHECK_EQ(order_graph_find_cycle(graph, (struct key){STR("ns"), STR("s998")}, &arena),
             STR("s998 -> s999 -> s0 -> s1 -> s2 -> s3 -> s4 -> s5 -> s6 -> s7 -> s8 -> s9 -> 988 "
                 "more -> s998"));
}

TEST(sets_of_other_namespaces_are_others)
{
    OWNED(order_graph) graph = order_graph_new();
    SCOPED(arena) arena = {0};
    const struct key here = {STR("x"), STR("a")}, there = {STR("y"), STR("b")};
    CHECK(order_graph_put(graph, here, STR("b")));
    CHECK(order_graph_put(graph, there, STR("a")));
    CHECK(!order_graph_put(graph, there, STR("a")));
    CHECK_EQ(order_graph_find_cycle(graph, here, &arena), STR(""));
    CHECK(!order_graph_is_named(graph, there));
    CHECK(order_graph_is_named(graph, (struct key){STR("x"), STR("b")}));
    size_t count[NODES] = {0};
    order_graph_each(graph, STR("x"), count_follower, count);
    CHECK_EQ(count[0], (size_t)1);
    CHECK_EQ(count[1], (size_t)0);
    CHECK_EQ(order_graph_names(graph, here).count, (size_t)1);
    CHECK(order_graph_put(graph, here, STR("")));
    CHECK_EQ(order_graph_names(graph, here).count, (size_t)0);
    CHECK(!order_graph_is_named(graph, (struct key){STR("x"), STR("b")}));
}
