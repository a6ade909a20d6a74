#include "base/list.h"

#include "testing/test.h"

struct item {
    int value;
    struct list_link link;
};

static int digits(const struct list *list)
{
    int sum = 0;
    LIST_FOREACH (struct item, item, list, link)
        sum = sum * 10 + item->value;
    return sum;
}

TEST(list_keeps_order)
{
    struct list list, other;
    list_init(&list);
    list_init(&other);
    struct item items[4] = {{.value = 1}, {.value = 2}, {.value = 3}, {.value = 4}};
    CHECK(list_is_empty(&list));
    CHECK(list_take_first(&list) == NULL);
    list_append(&list, &items[0].link);
    list_append(&list, &items[1].link);
    list_prepend(&list, &items[2].link);
    CHECK_EQ(digits(&list), 312);

    list_append(&other, &items[3].link);
    list_append_all(&list, &other);
    CHECK(list_is_empty(&other));
    CHECK_EQ(digits(&list), 3124);

    list_remove(&items[0].link);
    list_remove(&items[0].link);
    CHECK(!list_link_is_in(&items[0].link));
    CHECK_EQ(digits(&list), 324);
    CHECK(list_take_first(&list) == &items[2].link);
    CHECK_EQ(digits(&list), 24);
}

TEST(list_elements_may_go_while_visited)
{
    struct list list;
    list_init(&list);
    struct item items[3] = {{.value = 1}, {.value = 2}, {.value = 3}};
    for (int i = 0; i < 3; i++)
        list_append(&list, &items[i].link);
    LIST_FOREACH (struct item, item, &list, link)
        list_remove(&item->link);
    CHECK(list_is_empty(&list));
}

TEST(list_visits_nest_and_stop)
{
    struct list list;
    list_init(&list);
    struct item items[4] = {{.value = 1}, {.value = 2}, {.value = 3}, {.value = 4}};
    for (int i = 0; i < 4; i++)
        list_append(&list, &items[i].link);
    int seen = 0;
    LIST_FOREACH (struct item, outer, &list, link) {
        if (outer->value == 2)
            continue;
        if (outer->value == 4)
            break;
        LIST_FOREACH (struct item, inner, &list, link) {
            seen = seen * 10 + inner->value;
            if (inner->value == outer->value)
                break;
        }
    }
    CHECK_EQ(seen, 1123);
}
