/*
 * Makes and measures recordings for the tests; shares no code with readperf. Little-endian only.
 *
 * records list FILE             "offset size type" of each complete record, compressed ones unopened
 * records features FILE         "number at offset size" of each feature of a file: at: its entry in the table
 * records put FILE OFFSET BYTES NUMBER      changes BYTES bytes in place
 * records wrap TYPE SIZE        standard input as COMPRESSED (81) or COMPRESSED2 (83) records of at
 *                               most SIZE packed bytes, on standard output
 * records aux BYTES             an AUXTRACE record and as many bytes that look like records
 * records ids                   a file of 20000 attrs that all claim the same 4 MB of ids
 * records long COUNT            a pipe of COUNT samples of 4 KB in rounds, out of order within them,
 *                               and at the end a record without a time
 * records stacks COUNT STEP     a pipe of COUNT samples of 64 KB, most of them zeros, STEP ns apart
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *why)
{
	fprintf(stderr, "records: %s\n", why);
	exit(1);
}

static uint64_t get(const uint8_t *p, int size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | p[size];
	return value;
}

static uint8_t *put(uint8_t *p, int size, uint64_t value)
{
	for (; size--; value >>= 8)
		*p++ = (uint8_t)value;
	return p;
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (!*text || *end)
		die("expected a number");
	return value;
}

static void list(const char *path)
{
	FILE *in = fopen(path, "rb");
	size_t room = (size_t)1 << 28, size;
	uint8_t *data = malloc(room);
	uint64_t pos = 16, end;

	if (!in || !data)
		die(strerror(errno));
	size = fread(data, 1, room, in);
	fclose(in);
	end = size;
	if (size >= 104 && get(data + 8, 8) != 16) {
		pos = get(data + 40, 8);
		if (get(data + 48, 8) && pos + get(data + 48, 8) < size)
			end = pos + get(data + 48, 8);
	}
	while (pos + 8 <= end) {
		uint64_t type = get(data + pos, 4), length = get(data + pos + 6, 2);

		if (length < 8 || length > end - pos)
			break;
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", pos, length, type);
		if (type == 66)
			length += get(data + pos + 8, 4);
		else if (type == 71)
			length += get(data + pos + 8, 8);
		if (length > end - pos)
			break;
		pos += length;
	}
	free(data);
}

static void features(const char *path)
{
	static uint8_t data[1 << 24];
	FILE *in = fopen(path, "rb");
	size_t size = in ? fread(data, 1, sizeof(data), in) : 0;
	uint64_t at = get(data + 40, 8) + get(data + 48, 8);

	for (int bit = 1; bit < 256; bit++) {
		if (!(data[72 + bit / 8] >> bit % 8 & 1))
			continue;
		if (at > size || size - at < 16)
			die("expected a feature table");
		printf("%d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", bit, at, get(data + at, 8), get(data + at + 8, 8));
		at += 16;
	}
}

static void change(char **words)
{
	FILE *file = fopen(words[0], "r+b");
	uint8_t bytes[8];
	size_t size = (size_t)number(words[2]);

	if (size > 8)
		die("expected at most 8 bytes");
	put(bytes, (int)size, number(words[3]));
	if (!file || fseek(file, (long)number(words[1]), SEEK_SET) || fwrite(bytes, 1, size, file) != size ||
	    fclose(file))
		die(strerror(errno));
}

static uint8_t *header(uint8_t *p, uint64_t type, uint64_t misc, uint64_t size)
{
	return put(put(put(p, 4, type), 2, misc), 2, size);
}

static void out(const void *data, size_t size)
{
	if (fwrite(data, 1, size, stdout) != size)
		exit(1);
}

static void wrap(uint64_t type, size_t size)
{
	static uint8_t piece[65536];
	uint8_t head[16], zeros[8] = { 0 };
	size_t n;

	if (size == 0 || size > 65000)
		die("expected a size up to 65000");
	while ((n = fread(piece, 1, size, stdin)) > 0) {
		size_t padding = type == 83 ? (8 - n % 8) % 8 : 0;
		uint8_t *end = header(head, type, 0xdcb8, (type == 83 ? 16 : 8) + n + padding);

		if (type == 83)
			end = put(end, 8, n);
		out(head, (size_t)(end - head));
		out(piece, n);
		out(zeros, padding);
	}
}

static void aux(uint64_t size)
{
	uint8_t record[48] = { 0 }, bait[8];

	put(header(record, 71, 0, sizeof(record)), 8, size);
	out(record, sizeof(record));
	header(bait, 9, 2, 3);
	for (; size >= 8; size -= 8)
		out(bait, 8);
	out(bait, (size_t)size);
}

/* sample_type, then flags sample_id_all; the rest is 0. Returns the end, 64 bytes on. */
static uint8_t *attr(uint8_t *p, uint64_t sample_type)
{
	memset(p, 0, 64);
	put(put(p, 4, 1), 4, 64);
	put(p + 16, 8, 4000);
	put(p + 24, 8, sample_type);
	put(p + 40, 8, 1 << 18);
	return p + 64;
}

