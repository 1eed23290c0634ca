#include "perffile/input/lookahead.h"

#include "util/cursor.h"
#include "util/origperf.h"
#include "util/vec.h"
#include "util/wholeio.h"

#define NUMBER_AT PERF_RECORD_HEADER_SIZE /* of the first number in a record */
#define NUMBER_END (NUMBER_AT + sizeof(uint32_t))

/* Reads size more bytes; *whole is set to whether there were so many, and room for them. */
static bool hold_more(struct input *input, size_t size, bool *whole, struct err *err)
{
	size_t got;

	*whole = size <= LOOK_AHEAD_MOST - input->ahead_size;
	if (!*whole || !size)
		return true;
	if (!vec_reserve(&input->ahead, input->ahead_size + size, &input->ahead_capacity, 1, err))
		return false;
	if (!read_whole(input->files[0].fd, input->ahead + input->ahead_size, size, &got))
		return err_errno(err, "cannot read");
	input->ahead_size += got;
	*whole = got == size;
	return true;
}

bool input_announces(struct input *input, uint32_t type, uint32_t value, bool *found,
                     struct err *err)
{
	const bool swap = load_u64(input->head + 8, false) != PERF_HEADER_SIZE_PIPE;
	bool more = !input->seekable;

	*found = false;
	while (more && !*found) {
		const size_t start = input->ahead_size;
		uint32_t kind, number, behind;
		size_t size;

		if (!hold_more(input, PERF_RECORD_HEADER_SIZE, &more, err))
			return false;
		if (!more)
			break;
		kind = load_u32(input->ahead + start, swap);
		size = load_u16(input->ahead + start + 6, swap);
		/* a trace, or compressed records, come when the announcements are over */
		if (kind < PERF_RECORD_TOOL_START || kind == PERF_RECORD_AUXTRACE ||
		    kind == PERF_RECORD_COMPRESSED || kind == PERF_RECORD_COMPRESSED2 ||
		    size < PERF_RECORD_HEADER_SIZE)
			break;
		if (!hold_more(input, size - PERF_RECORD_HEADER_SIZE, &more, err))
			return false;
		if (!more)
			break;
		if (size < NUMBER_END)
			continue;
		number = load_u32(input->ahead + start + NUMBER_AT, swap);
		*found = kind == type && number == value;
		behind = kind == PERF_RECORD_HEADER_TRACING_DATA && size <= PERF_TRACING_RECORD_MOST
		                 ? number
		                 : 0;
		if (!hold_more(input, behind, &more, err))
			return false;
	}
	return true;
}
