/* Memory that the driver reads: the tag that it waits for, and then every page
 * of what it submitted, one by one. */
#include "attach/neo/transport_internal.h"

#include <errno.h>
#include <string.h>

#include "attach/neo/page_hash.h"
#include "base/bytes.h"

struct attach_work attach_work = {.epoch = 1};

/* The page changed, and the driver has got nothing of it. */
static void owe(struct attach_stream *s, uint64_t page)
{
    attach_page_set(s->owed, page, true);
    if (s->parts[page % PARTS].page == page + 1)
        s->parts[page % PARTS].page = 0;
}

/* The driver gets a part of the page: [begin, end). */
static void hand_out(struct attach_stream *s, uint64_t page, uint32_t begin, uint32_t end)
{
    bool is_whole = end - begin == PAGE_SIZE;
    attach_page_set(s->owed, page, !is_whole);
    if (!is_whole)
        s->parts[page % PARTS] = (struct attach_part){page + 1, begin, end};
}

/* Does the driver lack some of that part? */
static bool lacks(const struct attach_stream *s, uint64_t page, uint32_t begin, uint32_t end)
{
    const struct attach_part *part = &s->parts[page % PARTS];
    return attach_page_bit(s->owed, page) &&
           !(part->page == page + 1 && part->begin <= begin && end <= part->end);
}

static void drop_run(struct attach_stream *s)
{
    struct attach_run *run = &s->run;
    /* The server will not send again by itself what was in the run. */
    for (uint64_t left = run->changed & ~run->used; left != 0; left &= left - 1)
        owe(s, run->first + (uint64_t)__builtin_ctzll(left));
    run->count = 0;
    run->changed = 0;
}

static void drop_news(struct attach_stream *s)
{
    struct attach_news *news = &s->news;
    for (uint32_t i = 0; i < news->count; i++) {
        attach_page_set(news->has, news->pages[i], false);
        if (!(news->used >> i & 1))
            owe(s, news->pages[i]);
    }
    news->count = 0;
    news->used = 0;
    news->epoch = 0;
}

void attach_read_drop(struct attach_stream *s)
{
    if (s->run.count != 0)
        drop_run(s);
    if (s->news.epoch != 0)
        drop_news(s);
}

/* Ask for a run of pages, for those in `wanted` in any case. */
static bool request_run(struct attach_stream *s, const uint8_t *message, uint64_t page,
                        uint32_t count, uint64_t wanted)
{
    uint8_t bytes[HEADER_SIZE + CHANGED_BODY];
    memcpy(bytes, message, HEADER_SIZE + MEMORY_BODY);
    base_store32(bytes, MESSAGE_READ_CHANGED);
    base_store32(bytes + 8, CHANGED_BODY);
    base_store32(bytes + HEADER_SIZE + 4, (uint32_t)(page * PAGE_SIZE));
    base_store32(bytes + HEADER_SIZE + 8, count * PAGE_SIZE);
    base_store64(bytes + HEADER_SIZE + MEMORY_BODY, wanted);
    return attach_stream_gather(s, bytes, sizeof bytes) && attach_stream_flush(s);
}

static bool request_news(struct attach_stream *s, const uint8_t *message)
{
    uint8_t bytes[HEADER_SIZE + MEMORY_BODY];
    memcpy(bytes, message, sizeof bytes);
    base_store32(bytes, MESSAGE_READ_NEWS);
    return attach_stream_gather(s, bytes, sizeof bytes) && attach_stream_flush(s);
}

static bool refuse(void)
{
    errno = EPROTO;
    return false;
}

/* What was sent before has been done: messages are taken one after the other. */
static void heard(struct attach_stream *s)
{
    attach_work.outstanding -= s->is_outstanding;
    s->is_outstanding = false;
}

