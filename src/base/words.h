/* Which word of a list was meant by one that is not in it. */
#ifndef SONDE_BASE_WORDS_H
#define SONDE_BASE_WORDS_H

#include <stddef.h>

struct base_suggestion {
    const char *word;
    const char *best;
    size_t distance;
};

void base_suggestion_begin(struct base_suggestion *suggestion, const char *word);
void base_suggestion_offer(struct base_suggestion *suggestion, const char *candidate);
/* The candidate nearest to the word when it is near enough to be what was
 * meant, else NULL. */
const char *base_suggestion_end(const struct base_suggestion *suggestion);

#endif
