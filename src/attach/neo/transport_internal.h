/* Shared by the parts of a stream: transport.c (what the driver sends),
 * transport_pages.c (memory that it writes), transport_read.c (memory that it
 * reads). */
#ifndef SONDE_ATTACH_NEO_TRANSPORT_INTERNAL_H
#define SONDE_ATTACH_NEO_TRANSPORT_INTERNAL_H

#include "attach/neo/transport.h"

/* Messages of the TBX protocol: u32 type, u32 transaction, u32 body size, then
 * the body; the data of a memory write follow its body, uncounted. */
#define MESSAGE_MMIO    0u
#define MESSAGE_GTT     2u
#define MESSAGE_WRITE   4u
#define MESSAGE_READ    5u
#define MESSAGE_ANSWER  6u
#define MESSAGE_CONTROL 11u
/* Sonde's own, to its own server (src/device/wire.h says what each does). */
#define MESSAGE_GATHERED     0x53000000u
#define MESSAGE_WRITE_ZEROS  0x53000004u
#define MESSAGE_WRITE_SAME   0x53000014u
#define MESSAGE_READ_CHANGED 0x53000005u
#define MESSAGE_READ_NEWS    0x53000015u
#define MESSAGE_TAKEN        0x53000025u
#define HEADER_SIZE          12u
#define MEMORY_BODY          12u /* of a memory write or read */
#define CHANGED_BODY         20u
#define NEWS_BODY            12u /* of the answer, behind what it was asked, before page numbers */
#define NEWS_HOLD            1u  /* in it: nothing else will change */
#define NEWS_MARKED          2u  /* marks of pages instead of numbers and pages */
#define BODY_LIMIT           64u

#define PAGE_SIZE   4096u
#define GATHER_SIZE (64u << 10)
/* With so much of it, the server may begin: the driver is busy for a while. */
#define GATHER_SEND (32u << 10)
#define RUN_PAGES   64u /* as many as there are bits in a set of them */
#define NEWS_PAGES  64u
#define PARTS       64u
#define SENT_PAGES  256u
/* Pages whose numbers are remembered as sent: the first 4 GiB. */
#define KNOWN_PAGES (1u << 20)

#define VIRTUAL_BITS 36u /* of a page number */
#define TABLE_LEVELS 4u
#define TABLE_ENTRY  (HEADER_SIZE + MEMORY_BODY + 8u) /* a write of one */

/* Table entries that the driver has sent and that wait for what follows. */
struct attach_tables {
    uint8_t entries[TABLE_LEVELS * TABLE_ENTRY];
    unsigned size;
    /* A range over two pages has one last entry more, for which only the way to the
     * one before it was sent. */
    bool is_leaf;       /* what waits is such */
    uint64_t next_leaf; /* where it would be, 0 = none */
    /* Of a page: where its last entry stands, under the generation. */
    uint64_t at[KNOWN_PAGES];
    uint64_t generation;
};

/* Where virtual pages are, by the tables: of 2 MiB each. */
struct attach_region {
    uint64_t number;  /* plus one; 0 = free */
    uint32_t *frames; /* page numbers plus one; 0 = not known */
};

struct attach_places {
    struct attach_region *regions; /* open addressing */
    size_t size, count;
};

/* Pages of memory read ahead, all within RUN_PAGES from the first. */
struct attach_run {
    uint8_t data[RUN_PAGES * PAGE_SIZE];
    uint64_t first; /* page number */
    uint32_t count;
    uint64_t used;    /* bit n: page n was handed out */
    uint64_t changed; /* bit n: page n is in `data`, else it is as the driver has it */
};

/* All that the device changed and the driver has not got. */
struct attach_news {
    uint8_t data[NEWS_PAGES * PAGE_SIZE];
    uint32_t pages[NEWS_PAGES];
    uint32_t count;
    uint64_t used;                /* bit n: of pages[n] something was handed out */
    uint64_t epoch;               /* that they hold for, 0 = none */
    uint64_t refused;             /* epoch in which the server had none for us */
    uint8_t has[KNOWN_PAGES / 8]; /* bit n: page n is among them */
};

/* Of a page that is owed: the part that the driver has got. */
struct attach_part {
    uint64_t page; /* plus one */
    uint32_t begin, end;
};

/* Of a page that the driver sent in parts: those, as it got them from the device since. */
struct attach_sent {
    uint64_t page; /* plus one, 0 = none */
    uint8_t data[PAGE_SIZE];
    uint8_t has[PAGE_SIZE / 8]; /* bit n: byte n is of such a part */
};

