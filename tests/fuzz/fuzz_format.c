/* The format of a tracepoint, and behind its first NUL the raw data of a record of it. */
#include "perffile/fields/format.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static void read_field(const struct field *field, const uint8_t *raw, size_t size, bool swap)
{
	char text[VALUE_TEXT_SIZE];
	struct field_bytes bytes;
	uint64_t value;

	FUZZ_CHECK(field->name && *field->name);
	if (field_is_number(field)) {
		if (!field_number(field, raw, size, swap, &value) || !field->names)
			return;
		FUZZ_CHECK(value_names_text(field->names, value, field_decision(field, raw, size, swap), text) < sizeof(text));
		return;
	}
	bytes = field_bytes(field, raw, size, swap);
	FUZZ_CHECK(!bytes.data || (bytes.data >= raw && bytes.size <= size));
	FUZZ_CHECK(field_print(field, bytes, swap, text, sizeof(text)) <= sizeof(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
	const size_t length = end ? (size_t)(end - data) : size;
	struct arena arena = { 0 };
	struct err err = { 0 };
	struct format format;
	char *text = arena_text(&arena, size ? (const char *)data : "", length, &err);

	if (text && format_parse(&format, text, size & 1 ? 4 : 8, &arena, &err)) {
		FUZZ_CHECK(format.common_count <= format.count);
		for (size_t i = 0; i < format.count; i++)
			for (unsigned swap = 0; swap < 2; swap++)
				read_field(&format.fields[i], data + length, size - length, swap);
	}
	check_err(err.code == ERR_NONE, &err);
	arena_release(&arena);
	return 0;
}
