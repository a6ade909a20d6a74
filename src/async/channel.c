#include "async/channel.h"

#include <assert.h>

#include "async/event.h"
#include "base/memory.h"

struct channel {
    void **elements;
    size_t capacity, first, count;
    void (*release)(void *element);
    struct event room, work;
    bool closed;
};

struct channel *channel_new(size_t capacity, void (*release)(void *element))
{
    assert(capacity > 0);
    struct channel *channel = NEW(struct channel);
    channel->elements = mem_realloc_array(NULL, capacity, sizeof(void *));
    channel->capacity = capacity;
    channel->release = release;
    return channel;
}

static void *take(struct channel *channel)
{
    void *element = channel->elements[channel->first];
    channel->first = (channel->first + 1) % channel->capacity;
    channel->count--;
    return element;
}

void channel_free(struct channel *channel)
{
    if (!channel)
        return;
    assert(!event_has_waiters(&channel->room) && !event_has_waiters(&channel->work));
    while (channel->count) {
        void *element = take(channel);
        if (channel->release)
            channel->release(element);
    }
    mem_free(channel->elements);
    mem_free(channel);
}

bool channel_try_send(struct channel *channel, void *element)
{
    if (channel->closed || channel->count == channel->capacity)
        return false;
    channel->elements[(channel->first + channel->count++) % channel->capacity] = element;
    event_wake_one(&channel->work);
    return true;
}

struct error *channel_send(struct channel *channel, void *element)
{
    while (!channel->closed && channel->count == channel->capacity)
        TRY(event_wait(&channel->room, "room in a channel"));
    if (channel->closed)
        return error_new(ERROR_CANCELED, "the channel is closed");
    channel_try_send(channel, element);
    return NULL;
}

struct error *channel_receive(struct channel *channel, void **ret_element)
{
    while (!channel->count && !channel->closed)
        TRY(event_wait(&channel->work, "an element of a channel"));
    *ret_element = channel->count ? take(channel) : NULL;
    event_wake_one(&channel->room);
    return NULL;
}

void channel_close(struct channel *channel)
{
    channel->closed = true;
    event_wake_all(&channel->work);
    event_wake_all(&channel->room);
}

size_t channel_count(const struct channel *channel)
{
    return channel->count;
}
