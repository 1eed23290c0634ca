#include "perffile/input/otherkind.h"

#include "util/types.h"

#include <string.h>

struct kind {
	uint16_t offset;
	uint8_t length;
	const char *bytes, *clause;
};

#define KIND(offset, bytes, clause)                      \
	{                                                \
		offset, sizeof(bytes) - 1, bytes, clause \
	}

static const struct kind kinds[] = {
	KIND(0, "\177ELF", "is an ELF file: a program, a library or a core dump"),
	KIND(0, "BZh",
	     "is packed by bzip2: what perf archive makes holds binaries, not the recording; unpack it "
	     "(mkdir cache && tar xf FILE -C cache) and pass --buildid-dir=cache"),
	KIND(257, "ustar", "is a tar archive: unpack it, and name the recording in it"),
	KIND(0, "PK\3\4", "is a zip archive, or a workbook"),
	KIND(0, "SQLite format 3", "is a database of SQLite"),
	KIND(0, "\27\10\104tracing", "is a trace of trace-cmd"),
	KIND(0, "SIMPLEPERF", "is what simpleperf report-sample wrote"),
	KIND(0, "%PDF", "is a PDF document"),
	KIND(0, "\211PNG", "is a picture"),
};

#define ZEROS_LEAST 64 /* number of zero bytes from which a file is said to begin with zeros */

static bool begins_with_zeros(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (data[i])
			return false;
	return size >= ZEROS_LEAST;
}

/* Bytes of UTF-8 and of older encodings count as text, control bytes do not. */
static bool is_text(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((data[i] < ' ' && !strchr("\t\n\r\f\033", data[i])) || !data[i] ||
		    data[i] == 0x7f)
			return false;
	return true;
}

static const char *kind_of_text(const uint8_t *data, size_t size)
{
	static const char mark[] = "\xef\xbb\xbf";

	if (size >= 3 && !memcmp(data, mark, 3))
		data += 3, size -= 3;
	while (size && strchr(" \t\r\n", *data))
		data++, size--;
	if (size && (*data == '{' || *data == '['))
		return "is JSON, as other tools write profiles";
	if (size && *data == '<')
		return "is XML or HTML, as pictures of flame graphs are";
	if (size > 2 && !memcmp(data, "# ", 2))
		return "is text, as perf report and perf script print it; the recording is what perf "
		       "record wrote";
	return "is a text file";
}

/* The magic of a recording. A recording cut within it must not be called text. */
static bool is_magic(const uint8_t *data, size_t size)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE" };

	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		if (!memcmp(data, magics[i], size < 8 ? size : 8))
			return true;
	return false;
}

const char *other_kind(const uint8_t *data, size_t size)
{
	if (is_magic(data, size))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct kind *kind = &kinds[i];

		if (size >= (size_t)kind->offset + kind->length &&
		    !memcmp(data + kind->offset, kind->bytes, kind->length))
			return kind->clause;
	}
	if (begins_with_zeros(data, size))
		return "begins with zeros: it was never written, or is damaged";
	return is_text(data, size) ? kind_of_text(data, size) : NULL;
}
