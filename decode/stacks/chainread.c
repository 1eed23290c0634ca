#include "decode/stacks/chain.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void chain_reader_release(struct chain_reader *reader)
{
	stack_files_release(&reader->files);
	free(reader->unwinder);
	reader->unwinder = NULL;
}

void chain_release(struct chain *chain)
{
	free(chain->frames);
	memset(chain, 0, sizeof(*chain));
}

enum cpu_mode chain_mode_of_marker(uint64_t marker)
{
	switch (marker) {
	case PERF_CONTEXT_USER:
	case PERF_CONTEXT_USER_DEFERRED:
		return MODE_USER;
	case PERF_CONTEXT_KERNEL:
		return MODE_KERNEL;
	case PERF_CONTEXT_HV:
		return MODE_HYPERVISOR;
	case PERF_CONTEXT_GUEST:
	case PERF_CONTEXT_GUEST_USER:
		return MODE_GUEST_USER;
	case PERF_CONTEXT_GUEST_KERNEL:
		return MODE_GUEST_KERNEL;
	default:
		return MODE_UNKNOWN;
	}
}

/* Notes that words [first, end) of the recorded chain are of its user part. */
static void note_user_part(struct chain_work *work, uint64_t first, uint64_t end)
{
	if (!work->has_user) {
		work->user_first = first;
		work->user_frame = work->chain->count;
	}
	work->has_user = true;
	work->user_end = end;
}

/*
 * Appends the frames of one mode, starting at word `first`; there is room for them. Returns the
 * position of the next marker, or the end. On failure err is set.
 */
static uint64_t append_part(struct chain_work *work, enum cpu_mode mode, uint64_t first)
{
	const struct record *record = work->record;
	const uint64_t count = record->sample.callchain_count;
	struct chain_frame *frames = work->chain->frames + work->chain->count;
	struct space_map map = { .start = 0 };
	unsigned flags = 0;
	uint64_t at;

	for (at = first; at < count; at++) {
		uint64_t call = record_word(record, record->sample.callchain, at);

		if (chain_word_is_marker(call))
			break;
		call -= flags;
		if (call - map.start >= map.end - map.start &&
		    !chain_find_map(work, mode, call, flags, &map))
			return count;
		*frames++ = chain_frame_at(call, &map, mode, flags);
		flags = FRAME_RETURN;
	}
	if (at > first && mode == MODE_USER)
		note_user_part(work, first, at);
	work->entries += at - first;
	work->chain->count += (size_t)(at - first);
	return at;
}

static bool append_recorded(struct chain_work *work)
{
	const uint64_t count = work->record->sample.callchain_count;
	enum cpu_mode mode = MODE_USER;

	/* a record has no more words; one more is for the sample's own address */
	if (!chain_reserve(work, (size_t)count + 1))
		return false;
	for (uint64_t at = 0; at < count; at++) {
		uint64_t marker;

		at = append_part(work, mode, at);
		if (at == count)
			break;
		marker = chain_word(work, at);
		mode = chain_mode_of_marker(marker);
		if (marker == PERF_CONTEXT_USER_DEFERRED && at + 1 < count) {
			work->chain->has_cookie = true;
			work->chain->cookie = chain_word(work, ++at);
		}
	}
	return work->err->code == ERR_NONE;
}

static const struct event_attr *attr_of(const struct chain_work *work)
{
	static const struct event_attr none = { .type = 0 };
	const struct session *session = work->reader->files.session;

	return work->record->event < session->event_count
	               ? &session->events[work->record->event].attr
	               : &none;
}

/*
 * Appends the processor's record of calls that have not returned, which has the addresses of the
 * calls.
 */
static bool append_branches(struct chain_work *work)
{
	const struct record_branches *branches = &work->record->sample.branches;
	const struct branch newest = record_branch(work->record, 0);
	uint64_t ip = newest.to;

	if (work->has_user) {
		ip = chain_word(work, work->user_first);
		work->chain->count = work->user_frame;
	} else if (cpu_mode_of(work->record->misc) == MODE_USER && work->record->sample.ip) {
		ip = work->record->sample.ip;
	}
	if (!chain_append_ip(work, MODE_USER, ip, 0))
		return false;
	for (uint64_t i = 0; i < branches->count; i++)
		if (!chain_append_ip(work, MODE_USER, record_branch(work->record, i).from, 0))
			return false;
	work->chain->end = STACK_FRAME_POINTERS;
	return true;
}

