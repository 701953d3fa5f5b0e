#include "base/words.h"

#include <string.h>

/* Edit distance with adjacent transpositions, over words of up to 63 bytes. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { MAXIMUM = 63 };
    size_t m = strlen(a), n = strlen(b);
    if (m > MAXIMUM || n > MAXIMUM)
        return MAXIMUM + 1;
    size_t rows[3][MAXIMUM + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= n; j++)
        last[j] = j;
    for (size_t i = 1; i <= m; i++) {
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[n];
}

void base_suggestion_begin(struct base_suggestion *suggestion, const char *word)
{
    *suggestion = (struct base_suggestion){.word = word, .distance = (size_t)-1};
}

void base_suggestion_offer(struct base_suggestion *suggestion, const char *candidate)
{
    size_t distance = edit_distance(suggestion->word, candidate);
    size_t length = strlen(suggestion->word);
    if (length >= 3 && strncmp(candidate, suggestion->word, length) == 0)
        distance = 1;
    if (distance < suggestion->distance) {
        suggestion->distance = distance;
        suggestion->best = candidate;
    }
}

const char *base_suggestion_end(const struct base_suggestion *suggestion)
{
    size_t allowed = 1 + strlen(suggestion->word) / 4;
    return suggestion->best != NULL && suggestion->distance <= allowed ? suggestion->best : NULL;
}
