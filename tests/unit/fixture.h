/*
 * For unit tests: files below a folder of their own, and what symbols_load() says about a binary
 * that lies there.
 */
#ifndef READPERF_TESTS_FIXTURE_H
#define READPERF_TESTS_FIXTURE_H

#include "decode/symbols/kernel.h"
#include "decode/symbols/symbols.h"
#include "tests/unit/elfimage.h"

struct fixture {
	char root[64];    /* the folder, without links on its way */
	const char *roots[1];
	struct strings strings;
	struct diag diag;
	struct err err;
	const uint64_t *addrs; /* that will be looked up; NULL: any */
	size_t addr_count;
	struct symbol_options options; /* symfs is root, the build-id cache root/cache */
	char cache[80];
	char said[4000];  /* all warnings, one per line */
	struct symbols *symbols; /* of the last fixture_load() */
	struct symbol_cache list; /* of the last one, if options had none */
	enum symbol_origin reason; /* why the last address of all has no name */
};

void fixture_begin(struct fixture *fixture);
/* Removes the folder. */
void fixture_end(struct fixture *fixture);
/* In a process that has a copy of the fixture: the memory alone. */
void fixture_forget(struct fixture *fixture);

/* path is below root; folders on its way are made. */
void fixture_put(struct fixture *fixture, const char *path, const void *data, size_t size);
/* An image, which is released. */
void fixture_image(struct fixture *fixture, const char *path, struct image *image);
void fixture_text(struct fixture *fixture, const char *path, const char *text);
void fixture_link(struct fixture *fixture, const char *path, const char *target);
/* root and path: for 200 bytes. */
const char *fixture_path(const struct fixture *fixture, const char *path, char *text);

/* Runs a command of the shell in a folder below root; what it prints goes to root/log. Whether it succeeded. */
bool __attribute__((format(printf, 3, 4)))
fixture_run(const struct fixture *fixture, const char *folder, const char *format, ...);
/* Whether the shell finds such a program. */
bool fixture_has(const char *tool);
/* Whether TESTS=quick asks for fewer variants of what compilers make. */
bool fixture_is_quick(void);

/* A binary whose name and path are this text. */
struct binary fixture_binary(struct fixture *fixture, enum binary_kind kind, const char *name);
/* Loads its symbols in place of the last ones. False if memory is refused. */
bool fixture_load(struct fixture *fixture, const struct binary *binary);
/* The name at addr, or "-"; *origin may be NULL. */
const char *fixture_name(struct fixture *fixture, uint64_t addr, enum symbol_origin *origin);
/* The same as "name origin", or as the reason why there is none. */
const char *fixture_answer(struct fixture *fixture, uint64_t addr, char *text, size_t size);

/*
 * Memory that is refused once: the n-th allocation from now on, 0 for none. How many there were
 * since then. Counted are readperf's own, in this program (ld --wrap).
 */
void refuse_allocation(unsigned long n);
unsigned long allocations_seen(void);
/* How many bytes they asked for in all. */
uint64_t allocated_bytes(void);

/* All zeros at first. */
struct refused_loads {
	unsigned long tried; /* number of the allocation that was refused last */
	unsigned failed;     /* loads without symbols */
	bool loaded;         /* of the last load */
};
/*
 * fixture_load() with the next allocation refused. False when there are no more allocations, and none is
 * refused any longer.
 */
bool fixture_load_refused(struct fixture *fixture, const struct binary *binary, struct refused_loads *loads);

#endif
