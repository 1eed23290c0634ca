/*
 * Parses the output of `addr2line -a -f -i`: for each address a line that repeats it, then for each
 * frame, the innermost first, a line with the function and one with FILE:LINE. File names may
 * contain anything.
 */
#ifndef READPERF_DECODE_SOURCE_ADDR2LINEPARSE_H
#define READPERF_DECODE_SOURCE_ADDR2LINEPARSE_H

#include "decode/source/source.h"

/* How many addresses are asked for: first the entries of functions, then the other addresses. */
static inline size_t answers_wanted(const struct source_query *query)
{
	return query->function_count + query->addr_count;
}

static inline uint64_t answer_addr(const struct source_query *query, size_t number)
{
	return number < query->function_count ? query->functions[number].entry
	                                      : query->addrs[number - query->function_count].addr;
}

/* The caller sets the query, and zeros in all other fields. */
struct answer_parser {
	struct source_query *query; /* borrowed */
	char *line;                 /* the line being received */
	size_t length, capacity;
	size_t begun;      /* addresses whose line was read */
	size_t answered;   /* addresses with at least one frame */
	bool in_frame;     /* the next line is the file and line of a frame, */
	uint32_t function; /* whose function is this string */
	size_t frames;     /* of the current address */
	bool nonsense;     /* the output makes no sense; the rest is ignored */
};

void parser_release(struct answer_parser *parser);
bool parser_feed(struct answer_parser *parser, const char *data, size_t size, struct err *err);
/* Parses a last line that has no line end. */
bool parser_finish(struct answer_parser *parser, struct err *err);

/*
 * Splits FILE:LINE or FILE:LINE (discriminator N) from the right; line is 0 if it is unknown.
 * Returns the length of FILE, 0 if it is unknown.
 */
size_t place_split(const char *text, size_t length, uint32_t *line);

#endif
