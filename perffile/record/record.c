#include "perffile/record/record.h"

#define BRANCH_SIZE 24 /* bytes: from, to, flags */

/* A bit-field of a u64 that begins at bit `first` where the producer is little-endian. */
static uint64_t bit_field(const struct record *record, uint64_t word, unsigned first,
                          unsigned width)
{
	unsigned shift = record->big_endian ? 64 - first - width : first;

	return word >> shift & (((uint64_t)1 << width) - 1);
}

struct branch record_branch(const struct record *record, uint64_t index)
{
	const uint8_t *data = record->sample.branches.data + BRANCH_SIZE * index;
	uint64_t flags = record_word(record, data, 2);
	struct branch branch;

	branch.from = record_word(record, data, 0);
	branch.to = record_word(record, data, 1);
	branch.mispredicted = bit_field(record, flags, 0, 1) != 0;
	branch.predicted = bit_field(record, flags, 1, 1) != 0;
	branch.in_transaction = bit_field(record, flags, 2, 1) != 0;
	branch.aborted = bit_field(record, flags, 3, 1) != 0;
	branch.cycles = (uint16_t)bit_field(record, flags, 4, 16);
	branch.type = (uint8_t)bit_field(record, flags, 20, 4);
	branch.speculation = (uint8_t)bit_field(record, flags, 24, 2);
	branch.new_type = (uint8_t)bit_field(record, flags, 26, 4);
	branch.privilege = (uint8_t)bit_field(record, flags, 30, 3);
	return branch;
}

bool record_register(const struct record *record, const struct record_regs *regs, unsigned number,
                     uint64_t *value)
{
	uint64_t below = ((uint64_t)1 << number) - 1;

	if (!regs->values || !(regs->mask >> number & 1))
		return false;
	*value = record_word(record, regs->values,
	                     (unsigned)__builtin_popcountll(regs->mask & below));
	return true;
}
