/*
 * What the files say about the addresses of one binary: symbols and source. A lookup knows nothing
 * of samples; it owns its answers and its warnings and shares nothing that changes, so several can
 * run at the same time.
 *
 * In:  a binary, and addresses of it, ascending.
 * Out: for each address its link-time address and its function, for each function its name and
 * file, for each address its line and the functions inlined there; texts are the lookup's own.
 */
#ifndef READPERF_DECODE_NAMING_LOOKUP_H
#define READPERF_DECODE_NAMING_LOOKUP_H

#include "decode/naming/placenames.h"
#include "decode/source/source.h"
#include "decode/symbols/symbols.h"

/* Who answers questions about source files. */
enum symbolizer { SYMBOLIZER_DWARF, SYMBOLIZER_ADDR2LINE, SYMBOLIZER_NONE };

struct lookup_options {
	struct symbol_options symbols;
	enum symbolizer symbolizer;
	bool sources; /* source files of functions */
	bool lines;   /* source files and lines of addresses */
	bool inlines; /* what was inlined at addresses */
	bool bounds;  /* where functions start and end, and the line of their start */
};

/*
 * A function that covers some of the addresses; or, without a symbol, what has no name for one
 * reason.
 */
struct lookup_function {
	/* only with a symbol: */
	uint64_t entry;      /* as the query has it */
	uint64_t link_addr;  /* of its first byte */
	uint64_t start;      /* the same in the binary's address space */
	uint64_t size;       /* bytes */
	uint32_t name;       /* string of the lookup: the raw name, or, of a pack, as it is shown */
	uint32_t file, line; /* of a pack: string of the lookup; empty, 0: not known */
	uint8_t origin;      /* enum symbol_origin */
	bool has_symbol;
	bool packed; /* of a pack, which has told its file: nothing else is asked */
};

struct lookup {
	const struct binary *binary; /* borrowed, as the addresses */
	const uint64_t *addrs;       /* ascending, in the binary's address space */
	size_t count;                /* of them */
	/* the answers */
	struct place_name *places; /* borrowed, one for each address; lookup_names() sets link_addr,
	                              and function: number of one of these: */
	struct lookup_function *functions;
	size_t function_count, function_capacity;
	struct strings strings;    /* raw names, files */
	struct source_query query; /* answered; its strings are the lookup's */
	enum symbol_origin reason; /* why there are no symbols, if there are none */
	size_t symbols;            /* that were found */
	size_t packed;             /* of them in the pack */
	struct diag diag;          /* warnings, kept for diag_replay() */
	struct err err;
	/* between names and sources */
	char *debug_path, *binary_path; /* of the query; malloc'd, NULL: none */
	uint64_t work;                  /* see symbols_debug_work() */
	struct lookup *next;            /* for the use of who runs it */
};

/*
 * The first half: the symbol of each address, and what to ask the debug information. The lookup is
 * zeroed but for binary, addrs, count and places. names: texts of the binary. False with the
 * lookup's err set when memory is refused.
 */
bool lookup_names(struct lookup *lookup, const struct lookup_options *options,
                  const struct strings *names);
/* Whether there is a second half. */
bool lookup_has_sources(const struct lookup *lookup);
/* The second half: source files, lines, inlined functions. False as before. */
bool lookup_sources(struct lookup *lookup, const struct lookup_options *options);
/* After any of them, or none. */
void lookup_release(struct lookup *lookup);

/* String of the lookup: the file of a function; empty if it is not known. */
uint32_t lookup_file(const struct lookup *lookup, const struct lookup_function *function);
/* The line of that file where a function starts; 0: not known, or not asked for. */
uint32_t lookup_entry_line(const struct lookup *lookup, const struct lookup_function *function);
/* The line of an address, by its number, or NULL. */
const struct source_addr *lookup_line(const struct lookup *lookup, size_t number);

#endif