struct attach_stream {
    int fd;
    /* The message that the driver is in the middle of sending. */
    uint8_t message[HEADER_SIZE + BODY_LIMIT];
    size_t message_size;
    uint64_t data_left;   /* bytes of a memory write still to come */
    bool whole_page;      /* they are a page: `message` is held back until they have come */
    bool table_entry;     /* they are the value of one: it goes to `tables` */
    bool opaque;          /* the stream is not what we know: pass everything on */
    uint32_t port;        /* of an engine, that was written last */
    unsigned port_writes; /* one behind the other */
    bool is_outstanding;  /* work was sent, and nothing has been heard since */
    /* Gathered, not yet sent. */
    uint8_t gathered[GATHER_SIZE];
    size_t gathered_size;
    size_t same_end; /* the end of a MESSAGE_WRITE_SAME among it, 0 = none */
    /* Answer ready for the driver. */
    uint8_t answer[HEADER_SIZE + MEMORY_BODY + PAGE_SIZE];
    size_t answer_begin, answer_end;
    bool answer_unchanged; /* what the driver holds already is the answer's data */
    struct attach_tables tables;
    struct attach_places places;
    struct attach_run run;
    struct attach_news news;
    uint8_t known[KNOWN_PAGES / 8]; /* bit n: the driver sent page n */
    /* Bit n: page n changed and the driver has not got all of it. */
    uint8_t owed[KNOWN_PAGES / 8];
    struct attach_part parts[PARTS];     /* of a page at its number modulo PARTS */
    struct attach_sent sent[SENT_PAGES]; /* of a page at its number modulo SENT_PAGES */
    /* Where data of the memory write go besides, NULL = nowhere; to which byte of it. */
    struct attach_sent *sent_part;
    uint32_t sent_at;
    /* Of what page n held when the driver sent or read it last; 0 = not known. The
     * driver sends memory again before every submission. */
    uint64_t hash[KNOWN_PAGES];
    uint64_t zero_hash; /* of a page of zeros */
};

/* Of all streams. Their callers' lock guards it. */
struct attach_work {
    uint64_t epoch;       /* counts what may start work; from 1 on */
    unsigned outstanding; /* streams whose work may not have ended */
    uint64_t fault_epoch; /* that `faults` holds for */
    uint32_t faults;
};
extern struct attach_work attach_work __attribute__((visibility("hidden")));

static inline uint64_t attach_memory_address(const uint8_t *message)
{
    uint32_t low;
    __builtin_memcpy(&low, message + HEADER_SIZE + 4, 4);
    return (uint64_t)message[HEADER_SIZE + 3] << 32 | low;
}

static inline bool attach_page_bit(const uint8_t *bits, uint64_t page)
{
    return bits[page / 8] >> page % 8 & 1;
}

static inline void attach_page_set(uint8_t *bits, uint64_t page, bool value)
{
    uint8_t bit = (uint8_t)(1u << page % 8);
    bits[page / 8] = (uint8_t)(value ? bits[page / 8] | bit : bits[page / 8] & ~bit);
}

/* transport.c: what is gathered goes out with the next flush. */
bool attach_stream_gather(struct attach_stream *stream, const uint8_t *data, size_t size);
bool attach_stream_flush(struct attach_stream *stream);
bool attach_stream_fetch(struct attach_stream *stream, uint8_t *data, size_t size);

/* transport_pages.c: take the write that `stream->message` announces; its data
 * follow. */
bool attach_pages_write(struct attach_stream *stream, uint64_t address, uint32_t length);
/* Data of it: how much was taken, 0 when the socket failed. */
size_t attach_pages_data(struct attach_stream *stream, const uint8_t *data, size_t size);
/* A message other than a write of 8 bytes comes. */
bool attach_pages_settle(struct attach_stream *stream);

/* Pages as the driver had them last, to the server. */
bool attach_pages_same(struct attach_stream *stream, uint64_t page);

/* transport_places.c: a page is at a virtual address (both are page numbers). */
void attach_places_set(struct attach_places *places, uint64_t address, uint64_t page);
/* KNOWN_PAGES when it is not known. */
uint64_t attach_places_find(const struct attach_places *places, uint64_t address);
void attach_places_clear(struct attach_places *places);

/* transport_read.c: answer the read that `message` asks for, of a part of one
 * known page. */
bool attach_read_answer(struct attach_stream *stream, const uint8_t *message, uint64_t address,
                        uint32_t size);
/* Does the driver have the part [begin, end) of a known page as the device has it? */
bool attach_read_is_had(const struct attach_stream *stream, uint64_t page, uint32_t begin,
                        uint32_t end);
/* What was read ahead may not hold any more. */
void attach_read_drop(struct attach_stream *stream);

#endif
