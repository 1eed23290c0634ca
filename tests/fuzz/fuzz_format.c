/* The format of a tracepoint, and behind its first NUL the raw data of a record of it. */
#include "perffile/fields/format.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static void read_field(const struct field *field, const struct raw_data *raw)
{
	char text[VALUE_TEXT_SIZE];
	struct raw_data bytes;
	uint64_t value;

	FUZZ_CHECK(field->name && *field->name);
	if (field_is_number(field)) {
		if (!field_number(field, raw, &value) || !field->names)
			return;
		FUZZ_CHECK(value_names_text(field->names, value, field_decision(field, raw), text) < sizeof(text));
		return;
	}
	bytes = field_bytes(field, raw);
	FUZZ_CHECK(!bytes.data || (bytes.data >= raw->data && bytes.size <= raw->size));
	FUZZ_CHECK(field_print(field, &bytes, text, sizeof(text)) <= sizeof(text));
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
			for (unsigned swap = 0; swap < 2; swap++) {
				const struct raw_data raw = { data + length, size - length, swap };

				read_field(&format.fields[i], &raw);
			}
	}
	check_err(err.code == ERR_NONE, &err);
	arena_release(&arena);
	return 0;
}
