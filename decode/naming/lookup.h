/*
 * Looks up the addresses of one binary in its files: symbols and source. A lookup does not depend
 * on samples. It owns its results and warnings and shares no data that changes, so several lookups
 * can run at the same time.
 *
 * In:  a binary, and addresses of it, ascending.
 * Out: for each address its link-time address and its function; for each function its name and
 * file; for each address its line and the functions inlined there. Texts are strings of the lookup.
 */
#ifndef READPERF_DECODE_NAMING_LOOKUP_H
#define READPERF_DECODE_NAMING_LOOKUP_H

#include "decode/naming/lookupcache.h"
#include "decode/naming/placenames.h"
#include "decode/source/source.h"
#include "decode/symbols/symbols.h"

/* How to find source files. */
enum symbolizer { SYMBOLIZER_DWARF, SYMBOLIZER_ADDR2LINE, SYMBOLIZER_NONE };

struct lookup_options {
	struct symbol_options symbols;
	enum symbolizer symbolizer;
	bool sources;     /* source files of functions */
	bool lines;       /* source files and lines of addresses */
	bool inlines;     /* what was inlined at addresses */
	bool entry_lines; /* lines where functions start */
	/* what recordings before have read; only for one thread; borrowed; NULL: none */
	struct lookup_cache *cache;
};

/*
 * A function that covers some of the addresses; or, without a symbol, addresses that have no name
 * for the same reason.
 */
struct lookup_function {
	/*
	 * Texts are strings of the lookup; binary and alike are not set. name: with a symbol, the
	 * raw one, of a pack as printed; file and line: as far as they are asked for.
	 */
	struct function_name named;
	uint64_t entry; /* with a symbol: address as in the query */
	bool has_symbol;
	bool packed; /* from a pack, which has its file already, so nothing else is looked up */
};

struct lookup {
	const struct binary *binary; /* borrowed, as the addresses */
	const uint64_t *addrs;       /* ascending, in the binary's address space */
	size_t count;                /* of them */
	/* The results. */
	struct place_name *places; /* borrowed, one for each address; link_addr and function are
	                              set, an index of these: */
	struct lookup_function *functions;
	size_t function_count, function_capacity;
	struct build_id build_id;  /* of the binary, as symbols_build_id() */
	struct strings strings;    /* raw names, files */
	struct source_query query; /* all answered; its strings are the lookup's */
	struct diag diag;          /* warnings, for diag_replay() */
	struct err err;
};

/* The line of an address, by its index, or NULL. */
const struct source_addr *lookup_line(const struct lookup *lookup, size_t number);

/* The lookups of all binaries. */
struct lookups {
	struct lookup *items; /* with binary, addrs, count and places; the rest is zeros */
	size_t count;
	struct lookup_options options; /* those for kernel_addrs are set here */
	const struct strings *names;   /* texts of the binaries */
	unsigned threads;              /* how many may be used */
};

/*
 * Runs all lookups, in two threads if possible. False with err set when memory is refused. Call
 * lookup_release() for each in any case.
 */
bool lookups_run(struct lookups *lookups, struct err *err);
void lookup_release(struct lookup *lookup);

#endif
