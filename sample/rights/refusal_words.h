/* What the kernel refused, in words for the user. */
#ifndef SAMPLE_RIGHTS_REFUSAL_WORDS_H
#define SAMPLE_RIGHTS_REFUSAL_WORDS_H

struct capture;
struct refusal;

/* Puts the notes of the refusal into words: what prof tried, what the system said, and what removes the cause.  LAST stays. */
void refusal_words(struct refusal *, const struct capture *);

#endif
