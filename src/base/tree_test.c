#include "base/tree.h"

#include <stdio.h>

#include "base/random.h"
#include "testing/test.h"

#define KEY_MAX 32

static void *number(uintptr_t value)
{
    return (void *)value; /* NOLINT(performance-no-int-to-ptr): values are never followed */
}

/* Keys whose bytewise order is that of their numbers. */
static struct str key_of(size_t i, char text[static KEY_MAX])
{
    const int len = snprintf(text, KEY_MAX, "key-%06zu", i);
    return str_from(text, (size_t)len);
}

/* Parents, heights, balance and order of a whole subtree; returns the number of its nodes. */
static size_t check_subtree(const struct tree_node *node, const struct tree_node *parent)
{
    if (!node)
        return 0;
    const struct tree_node *less = node->child[0], *greater = node->child[1];
    CHECK_EQ((const void *)node->parent, (const void *)parent);
    const int left = less ? less->height : 0, right = greater ? greater->height : 0;
    CHECK(left - right >= -1 && left - right <= 1);
    CHECK_EQ((int)node->height, 1 + (left > right ? left : right));
    CHECK(!less || str_cmp(tree_key(less), tree_key(node)) < 0);
    CHECK(!greater || str_cmp(tree_key(node), tree_key(greater)) < 0);
    return 1 + check_subtree(less, node) + check_subtree(greater, node);
}

static void check_tree(const struct tree *tree)
{
    CHECK_EQ(check_subtree(tree->root, NULL), tree_count(tree));
}

TEST(tree_zero_is_empty)
{
    SCOPED(tree) tree = {0};
    CHECK_EQ(tree_count(&tree), (size_t)0);
    CHECK(tree_find(&tree, STR("a")) == NULL);
    CHECK(tree_take(&tree, STR("a")) == NULL);
    CHECK(!tree_remove(&tree, STR("a")));
    CHECK(tree_first(&tree) == NULL);
    CHECK(tree_seek(&tree, STR("")) == NULL && tree_seek_after(&tree, STR("")) == NULL);
    TREE_FOREACH (node, &tree)
        CHECK(node == NULL);
    tree_clear(&tree);
}

TEST(tree_orders_by_bytes)
{
    SCOPED(tree) tree = {0};
    const struct str sorted[] = {STR(""),  STR("\0"), STR("/a"), STR("/a/b"),
                                 STR("A"), STR("a"),  STR("ab"), STR("\xff")};
    for (size_t i = 0; i < COUNT(sorted); i++) {
        const size_t at = i * 5 % COUNT(sorted);
        CHECK(tree_put(&tree, sorted[at], number(at + 1)) == NULL);
    }
    size_t seen = 0;
    TREE_FOREACH (node, &tree) {
        CHECK_EQ(tree_key(node), sorted[seen]);
        CHECK_EQ(node->value, number(++seen));
    }
    CHECK_EQ(seen, COUNT(sorted));
    CHECK_EQ(tree_put(&tree, STR("a"), number(99)), number(6));
    CHECK_EQ(tree_get(&tree, STR("a")), number(99));
    CHECK_EQ(tree_count(&tree), COUNT(sorted));
}

TEST(tree_seeks)
{
    SCOPED(tree) tree = {0};
    tree_put(&tree, STR("b"), NULL);
    tree_put(&tree, STR("d"), NULL);
    tree_put(&tree, STR("db"), NULL);
    tree_put(&tree, STR("f"), NULL);
    const struct {
        const char *key, *at, *after;
    } cases[] = {
        {"",   "b",  "b" },
        {"a",  "b",  "b" },
        {"b",  "b",  "d" },
        {"c",  "d",  "d" },
        {"d",  "d",  "db"},
        {"da", "db", "db"},
        {"e",  "f",  "f" },
        {"f",  "f",  NULL},
        {"g",  NULL, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].key);
        const struct tree_node *at = tree_seek(&tree, str_from_c(cases[i].key));
        const struct tree_node *after = tree_seek_after(&tree, str_from_c(cases[i].key));
        CHECK_EQ(at ? tree_key(at) : STR(""), str_from_c(cases[i].at));
        CHECK_EQ(after ? tree_key(after) : STR(""), str_from_c(cases[i].after));
    }
}

