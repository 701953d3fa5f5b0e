/* A page that shows the call flow, in one file: viewer/callflow with the data
 * inside. */
#include <stdlib.h>
#include <string.h>

#include "callflow_page.h"
#include "report/export.h"

/* More calls than this make pages that browsers are slow with; then the
 * timeline leaves out the shortest ones. */
enum { SPAN_LIMIT = 400000 };

static void put_varint(struct report_text *bytes, uint64_t value)
{
    char out[10];
    size_t size = 0;
    do {
        out[size] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
        size++;
    } while (value > 0);
    report_text_add_bytes(bytes, out, size);
}

static void put_base64(struct report_json *json, const char *key, const struct report_text *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *data = (const unsigned char *)bytes->data;
    struct report_text text = {.failed = bytes->failed};
    for (size_t i = 0; i < bytes->size; i += 3) {
        size_t left = bytes->size - i;
        uint32_t word = (uint32_t)data[i] << 16;
        word |= left > 1 ? (uint32_t)data[i + 1] << 8 : 0;
        word |= left > 2 ? data[i + 2] : 0;
        char out[4] = {digits[word >> 18], digits[word >> 12 & 63],
                       left > 1 ? digits[word >> 6 & 63] : '=', left > 2 ? digits[word & 63] : '='};
        report_text_add_bytes(&text, out, 4);
    }
    json->text->failed = json->text->failed || text.failed;
    report_json_string(json, key, text.data != NULL ? text.data : "");
    free(text.data);
}

static void begin_row(struct report_json *json)
{
    report_json_begin_array(json, NULL);
}

static void put_functions(const struct analyze_callflow *flow, struct report_json *json)
{
    report_json_begin_array(json, "functions");
    for (size_t i = 0; i < flow->function_count; i++) {
        const struct analyze_function *function = &flow->functions[i];
        const uint64_t numbers[] = {
            function->kind,    function->address,    function->calls,   function->self,
            function->total,   function->sum,        function->minimum, function->percentile_95,
            function->maximum, function->peak_stack, function->unwound};
        begin_row(json);
        report_json_string(json, NULL, function->name);
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
            report_json_number(json, NULL, numbers[j]);
        report_json_end_array(json);
    }
    report_json_end_array(json);
}

static void put_edges(const struct analyze_callflow *flow, struct report_json *json)
{
    report_json_begin_array(json, "edges");
    for (size_t i = 0; i < flow->edge_count; i++) {
        const struct analyze_edge *edge = &flow->edges[i];
        begin_row(json);
        report_json_number(json, NULL, edge->caller);
        report_json_number(json, NULL, edge->callee);
        report_json_number(json, NULL, edge->calls);
        report_json_number(json, NULL, edge->total);
        report_json_end_array(json);
    }
    report_json_end_array(json);
}

/* Parents as numbers from 1; 0 is none. */
static void put_nodes(const struct analyze_callflow *flow, struct report_json *json)
{
    report_json_begin_array(json, "nodes");
    for (size_t i = 0; i < flow->node_count; i++) {
        const struct analyze_node *node = &flow->nodes[i];
        begin_row(json);
        report_json_number(json, NULL, node->parent + 1u);
        report_json_number(json, NULL, node->function);
        report_json_number(json, NULL, node->calls);
        report_json_number(json, NULL, node->self);
        report_json_end_array(json);
    }
    report_json_end_array(json);
}

