#include "apiserver/storage/store_compaction.h"

void store_compaction_begin(struct store_compaction *compaction, int64_t revision, int64_t now)
{
    compaction->floor = compaction->noted = revision;
    compaction->noted_at = now;
}

void store_compaction_advance(struct store_compaction *compaction, int64_t revision, int64_t now)
{
    const int64_t ended = (now - compaction->noted_at) / compaction->interval;
    if (ended < 1)
        return;
    compaction->floor = ended == 1 ? compaction->noted : revision;
    compaction->noted = revision;
    compaction->noted_at += ended * compaction->interval;
}
