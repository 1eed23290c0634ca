/*
 * For unit tests: programs of one function, and what is found of them below the root of a fixture.
 */
#ifndef READPERF_TESTS_PROGRAMFILE_H
#define READPERF_TESTS_PROGRAMFILE_H

#include "tests/unit/fixture.h"

#define PROGRAM_TEXT 0x400u /* where the function is: address and file offset (elfimage.h) */

extern const uint8_t program_id[20], other_id[20]; /* build ids */
#define ID_PATH ".build-id/30/313233343536373839616263646566" "6768696a" /* of program_id */

/* A file of one function. Of two names the longer wins, so the better source has the longer one. */
struct program_file {
	const char *function;    /* of .symtab; NULL: no table */
	const char *dynamic;     /* of .dynsym */
	const uint8_t *build_id;
	const void *link;        /* .gnu_debuglink */
	size_t link_size;
	const void *mini;        /* .gnu_debugdata */
	size_t mini_size;
	bool dwarf;
	uint16_t machine;        /* 0: x86-64 */
	bool nameless;           /* .symtab without a table of names */
};

void program_image(struct image *image, const struct program_file *file);
/* Writes the file at a path below the root. */
void program_put(struct fixture *f, const char *path, const struct program_file *file);
/* The binary /bin/program; build_id: as recorded, or NULL. */
struct binary program_binary(struct fixture *f, const uint8_t *build_id);
/* Loads its symbols; wanted: what fixture_answer() says of the function. */
void program_expect(struct fixture *f, const struct binary *binary, const char *wanted);

#endif