static int compare_lengths(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint64_t length_of(const struct analyze_span *span)
{
    return span->end - span->begin;
}

/* Which spans the page has. Longer ones than `longest` all; of those just as
 * long one in `every`; none that is shorter. A caller is never shorter than
 * what it calls. */
struct choice {
    const struct report_filter *filter;
    uint64_t longest, every, seen;
    bool is_limited;
};

static bool choose(const struct analyze_callflow *flow, struct choice *choice)
{
    size_t count = 0, same = 0;
    uint64_t *lengths = malloc((flow->span_count + 1) * sizeof *lengths);
    if (lengths == NULL)
        return false;
    for (size_t i = 0; i < flow->span_count; i++) {
        if (report_filter_accepts(choice->filter, &flow->spans[i]))
            lengths[count++] = length_of(&flow->spans[i]);
    }
    choice->is_limited = count > SPAN_LIMIT;
    if (choice->is_limited) {
        qsort(lengths, count, sizeof *lengths, compare_lengths);
        size_t longer = count;
        choice->longest = lengths[count - SPAN_LIMIT];
        for (; lengths[longer - 1] > choice->longest; longer--)
            ;
        for (size_t i = longer; i > 0 && lengths[i - 1] == choice->longest; i--)
            same++;
        choice->every = same / (SPAN_LIMIT - (count - longer)) + 1;
    }
    free(lengths);
    return true;
}

/* Not one whose caller was left out. */
static bool is_chosen(struct choice *choice, const struct analyze_span *span,
                      const uint32_t *numbers)
{
    if (!report_filter_accepts(choice->filter, span) ||
        (span->parent != ANALYZE_NONE && numbers[span->parent] == 0))
        return false;
    if (!choice->is_limited || length_of(span) > choice->longest)
        return true;
    return length_of(span) == choice->longest && choice->seen++ % choice->every == 0;
}

struct pieces {
    const struct analyze_callflow *flow;
    const uint32_t *numbers; /* of spans in the page, from 1; 0 = left out */
    uint64_t *begins;        /* by depth */
    uint64_t last_begin;
    struct report_text bytes;
};

static void open_piece(void *context, const struct report_piece *piece)
{
    struct pieces *pieces = context;
    pieces->begins[piece->depth] = piece->cycle;
}

static void close_piece(void *context, const struct report_piece *piece)
{
    struct pieces *pieces = context;
    if (pieces->numbers[piece->span] == 0)
        return;
    uint64_t begin = pieces->begins[piece->depth];
    int64_t step = (int64_t)(begin - pieces->last_begin);
    put_varint(&pieces->bytes, pieces->numbers[piece->span] - 1);
    put_varint(&pieces->bytes, step < 0 ? (uint64_t)-step * 2 - 1 : (uint64_t)step * 2);
    put_varint(&pieces->bytes, piece->cycle - begin);
    pieces->last_begin = begin;
}

/* With one stack every span is its only piece. */
static bool put_pieces(const struct analyze_callflow *flow, const struct report_filter *filter,
                       const uint32_t *numbers, struct report_json *json)
{
    uint32_t deepest = 0;
    if (flow->stack_count <= 1)
        return true;
    for (size_t i = 0; i < flow->span_count; i++) {
        if (flow->spans[i].depth > deepest)
            deepest = flow->spans[i].depth;
    }
    struct pieces pieces = {.flow = flow, .numbers = numbers};
    pieces.begins = calloc((size_t)deepest + 1, sizeof *pieces.begins);
    struct report_walker walker = {open_piece, close_piece, &pieces};
    bool done = pieces.begins != NULL && report_callflow_walk(flow, filter, &walker);
    if (done)
        put_base64(json, "pieces", &pieces.bytes);
    free(pieces.begins);
    free(pieces.bytes.data);
    return done;
}

static bool put_spans(const struct analyze_callflow *flow, const struct report_filter *filter,
                      struct report_json *json)
{
    struct report_text bytes = {.data = NULL};
    struct choice choice = {.filter = filter};
    uint64_t last = 0;
    uint32_t count = 0;
    uint32_t *numbers = calloc(flow->span_count + 1, sizeof *numbers);
    bool done = numbers != NULL && choose(flow, &choice);
    for (size_t i = 0; i < flow->span_count && done; i++) {
        const struct analyze_span *span = &flow->spans[i];
        if (!is_chosen(&choice, span, numbers))
            continue;
        numbers[i] = ++count;
        put_varint(&bytes, span->function);
        put_varint(&bytes, span->begin - last);
        put_varint(&bytes, length_of(span));
        put_varint(&bytes, span->self);
        put_varint(&bytes, span->total - span->self);
        put_varint(&bytes, span->parent == ANALYZE_NONE ? 0 : numbers[i] - numbers[span->parent]);
        put_varint(&bytes, span->flags);
        put_varint(&bytes, span->stack);
        last = span->begin;
    }
    if (done) {
        put_base64(json, "spans", &bytes);
        report_json_number(json, "leftOut", flow->span_count - count);
        done = put_pieces(flow, filter, numbers, json);
    }
    free(bytes.data);
    free(numbers);
    return done;
}

static bool put_data(const struct analyze_callflow *flow, const struct report_filter *filter,
                     struct report_text *text)
{
    struct report_json json = {.text = text};
    const struct sonde_trace_firmware_end *end = sonde_trace_firmware_end(flow->trace);
    report_json_begin_object(&json, NULL);
    report_json_string(&json, "title", report_export_title(flow));
    report_json_string(&json, "device", sonde_trace_header(flow->trace)->device);
    report_json_string(&json, "end", end != NULL ? end->reason : NULL);
    report_json_number(&json, "cycles", flow->cycles);
    report_json_begin_array(&json, "kinds");
    for (size_t i = 0; i < ANALYZE_FUNCTION_KIND_COUNT; i++)
        report_json_number(&json, NULL, flow->cycles_of[i]);
    report_json_end_array(&json);
    report_json_number(&json, "peakStack", flow->peak_stack);
    report_json_number(&json, "stacks", flow->stack_count);
    report_json_number(&json, "lost", flow->lost);
    report_json_number(&json, "orphans", flow->orphans);
    put_functions(flow, &json);
    put_edges(flow, &json);
    put_nodes(flow, &json);
    bool done = put_spans(flow, filter, &json);
    report_json_end_object(&json);
    return done;
}

/* JSON inside a script element: nothing in it may look like a tag. */
static void put_escaped(const struct report_text *data, struct report_text *text)
{
    const char *at = data->data, *end = at + data->size;
    while (at < end) {
        const char *tag = memchr(at, '<', (size_t)(end - at));
        const char *stop = tag != NULL ? tag : end;
        report_text_add_bytes(text, at, (size_t)(stop - at));
        if (tag != NULL)
            report_text_add(text, "\\u003c");
        at = stop + (tag != NULL);
    }
}

static enum sonde_status write_html(const struct analyze_callflow *flow,
                                    const struct report_filter *filter, struct report_text *text,
                                    struct sonde_error *error)
{
    struct report_text data = {.data = NULL};
    bool done = put_data(flow, filter, &data) && !data.failed;
    if (done) {
        report_text_add_bytes(text, callflow_page_head, sizeof callflow_page_head - 1);
        put_escaped(&data, text);
        report_text_add_bytes(text, callflow_page_tail, sizeof callflow_page_tail - 1);
    }
    free(data.data);
    if (!done || text->failed)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for the page");
    return SONDE_OK;
}

const struct report_exporter report_export_html = {
    .name = "html",
    .file = "callflow.html",
    .summary = "a page with timeline, flame graph and tables, in one file",
    .shows_calls = true,
    .write = write_html,
};
