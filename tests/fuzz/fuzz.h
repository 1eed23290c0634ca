/* What the fuzz targets share. Each target is one .c file with one LLVMFuzzerTestOneInput(). */
#ifndef READPERF_TESTS_FUZZ_H
#define READPERF_TESTS_FUZZ_H

#include "util/cursor.h"
#include "util/errhandler.h"

#include <stdint.h>
#include <stdlib.h>

/* Called by libFuzzer, or by replay.c. data: size bytes, borrowed. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Changes size bytes of data to at most max; libFuzzer calls it instead of its own changes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
/* libFuzzer's own changes. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* Runs every stage on a recording: header, records, names, all tables, console. Prints nothing. */
void run_recording(const uint8_t *data, size_t size, bool pipe);
/* A diag that discards all warnings. */
void print_nothing(void *context, uint64_t offset, const char *text);

/* Aborts the fuzz target if the condition does not hold. */
#define FUZZ_CHECK(claim)        \
	do {                     \
		if (!(claim))    \
			abort(); \
	} while (0)

/* Checks that a failure's message is one line of printable text. */
static inline void check_err(bool ok, const struct err *err)
{
	FUZZ_CHECK(ok == (err->code == ERR_NONE));
	FUZZ_CHECK(ok || err->text[0]);
}

/* A malloc'd copy with a NUL behind it: parsers that change their text take it over. */
static inline char *text_copy(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
