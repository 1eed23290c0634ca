/* The parser of an addr2line process' output. Input: the size of the pieces in which it arrives, 1 byte; the output. */
#include "decode/source/addr2lineparse.h"
#include "tests/fuzz/fuzz.h"

#define ADDRS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_function functions[ADDRS] = { { 0, 0 } };
	struct source_addr addrs[ADDRS] = { { 0, 0, 0, 0, 0 } };
	struct source_query query = { 0 };
	struct answer_parser parser;
	struct strings strings;
	struct err err = { 0 };
	bool ok = true;
	size_t piece;

	if (size < 1)
		return 0;
	piece = data[0] + 1u;
	for (size_t i = 0; i < ADDRS; i++)
		functions[i].entry = addrs[i].addr = 0x10 * i;
	query.functions = functions;
	query.addrs = addrs;
	query.function_count = query.addr_count = ADDRS;
	query.inlines = true;
	query.strings = &strings;
	if (strings_init(&strings, &err)) {
		parser = (struct answer_parser){ .query = &query };
		for (size_t at = 1; ok && at < size; at += piece)
			ok = parser_feed(&parser, (const char *)data + at,
					 piece < size - at ? piece : size - at, &err);
		ok = ok && parser_finish(&parser, &err);
		check_err(ok, &err);
		for (size_t i = 0; i < ADDRS; i++)
			FUZZ_CHECK(addrs[i].frame + (uint64_t)addrs[i].frame_count <=
				   query.frame_count);
		parser_release(&parser);
	}
	free(query.frames);
	strings_release(&strings);
	return 0;
}