static void ids(void)
{
	static uint8_t blob[4 << 20];
	uint8_t head[104] = { 0 }, entry[80], end[8];
	uint64_t count = 20000, attrs = sizeof(head) + sizeof(blob);
	uint64_t fields[] = { 104, 80, attrs, 80 * count, attrs + 80 * count, 8 };

	memcpy(head, "PERFILE2", 8);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		put(head + 8 + 8 * i, 8, fields[i]);
	out(head, sizeof(head));
	for (size_t i = 0; i < sizeof(blob); i += 8)
		put(blob + i, 8, i * 2654435761u);
	out(blob, sizeof(blob));
	put(put(attr(entry, 0x10007), 8, sizeof(head)), 8, sizeof(blob));
	while (count--)
		out(entry, sizeof(entry));
	header(end, 68, 0, 8);
	out(end, sizeof(end));
}

#define ROUND 256 /* samples */
#define RAW 4028  /* bytes: 4096 in all */

static void long_pipe(uint64_t count)
{
	/* IP, TID, TIME, RAW */
	static uint8_t sample[8 + 24 + 4 + RAW], record[8 + 64], lost[8 + 8 + 16], round[8];

	out("PERFILE2\20\0\0\0\0\0\0", 16);
	attr(header(record, 64, 0, sizeof(record)), 0x407);
	out(record, sizeof(record));
	header(round, 68, 0, sizeof(round));
	header(sample, 9, 2, sizeof(sample));
	put(sample + 32, 4, RAW);
	for (uint64_t i = 0; i < count; i++) {
		/* within a round and into the one before it, as buffers of several CPUs are read */
		uint64_t time = 1000000 + 1000 * (i - i % ROUND) + 1000 * (i * 97 % ROUND) + (i % 3) * 100000;

		put(put(put(put(sample + 8, 8, 0x400000 + i % 1000), 4, 7), 4, 7), 8, time);
		out(sample, sizeof(sample));
		if (i % ROUND == ROUND - 1)
			out(round, sizeof(round));
	}
	put(header(lost, 13, 0, sizeof(lost)), 8, 5);
	out(lost, sizeof(lost));
}

static void stacks(uint64_t count, uint64_t step)
{
	/* IP, TID, TIME, RAW */
	static uint8_t sample[65528], record[8 + 64];

	out("PERFILE2\20\0\0\0\0\0\0", 16);
	attr(header(record, 64, 0, sizeof(record)), 0x407);
	out(record, sizeof(record));
	header(sample, 9, 2, sizeof(sample));
	put(sample + 32, 4, sizeof(sample) - 36);
	for (uint64_t i = 0; i < count; i++) {
		put(put(put(put(sample + 8, 8, 0x400000), 4, 7), 4, 7), 8, 1000000 + step * i);
		out(sample, sizeof(sample));
	}
}

int main(int argc, char **argv)
{
	const char *job = argc > 1 ? argv[1] : "";

	if (!strcmp(job, "list") && argc == 3)
		list(argv[2]);
	else if (!strcmp(job, "features") && argc == 3)
		features(argv[2]);
	else if (!strcmp(job, "put") && argc == 6)
		change(argv + 2);
	else if (!strcmp(job, "wrap") && argc == 4)
		wrap(number(argv[2]), (size_t)number(argv[3]));
	else if (!strcmp(job, "aux") && argc == 3)
		aux(number(argv[2]));
	else if (!strcmp(job, "ids") && argc == 2)
		ids();
	else if (!strcmp(job, "long") && argc == 3)
		long_pipe(number(argv[2]));
	else if (!strcmp(job, "stacks") && argc == 4)
		stacks(number(argv[2]), number(argv[3]));
	else
		die("unknown job");
	return fflush(stdout) || ferror(stdout);
}