/* The changed pages of a run, each to its place. */
static bool receive_run(struct attach_stream *s)
{
    struct attach_run *run = &s->run;
    uint8_t answer[HEADER_SIZE + CHANGED_BODY];
    if (!attach_stream_fetch(s, answer, sizeof answer))
        return false;
    heard(s);
    uint64_t changed = base_load64(answer + HEADER_SIZE + MEMORY_BODY);
    if (base_load32(answer) != MESSAGE_ANSWER ||
        (run->count < RUN_PAGES && changed >> run->count != 0))
        return refuse();
    run->changed = changed;
    for (uint32_t first = 0; first < run->count;) {
        uint32_t end = first;
        while (end < run->count && (changed >> end & 1))
            end++;
        if (end > first && !attach_stream_fetch(s, run->data + (size_t)first * PAGE_SIZE,
                                                (size_t)(end - first) * PAGE_SIZE))
            return false;
        first = end + 1;
    }
    return true;
}

/* Fetch the run of known pages that starts with `page`. Pages that are owed are
 * asked for only from one on that is asked for itself: many never are. */
static bool fetch_run(struct attach_stream *s, const uint8_t *message, uint64_t page)
{
    drop_run(s);
    uint32_t count = 1;
    bool is_owed = attach_page_bit(s->owed, page);
    uint64_t owed = is_owed;
    for (;
         count < RUN_PAGES && page + count < KNOWN_PAGES && attach_page_bit(s->known, page + count);
         count++) {
        is_owed = is_owed && attach_page_bit(s->owed, page + count);
        owed |= (uint64_t)is_owed << count;
    }
    s->run.first = page;
    s->run.count = count;
    s->run.used = 0;
    return request_run(s, message, page, count, owed) && receive_run(s);
}

/* Page numbers and data of the news. */
static bool receive_pages(struct attach_stream *s, uint32_t count)
{
    struct attach_news *news = &s->news;
    uint8_t numbers[4 * NEWS_PAGES];
    if (count == 0)
        return true;
    if (!attach_stream_fetch(s, numbers, 4 * (size_t)count) ||
        !attach_stream_fetch(s, news->data, (size_t)count * PAGE_SIZE))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t page = base_load32(numbers + 4 * (size_t)i);
        if (page >= KNOWN_PAGES || attach_page_bit(news->has, page))
            return refuse();
        attach_page_set(news->has, page, true);
        attach_page_set(s->owed, page, false);
        news->pages[news->count++] = page;
    }
    return true;
}

/* `words` dwords of marks of pages that changed, too many to come at once. */
static bool receive_marks(struct attach_stream *s, uint32_t words)
{
    uint8_t marks[4 * NEWS_PAGES];
    if (words > KNOWN_PAGES / 32)
        return refuse();
    for (uint32_t done = 0; done < words;) {
        uint32_t part = words - done < NEWS_PAGES ? words - done : NEWS_PAGES;
        if (!attach_stream_fetch(s, marks, 4 * (size_t)part))
            return false;
        for (uint32_t i = 0; i < 32 * part; i++)
            if (attach_page_bit(marks, i))
                owe(s, 32 * (uint64_t)done + i);
        done += part;
    }
    return true;
}

/* Ask for everything that changed. They hold until something is sent that may
 * start work, over any stream, if nothing is under way now. */
static bool fetch_news(struct attach_stream *s, const uint8_t *message)
{
    struct attach_news *news = &s->news;
    uint8_t answer[HEADER_SIZE + MEMORY_BODY + NEWS_BODY];
    attach_read_drop(s);
    news->refused = attach_work.epoch;
    if (!request_news(s, message) || !attach_stream_fetch(s, answer, sizeof answer))
        return false;
    heard(s);
    const uint8_t *body = answer + HEADER_SIZE + MEMORY_BODY;
    uint32_t state = base_load32(body), count = base_load32(body + 8);
    bool is_marked = state & NEWS_MARKED;
    if (base_load32(answer) != MESSAGE_ANSWER ||
        (!is_marked && (count > NEWS_PAGES || (count != 0 && !(state & NEWS_HOLD)))))
        return refuse();
    news->epoch = attach_work.epoch; /* for attach_read_drop to see them */
    if (is_marked ? !receive_marks(s, count) : !receive_pages(s, count))
        return false;
    if (!(state & NEWS_HOLD) || attach_work.outstanding != 0) {
        drop_news(s);
        return true;
    }
    attach_work.faults = base_load32(body + 4);
    attach_work.fault_epoch = attach_work.epoch;
    return true;
}