/* How a chain ended that is used as it was recorded. */
static enum stack_end recorded_end(const struct chain_work *work)
{
	const struct event_attr *attr = attr_of(work);
	uint64_t limit = attr->sample_max_stack ? attr->sample_max_stack : PERF_MAX_STACK_DEPTH;

	/* its parts share the limit: a long kernel part leaves no entries for the user part */
	if (work->chain->has_cookie || work->entries >= limit)
		return STACK_CUT;
	if (work->has_user)
		return STACK_FRAME_POINTERS;
	if (!work->entries)
		return STACK_NONE;
	/* a kernel thread has no user part */
	return attr_flag(attr, PERF_FLAG_EXCLUDE_CALLCHAIN_USER) ? STACK_KERNEL_ONLY
	                                                         : STACK_COMPLETE;
}

static bool append_user_part(struct chain_work *work)
{
	const struct record_sample *sample = &work->record->sample;
	const uint32_t copy = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	work->chain->end = recorded_end(work);
	if ((sample->fields & copy) == copy &&
	    (!work->has_user || sample->user_regs.abi == PERF_REGS_ABI_64))
		return chain_append_copy(work);
	if (sample->branches.count &&
	    (attr_of(work)->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) &&
	    (work->has_user || cpu_mode_of(work->record->misc) == MODE_USER))
		return append_branches(work);
	return true;
}

/* The frame of the sample's own address. */
static bool find_own_frame(struct chain_work *work, struct chain_frame *own)
{
	const uint64_t ip = work->record->sample.ip;
	const enum cpu_mode mode = cpu_mode_of(work->record->misc);
	struct space_map map;

	if (!chain_find_map(work, mode, ip, 0, &map))
		return false;
	*own = chain_frame_at(ip, &map, mode, 0);
	return true;
}

/*
 * Makes the sample's own address the innermost frame, because that is the address it is counted at.
 */
static bool put_sample_first(struct chain_work *work)
{
	const uint64_t ip = work->record->sample.ip;
	struct chain *chain = work->chain;
	const bool same_mode = chain->count &&
	                       chain->frames[0].mode == cpu_mode_of(work->record->misc);
	struct chain_frame own;

	if (same_mode && chain->frames[0].ip == ip)
		return true;
	if (!find_own_frame(work, &own) || !chain_reserve(work, 1))
		return false;
	if (!same_mode || !chain_is_own_address(chain->frames[0].ip, ip)) {
		memmove(chain->frames + 1, chain->frames, chain->count * sizeof(*chain->frames));
		chain->count++;
	}
	chain->frames[0] = own;
	return true;
}

bool chain_read_own(struct chain_reader *reader, const struct record *record, struct space *space,
                    struct chain_frame *own, struct err *err)
{
	struct chain_work work = { .reader = reader, .record = record, .err = err };

	reader->space = space;
	return find_own_frame(&work, own);
}

bool chain_read(struct chain_reader *reader, const struct record *record, struct space *space,
                struct chain *chain, struct err *err)
{
	struct chain_work work = { .reader = reader, .record = record, .chain = chain, .err = err };

	reader->space = space;
	chain->count = 0;
	chain->has_cookie = false;
	chain->end = STACK_NONE;
	return append_recorded(&work) && append_user_part(&work) && put_sample_first(&work);
}

bool chain_append_deferred(struct chain_reader *reader, const struct record *record,
                           struct space *space, struct chain *chain, struct err *err)
{
	struct chain_work work = { .reader = reader, .record = record, .chain = chain, .err = err };

	reader->space = space;
	for (uint64_t i = 0; i < record->deferred.count; i++) {
		uint64_t word = record_word(record, record->deferred.ips, i);

		/* a sample in user mode has its own address in the chain already */
		if (chain_word_is_marker(word) ||
		    (i == 0 && chain->count && chain->frames[chain->count - 1].ip == word))
			continue;
		if (!chain_append_ip(&work, MODE_USER, word, i ? FRAME_RETURN : 0))
			return false;
	}
	chain->end = STACK_FRAME_POINTERS;
	chain->has_cookie = false;
	return true;
}
