#include "decode/naming/sharedlines.h"

#include "util/vec.h"

#include <stdlib.h>

/* Shared memory: a line that several processes access is one. */
struct sharing {
	const struct buildstat *stat;
	uint64_t mask; /* of an address: where in its line it is */
	struct err *err;
	struct map numbers;        /* hash of what tells that lines are the same -> number */
	struct shared_line *lines; /* by number */
	size_t count, capacity;
	uint64_t seed;
	bool apart; /* a process accesses memory of which that cannot be told */
	int32_t apart_pid;
	bool several_apart; /* several do */
};

struct shared_line {
	uint64_t line; /* its address in the process with the lowest pid */
	int32_t pid;
	bool several; /* processes */
};

/* What tells it: the physical address, or else the place in the file. False: nothing does. */
static bool identity_of(const struct sharing *sharing, const struct access_key *key,
                        uint64_t *identity)
{
	const struct binary *binary = &sharing->stat->binaries.items[key->mapped_binary];

	if (key->physical)
		*identity = hash_pair(sharing->seed, UINT64_MAX, key->physical & ~sharing->mask);
	else if (binary->kind == BINARY_FILE)
		*identity = hash_pair(sharing->seed, key->mapped_binary,
		                      key->data & ~sharing->mask);
	else
		return false;
	return true;
}

/* Sets the number of a part in shared memory, and notes its process. */
static bool note_shared(struct sharing *sharing, struct line_part *part)
{
	const struct access_key *key = memorystat_access(&sharing->stat->memory, part->access);
	struct shared_line *shared;
	uint64_t identity;
	uint32_t number;

	if (part->pid < 0 || !sharing->stat->binaries.items[key->mapped_binary].shared)
		return true;
	if (!identity_of(sharing, key, &identity)) {
		sharing->several_apart |= sharing->apart && sharing->apart_pid != part->pid;
		sharing->apart = true;
		sharing->apart_pid = part->pid;
		return true;
	}
	number = map_number(&sharing->numbers, identity, sharing->err);
	if (number == MAP_NONE ||
	    (number == sharing->count &&
	     !vec_append(&sharing->lines, &sharing->count, &sharing->capacity,
	                 &(struct shared_line){ part->line, part->pid, false },
	                 sizeof(*sharing->lines), sharing->err)))
		return false;
	shared = &sharing->lines[number];
	shared->several |= shared->pid != part->pid;
	if (part->pid < shared->pid || (part->pid == shared->pid && part->line < shared->line)) {
		shared->pid = part->pid;
		shared->line = part->line;
	}
	part->shared = number + 1;
	return true;
}

bool shared_lines_join(struct line_part *parts, size_t count, const struct buildstat *stat,
                       uint64_t line_size, struct diag *diag, struct err *err)
{
	struct sharing sharing = {
		.stat = stat, .mask = line_size - 1, .err = err, .seed = hash_seed()
	};
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++)
		ok = note_shared(&sharing, &parts[i]);
	for (size_t i = 0; ok && i < count; i++) {
		struct line_part *part = &parts[i];
		const struct shared_line *shared = part->shared ? &sharing.lines[part->shared - 1]
		                                                : NULL;

		if (!shared || !shared->several) {
			part->shared = 0;
			continue;
		}
		part->line = shared->line;
		part->pid = -1;
	}
	if (ok && sharing.several_apart)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"processes share memory that is of no file, so that their cache lines are "
			"apart in cachelines.csv: record with --phys-data");
	map_release(&sharing.numbers);
	free(sharing.lines);
	return ok;
}