static bool news_hold(const struct attach_stream *s)
{
    return s->news.epoch == attach_work.epoch;
}

bool attach_read_is_had(const struct attach_stream *s, uint64_t page, uint32_t begin, uint32_t end)
{
    return news_hold(s) && !attach_page_bit(s->news.has, page) && !lacks(s, page, begin, end);
}

/* The place of the page among the news. */
static uint32_t find_news(const struct attach_news *news, uint64_t page)
{
    uint32_t i = 0;
    while (news->pages[i] != page)
        i++;
    return i;
}

/* The device's data of the page of which [begin, end) is read, NULL: it is as the
 * driver has it. *failed: the socket is. */
static const uint8_t *find_page(struct attach_stream *s, const uint8_t *message, uint64_t page,
                                uint32_t begin, uint32_t end, bool *failed)
{
    struct attach_news *news = &s->news;
    struct attach_run *run = &s->run;
    *failed = false;
    if (!news_hold(s) && news->refused != attach_work.epoch && (*failed = !fetch_news(s, message)))
        return NULL;
    if (news_hold(s) && attach_page_bit(news->has, page)) {
        uint32_t i = find_news(news, page);
        news->used |= 1ull << i;
        hand_out(s, page, begin, end);
        attach_page_set(news->has, page, end - begin != PAGE_SIZE);
        return news->data + (size_t)i * PAGE_SIZE;
    }
    if (news_hold(s) && !lacks(s, page, begin, end))
        return NULL;
    /* Each page of a run is handed out once: a driver that reads it again waits
     * for it to change. */
    uint64_t index = page - run->first;
    bool held = page >= run->first && index < run->count && !(run->used >> index & 1) &&
                ((run->changed >> index & 1) || !lacks(s, page, begin, end));
    if (!held && (*failed = !fetch_run(s, message, page)))
        return NULL;
    index = page - run->first;
    run->used |= 1ull << index;
    if (!(run->changed >> index & 1))
        return NULL;
    hand_out(s, page, begin, end);
    return run->data + index * PAGE_SIZE;
}

/* Tell the server that the driver has got a part of the page by the news. */
static bool tell_taken(struct attach_stream *s, const uint8_t *message)
{
    uint8_t bytes[HEADER_SIZE + MEMORY_BODY];
    memcpy(bytes, message, sizeof bytes);
    base_store32(bytes, MESSAGE_TAKEN);
    return attach_stream_gather(s, bytes, sizeof bytes);
}

bool attach_read_answer(struct attach_stream *s, const uint8_t *message, uint64_t address,
                        uint32_t size)
{
    uint64_t page = address / PAGE_SIZE;
    uint32_t begin = (uint32_t)(address % PAGE_SIZE);
    bool failed;
    const uint8_t *found = find_page(s, message, page, begin, begin + size, &failed);
    if (failed)
        return false;
    memcpy(s->answer, message, HEADER_SIZE + MEMORY_BODY);
    base_store32(s->answer, MESSAGE_ANSWER);
    s->answer_unchanged = found == NULL;
    s->answer_begin = 0;
    s->answer_end = HEADER_SIZE + MEMORY_BODY + size;
    if (found == NULL)
        return true;
    uint8_t *data = s->answer + HEADER_SIZE + MEMORY_BODY;
    memcpy(data, found + begin, size);
    s->hash[page] = size == PAGE_SIZE ? attach_page_hash(data) : 0;
    bool is_news = found >= s->news.data && found < s->news.data + sizeof s->news.data;
    return !is_news || tell_taken(s, message);
}

bool attach_stream_faults(uint32_t *count)
{
    *count = attach_work.faults;
    return attach_work.fault_epoch == attach_work.epoch;
}
