/*
 * How the console shows binaries: on a terminal by the last part of their path, if no other binary
 * shown has the same.
 */
#ifndef READPERF_DECODE_TABLES_CONSOLEBINARIES_H
#define READPERF_DECODE_TABLES_CONSOLEBINARIES_H

#include "util/hash.h"
#include "util/strings.h"

struct console_binaries {
	const struct strings *strings; /* with their paths; borrowed */
	bool brief;
	struct strings parts; /* last parts of paths */
	struct map first;     /* last part -> the first binary that has it */
	struct map whole;     /* binaries that share their last part */
};

/*
 * brief: it is a terminal. False with err set when memory is refused; console_binaries_release()
 * must be called in any case.
 */
bool console_binaries_init(struct console_binaries *binaries, const struct strings *strings,
                           bool brief, struct err *err);
void console_binaries_release(struct console_binaries *binaries);
/* Each binary has to be added before names are asked for. binary: a string. */
bool console_binaries_add(struct console_binaries *binaries, uint32_t binary, struct err *err);
const char *console_binary(const struct console_binaries *binaries, uint32_t binary);

#endif