static int released;

static void release(void *value)
{
    released += (int)(uintptr_t)value;
}

TEST(tree_releases_what_it_holds)
{
    SCOPED(tree) tree = {.release = release};
    tree_put(&tree, STR("1"), number(1));
    tree_put(&tree, STR("2"), number(10));
    tree_put(&tree, STR("3"), number(100));
    tree_put(&tree, STR("4"), number(1000));
    CHECK_EQ(tree_put(&tree, STR("1"), number(10000)), number(1));
    CHECK_EQ(tree_take(&tree, STR("2")), number(10));
    CHECK_EQ(released, 0);
    CHECK(tree_remove(&tree, STR("3")));
    CHECK_EQ(released, 100);
    tree_clear(&tree);
    CHECK_EQ(released, 11100);
    CHECK(tree_first(&tree) == NULL);
}

TEST(tree_elements_may_go_while_visited)
{
    for (size_t size = 0; size < 40; size++)
        for (size_t step = 1; step <= 3; step++) {
            SCOPED(tree) tree = {0};
            char key[KEY_MAX];
            for (size_t i = 0; i < size; i++)
                tree_put(&tree, key_of(i, key), number(i));
            size_t seen = 0;
            TREE_FOREACH (node, &tree) {
                CHECK_EQ(node->value, number(seen));
                if (seen++ % step == 0)
                    tree_remove_node(&tree, node);
            }
            TEST_CASE("every %zu of %zu", step, size);
            CHECK_EQ(seen, size);
            CHECK_EQ(tree_count(&tree), size - (size + step - 1) / step);
            check_tree(&tree);
        }
}

TEST(tree_stays_balanced_under_sorted_input)
{
    SCOPED(tree) tree = {0};
    char key[KEY_MAX];
    for (size_t i = 0; i < 20000; i++)
        tree_put(&tree, key_of(i, key), number(i));
    check_tree(&tree);
    CHECK(tree.root->height <= 20);
    for (size_t i = 0; i < 19000; i++)
        CHECK_EQ(tree_take(&tree, key_of(i, key)), number(i));
    check_tree(&tree);
    CHECK(tree.root->height <= 14);
}

/* Finds, neighbours and seeks against an array with a place for every key. */
static void compare(const struct tree *tree, const uintptr_t *model, size_t keys)
{
    char text[KEY_MAX];
    const struct tree_node *node = tree_first(tree);
    for (size_t i = 0; i < keys; i++) {
        const struct str key = key_of(i, text);
        CHECK_EQ(tree_find(tree, key), number(model[i]));
        CHECK_EQ((const void *)tree_seek(tree, key), (const void *)node);
        if (!model[i])
            continue;
        CHECK(node != NULL && str_eq(tree_key(node), key));
        CHECK_EQ((const void *)tree_seek_after(tree, key), (const void *)tree_next(node));
        node = tree_next(node);
    }
    CHECK(node == NULL);
    check_tree(tree);
}

TEST(tree_agrees_with_a_model)
{
    struct random random;
    random_init(&random, 77);
    for (size_t keys = 4; keys <= 256; keys *= 8) {
        SCOPED(tree) tree = {0};
        uintptr_t model[256] = {0};
        for (uintptr_t step = 1; step <= 10000; step++) {
            const size_t i = (size_t)random_below(&random, keys);
            char text[KEY_MAX];
            const struct str key = key_of(i, text);
            const bool put = random_below(&random, 100) < (step / 1000 % 2 ? 70 : 30);
            const uintptr_t value = put ? step : 0;
            TEST_CASE("%zu keys, step %zu", keys, (size_t)step);
            if (put)
                CHECK_EQ(tree_put(&tree, key, number(value)), number(model[i]));
            else
                CHECK_EQ(tree_take(&tree, key), number(model[i]));
            model[i] = value;
            if (step % 97 == 0)
                compare(&tree, model, keys);
        }
        compare(&tree, model, keys);
    }
}
