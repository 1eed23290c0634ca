#include "perffile/record/record.h"

#define BRANCH_SIZE 24 /* bytes: from, to, flags */

struct branch record_branch(const struct record *record, uint64_t index)
{
	const uint8_t *data = record->sample.branches.data + BRANCH_SIZE * index;

	return (struct branch){ record_word(record, data, 0), record_word(record, data, 1) };
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
