#include "decode/naming/groupkeys.h"

#include "util/strings.h"
#include "util/text.h"

#include <string.h>

static const struct column key_columns[KEY_COUNT] = {
	[KEY_PID] = { "pid", COLUMN_INTEGER, "", "process", 0, NULL },
	[KEY_TID] = { "tid", COLUMN_INTEGER, "", "thread", 0, NULL },
	[KEY_COMM] = { "comm", COLUMN_TEXT, "", "name of the process at that moment", 0, NULL },
	[KEY_THREAD] = { "thread", COLUMN_TEXT, "", "name of the thread at that moment", 0, NULL },
	[KEY_CPU] = { "cpu", COLUMN_INTEGER, "", "CPU", 0, NULL },
	[KEY_MODE] = { "mode", COLUMN_TEXT, "",
	               "user, kernel, guest-user, guest-kernel or hypervisor: where code ran", 0,
	               NULL },
	[KEY_CGROUP] = { "cgroup", COLUMN_PATH, "", "control group, if recorded", 0, NULL },
	[KEY_TIME] = { "time", COLUMN_TIME, "ns", "start of the slice of time", 0, NULL },
	[KEY_WHAT] = { "what", COLUMN_TEXT, "", "of an interval: which syscall, state, lock ...", 0,
	               NULL },
	[KEY_RESULT] = { "result", COLUMN_TEXT, "", "of an interval: how it ended", 0, NULL },
	[KEY_WAKER] = { "waker", COLUMN_TEXT, "", "name of the thread that ended an interval", 0,
	                NULL },
	[KEY_DURATION] = { "duration", COLUMN_INTEGER, "ns",
	                   "of an interval: the power of two below its length", 0, NULL },
	[KEY_PARALLELISM] = { "parallelism", COLUMN_INTEGER, "",
	                      "threads of the recording that were on a CPU at that moment", 0,
	                      NULL },
	[KEY_BINARY] = { "binary", COLUMN_PATH, "",
	                 "as recorded, or [kernel.kallsyms] and the like", 0, NULL },
	[KEY_BUILD_ID] = { "build_id", COLUMN_TEXT, "", "of the binary, if known", 0, NULL },
	[KEY_FUNCTION] = { "function", COLUMN_TEXT, "", "its name, or [unknown]", 0, NULL },
	[KEY_SOURCE_FILE] = { "source_file", COLUMN_PATH, "",
	                      "where the function is defined; beside the key line: the file of the "
	                      "line",
	                      0, NULL },
	[KEY_LINE] = { "line", COLUMN_INTEGER, "", "its number, from 1", 0, NULL },
	[KEY_ADDRESS] = { "address", COLUMN_ADDRESS, "", "as objdump prints it", 0, NULL },
	[KEY_SYMBOLS] = { "symbols", COLUMN_TEXT, "",
	                  "where the name came from, or why there is none", 0, NULL },
	[KEY_CALLER] = { "caller", COLUMN_TEXT, "",
	                 "the function directly outside, with call chains; empty: none", 0, NULL },
	[KEY_FROM_FUNCTION] = { "from_function", COLUMN_TEXT, "",
	                        "that a recorded branch leads out of; rows count branches", 0,
	                        NULL },
	[KEY_TO_FUNCTION] = { "to_function", COLUMN_TEXT, "",
	                      "that a recorded branch leads into; rows count branches", 0, NULL },
};

const struct group_table line_table = {
	.keys = { KEY_BINARY, KEY_SOURCE_FILE, KEY_LINE, KEY_FUNCTION },
	.key_count = 4,
	.by_samples = true,
};

const struct group_table address_table = {
	.keys = { KEY_BINARY, KEY_ADDRESS, KEY_SOURCE_FILE, KEY_LINE, KEY_FUNCTION },
	.key_count = 5,
	.by_samples = true,
};

const struct column *group_key_column(enum group_key key)
{
	return &key_columns[key];
}

enum group_key group_key_find(const char *name, size_t length)
{
	for (int key = 0; key < KEY_COUNT; key++) {
		const char *known = key_columns[key].name;

		if (known && text_is(name, length, known))
			return (enum group_key)key;
	}
	return KEY_COUNT;
}

bool group_key_is_text(enum group_key key)
{
	return key_columns[key].type == COLUMN_TEXT || key_columns[key].type == COLUMN_PATH;
}

bool group_word_is_empty(enum group_key key, uint64_t word)
{
	if (key == KEY_LINE)
		return word == 0;
	if (key >= KEY_FIELD && key <= KEY_FIELD_LAST)
		return word == STRING_EMPTY;
	if (key == KEY_WHAT || key == KEY_RESULT || key == KEY_WAKER)
		return word == STRING_EMPTY;
	return (key == KEY_CPU || key == KEY_TIME || key == KEY_DURATION ||
	        key == KEY_PARALLELISM) &&
	       word == WORD_NONE;
}

unsigned group_table_keys(const struct group_table *table)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < table->key_count; i++)
		bits |= 1u << table->keys[i];
	return bits;
}
