/*
 * The keys of the tables of --by: their columns, and which of them a table has. lines.csv and
 * addresses.csv are such tables, too.
 */
#ifndef READPERF_DECODE_NAMING_GROUPKEYS_H
#define READPERF_DECODE_NAMING_GROUPKEYS_H

#include "decode/tally/groups.h"
#include "util/table.h"

#define GROUP_NAME_SIZE 64 /* bytes of a table's name, with the NUL */

/* One table of --by. */
struct group_table {
	char name[GROUP_NAME_SIZE]; /* name of its file, without .csv */
	enum group_key keys[KEY_COUNT];
	const char *names[KEY_COUNT]; /* of the keys in --by and the header; borrowed */
	unsigned key_count;
	bool by_samples; /* rows of the same period are in the order of their samples */
};

/*
 * The tables lines and addresses. Keys: the binary, with addresses the address, and then the source
 * file, the line and the function.
 */
extern const struct group_table line_table, address_table;

/* Its column in tables of --by; the name, which is the key's in --by, is NULL for internal use. */
const struct column *group_key_column(enum group_key key);
/* KEY_COUNT if there is no key with that name. */
enum group_key group_key_find(const char *name, size_t length);
/* Whether its words are of places; those of the others are of samples. */
static inline bool group_key_is_of_place(enum group_key key)
{
	return key >= KEY_SAMPLE_END;
}

/* Whether its words are strings. */
bool group_key_is_text(enum group_key key);
/* Whether a word stands for an empty cell. */
bool group_word_is_empty(enum group_key key, uint64_t word);

/* The keys of a table, one bit each. */
unsigned group_table_keys(const struct group_table *table);

#endif
