/*
 * Changes the byte order of a recording, field by field: the result is what a machine of the other
 * order would have written. Twice gives the original again. For tests; shares no code with readperf.
 *
 * usage: turn [-32] IN OUT    -32: the big-endian side has a 32-bit long (feature bitmap)
 *
 * What is opaque stays as it is: raw samples, user stacks, trace data, tracing data (which names its
 * own order). Exit status 1 with a message for what it cannot turn: compressed records.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct attr {
	uint64_t sample_type, read_format, branch_type, regs_user, regs_intr;
	bool trailer;    /* sample_id_all */
	uint64_t *ids;
	size_t id_count;
};

struct turner {
	uint8_t *data;
	size_t size;
	bool big;        /* order of the input */
	bool file;       /* file layout, else pipe */
	int word;        /* bytes of the producer's long, if it is big-endian */
	struct attr *attrs;
	size_t attr_count;
	uint64_t cpus;   /* feature NRCPUS: available */
};

enum { IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM, RAW, BRANCH, REGS_USER, STACK,
	WEIGHT, DATA_SRC, IDENTIFIER, TRANSACTION, REGS_INTR, PHYS, AUX, CGROUP, DATA_PAGE, CODE_PAGE,
	WEIGHT_STRUCT };

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...)
{
	va_list list;

	va_start(list, fmt);
	fputs("turn: ", stderr);
	vfprintf(stderr, fmt, list);
	fputs("\n", stderr);
	va_end(list);
	exit(1);
}

/* --- single fields: each returns the value and leaves the bytes in the other order */

static uint8_t *at(const struct turner *t, uint64_t offset, uint64_t size)
{
	if (offset > t->size || size > t->size - offset)
		die("%" PRIu64 " bytes at 0x%" PRIx64 " lie behind the end", size, offset);
	return t->data + offset;
}

static uint64_t get(const struct turner *t, uint64_t offset, int size)
{
	const uint8_t *p = at(t, offset, (uint64_t)size);
	uint64_t value = 0;

	for (int i = 0; i < size; i++)
		value = value << 8 | p[t->big ? i : size - 1 - i];
	return value;
}

static void put_other(const struct turner *t, uint64_t offset, int size, uint64_t value)
{
	uint8_t *p = at(t, offset, (uint64_t)size);

	for (int i = 0; i < size; i++)
		p[t->big ? i : size - 1 - i] = (uint8_t)(value >> 8 * i);
}

static uint64_t turn(const struct turner *t, uint64_t offset, int size)
{
	uint64_t value = get(t, offset, size);

	put_other(t, offset, size, value);
	return value;
}

static void turn_many(const struct turner *t, uint64_t offset, uint64_t count, int size)
{
	for (uint64_t i = 0; i < count; i++)
		turn(t, offset + i * (uint64_t)size, size);
}

/* Bit-fields of these widths fill a word from its low end, or on a big-endian machine its high end. */
static uint64_t turn_bits(const struct turner *t, uint64_t offset, const uint8_t *widths, int total)
{
	uint64_t value = get(t, offset, total / 8), other = 0, flags = 0;
	int done = 0;

	for (int i = 0; done < total; i++) {
		int width = widths[i] ? widths[i] : 1;
		int low = done, high = total - done - width;
		uint64_t mask = width == 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
		uint64_t field = value >> (t->big ? high : low) & mask;

		flags |= field << low;
		other |= field << (t->big ? low : high);
		done += width;
	}
	put_other(t, offset, total / 8, other);
	return flags;
}

/* --- attrs */

/* Turns the attr at offset, room bytes at most; its ids follow elsewhere. Returns its size. */
static uint64_t turn_attr(struct turner *t, uint64_t offset, uint64_t room)
{
	static const uint8_t flag_widths[64] = { [15] = 2 };
	static const uint8_t action_widths[32] = { 0 };
	uint64_t size, end;
	struct attr *attr;

	t->attrs = realloc(t->attrs, (t->attr_count + 1) * sizeof(*attr));
	if (!t->attrs)
		die("no memory");
	attr = &t->attrs[t->attr_count++];
	memset(attr, 0, sizeof(*attr));
	turn(t, offset, 4);
	size = turn(t, offset + 4, 4);
	if (size == 0)
		size = 64;
	end = size < room ? size : room;
	turn_many(t, offset + 8, 2, 8);
	attr->sample_type = turn(t, offset + 24, 8);
	attr->read_format = turn(t, offset + 32, 8);
	attr->trailer = turn_bits(t, offset + 40, flag_widths, 64) >> 18 & 1;
	turn_many(t, offset + 48, 2, 4);
	turn(t, offset + 56, 8);
	if (end >= 72)
		turn(t, offset + 64, 8);
	if (end >= 80)
		attr->branch_type = turn(t, offset + 72, 8);
	if (end >= 96) {
		attr->regs_user = turn(t, offset + 80, 8);
		turn_many(t, offset + 88, 2, 4);
	}
	if (end >= 104)
		attr->regs_intr = turn(t, offset + 96, 8);
	if (end >= 112) {
		turn(t, offset + 104, 4);
		turn_many(t, offset + 108, 2, 2);
	}
	if (end >= 120) {
		turn(t, offset + 112, 4);
		turn_bits(t, offset + 116, action_widths, 32);
	}
	if (end >= 128)
		turn_many(t, offset + 120, (end - 120) / 8, 8);
	return size;
}

static void turn_ids(struct turner *t, uint64_t offset, uint64_t count)
{
	struct attr *attr = &t->attrs[t->attr_count - 1];

	attr->ids = malloc((size_t)(count ? count : 1) * sizeof(*attr->ids));
	if (!attr->ids)
		die("no memory");
	attr->id_count = (size_t)count;
	for (uint64_t i = 0; i < count; i++)
		attr->ids[i] = turn(t, offset + 8 * i, 8);
}

static bool has(const struct attr *attr, int bit)
{
	return attr->sample_type >> bit & 1;
}

/* Where the id lies: in samples from the start, in others from the end; 0: nowhere. */
static uint64_t id_place(const struct attr *attr, bool sample)
{
	if (has(attr, IDENTIFIER))
		return 8;
	if (!has(attr, ID) || (!sample && !attr->trailer))
		return 0;
	if (sample)
		return 8u + 8u * (unsigned)(has(attr, IP) + has(attr, TID) + has(attr, TIME) + has(attr, ADDR));
	return 8u + 8u * (unsigned)(has(attr, CPU) + has(attr, STREAM));
}

static const struct attr *attr_of(const struct turner *t, uint64_t offset, uint64_t size, bool sample)
{
	for (size_t i = 0; t->attr_count > 1 && i < t->attr_count; i++) {
		const struct attr *attr = &t->attrs[i];
		uint64_t place = id_place(attr, sample), id;

		if (place == 0 || place + 8 > size)
			continue;
		id = get(t, sample ? offset + place : offset + size - place, 8);
		for (size_t k = 0; k < attr->id_count; k++)
			if (attr->ids[k] == id)
				return attr;
	}
	return t->attrs;
}

/* --- kernel records: all return where they stopped */

static uint64_t turn_read(const struct turner *t, const struct attr *attr, uint64_t pos)
{
	uint64_t format = attr->read_format, count = 1;
	uint64_t each = 1 + (format >> 2 & 1) + (format >> 4 & 1), times = (format & 1) + (format >> 1 & 1);

	if (format >> 3 & 1) {
		count = turn(t, pos, 8);
		pos += 8;
	}
	turn_many(t, pos, count * each + times, 8);
	return pos + 8 * (count * each + times);
}

static uint64_t turn_list(const struct turner *t, uint64_t pos)
{
	uint64_t count = turn(t, pos, 8);

	turn_many(t, pos + 8, count, 8);
	return pos + 8 + 8 * count;
}

static uint64_t turn_branches(const struct turner *t, const struct attr *attr, uint64_t pos)
{
	/* mispred, predicted, in_tx, abort, cycles, type, spec, new_type, priv, reserved */
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t count = turn(t, pos, 8);

	pos += 8;
	if (attr->branch_type >> 17 & 1) {
		turn(t, pos, 8);
		pos += 8;
	}
	for (uint64_t i = 0; i < count; i++, pos += 24) {
		turn_many(t, pos, 2, 8);
		turn_bits(t, pos + 16, widths, 64);
	}
	return pos;
}

static uint64_t turn_regs(const struct turner *t, uint64_t mask, uint64_t pos)
{
	uint64_t abi = turn(t, pos, 8), count = 0;

	for (; abi && mask; mask &= mask - 1)
		count++;
	turn_many(t, pos + 8, count, 8);
	return pos + 8 + 8 * count;
}

/* A copied stack is words, as the machine that it was copied on has them. */
static uint64_t turn_stack(const struct turner *t, uint64_t pos)
{
	uint64_t size = turn(t, pos, 8);

	if (size == 0)
		return pos + 8;
	turn_many(t, pos + 8, size / 8, 8);
	turn(t, pos + 8 + size, 8);
	return pos + 16 + size;
}

static uint64_t turn_word(const struct turner *t, const struct attr *attr, int bit, uint64_t pos)
{
	if (!has(attr, bit))
		return pos;
	if (bit == TID || bit == CPU)
		turn_many(t, pos, 2, 4);
	else
		turn(t, pos, 8);
	return pos + 8;
}

static void turn_sample(const struct turner *t, uint64_t offset, uint64_t size)
{
	static const int front[] = { IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD };
	static const int back[] = { PHYS, CGROUP, DATA_PAGE, CODE_PAGE };
	const struct attr *attr = attr_of(t, offset, size, true);
	uint64_t pos = offset + 8, weights = has(attr, WEIGHT) || has(attr, WEIGHT_STRUCT);

	for (size_t i = 0; i < sizeof(front) / sizeof(*front); i++)
		pos = turn_word(t, attr, front[i], pos);
	if (has(attr, READ))
		pos = turn_read(t, attr, pos);
	if (has(attr, CALLCHAIN))
		pos = turn_list(t, pos);
	if (has(attr, RAW))
		pos += 4 + turn(t, pos, 4);
	if (has(attr, BRANCH))
		pos = turn_branches(t, attr, pos);
	if (has(attr, REGS_USER))
		pos = turn_regs(t, attr->regs_user, pos);
	if (has(attr, STACK))
		pos = turn_stack(t, pos);
	if (weights) {
		turn(t, pos, 8);
		pos += 8;
	}
	pos = turn_word(t, attr, DATA_SRC, pos);
	pos = turn_word(t, attr, TRANSACTION, pos);
	if (has(attr, REGS_INTR))
		pos = turn_regs(t, attr->regs_intr, pos);
	for (size_t i = 0; i < sizeof(back) / sizeof(*back); i++)
		pos = turn_word(t, attr, back[i], pos);
	if (has(attr, AUX))
		pos += 8 + turn(t, pos, 8);
	if (pos != offset + size)
		die("sample at 0x%" PRIx64 ": %" PRIu64 " bytes, its fields take %" PRIu64, offset, size, pos - offset);
}

/* A payload as a text of sizes; what follows it is text or bytes. Types 1 to 22. */
static const char *const kernel_fields[] = {
	[1] = "44888", [2] = "88", [3] = "44", [4] = "44448", [5] = "888", [6] = "888", [7] = "44448", [8] = "44",
	[10] = "44888", [11] = "888", [12] = "44", [13] = "8", [14] = "", [15] = "44", [16] = "44", [17] = "8422",
	[18] = "224", [19] = "8", [20] = "822", [21] = "8", [22] = "8"
};

static uint64_t turn_fields(const struct turner *t, const char *sizes, uint64_t pos)
{
	for (; *sizes; sizes++) {
		turn(t, pos, *sizes - '0');
		pos += (uint64_t)(*sizes - '0');
	}
	return pos;
}

static void turn_trailer(const struct turner *t, const struct attr *attr, uint64_t begin, uint64_t end)
{
	static const int order[] = { TID, TIME, ID, STREAM, CPU, IDENTIFIER };
	uint64_t size = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		size += has(attr, order[i]) ? 8 : 0;
	if (!attr->trailer || begin + size > end)
		return;
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (has(attr, order[i])) {
			turn_word(t, attr, order[i], end - size);
			size -= 8;
		}
}

/* Old kernels wrote MMAP2 without prot and flags: then the name, a text, is at 64. */
static uint64_t turn_mmap2(const struct turner *t, uint64_t misc, uint64_t offset, uint64_t pos)
{
	if (!(misc >> 14 & 1))
		turn_fields(t, "4488", pos);
	return get(t, offset + 64, 4) <= 0xff ? turn_fields(t, "44", pos + 24) : pos + 24;
}

static void turn_kernel(const struct turner *t, uint64_t type, uint64_t misc, uint64_t offset, uint64_t size)
{
	const struct attr *attr = attr_of(t, offset, size, false);
	uint64_t pos;

	if (type >= sizeof(kernel_fields) / sizeof(*kernel_fields) || !kernel_fields[type])
		die("record of type %" PRIu64 " at 0x%" PRIx64, type, offset);
	pos = turn_fields(t, kernel_fields[type], offset + 8);
	if (type == 8)
		pos = turn_read(t, attr, pos);
	else if (type == 10)
		pos = turn_mmap2(t, misc, offset, pos);
	else if (type == 16)
		turn_many(t, pos + 8, 2 * turn(t, pos, 8), 8);
	else if (type == 22)
		pos = turn_list(t, pos);
	turn_trailer(t, attr, pos, offset + size);
}

/* --- features */

/*
 * 4, 8: a number. s: a text or bytes with their u32 size. b: a bitmap. n(...), N(...): u32 or u64
 * count of what is in the parentheses. c(...): once per CPU. ?: the rest only if bytes remain.
 */
static const char *turn_grammar(const struct turner *t, const char *g, uint64_t *pos, uint64_t end)
{
	for (; *g && *g != ')'; g++) {
		if (*g == '?' && *pos >= end)
			return g + strlen(g);
		if (*g == '4' || *g == '8') {
			turn(t, *pos, *g - '0');
			*pos += (uint64_t)(*g - '0');
		} else if (*g == 's') {
			*pos += 4 + turn(t, *pos, 4);
		} else if (*g == 'b') {
			uint64_t words = (turn(t, *pos, 8) + 63) / 64;

			turn_many(t, *pos + 8, words, 8);
			*pos += 8 + 8 * words;
		} else if (*g == 'n' || *g == 'N' || *g == 'c') {
			uint64_t count = t->cpus;
			const char *group = g + 2, *close = group;

			if (*g != 'c') {
				count = turn(t, *pos, *g == 'n' ? 4 : 8);
				*pos += *g == 'n' ? 4 : 8;
			}
			for (int depth = 1; depth; close++)
				depth += (*close == '(') - (*close == ')');
			while (count--)
				turn_grammar(t, group, pos, end);
			g = close - 1;
		}
	}
	return g;
}

static void turn_build_ids(const struct turner *t, uint64_t pos, uint64_t end)
{
	while (end - pos >= 36) {
		uint64_t size = get(t, pos + 6, 2);

		turn_fields(t, "4224", pos);
		if (size < 36 || size > end - pos)
			return;
		pos += size;
	}
}

static void turn_event_desc(const struct turner *t, uint64_t pos)
{
	uint64_t count = turn(t, pos, 4), size = turn(t, pos + 4, 4);

	pos += 8;
	while (count--) {
		/* a copy of an attr that is known already */
		struct turner scratch = *t;
		uint64_t ids;

		scratch.attrs = NULL;
		scratch.attr_count = 0;
		turn_attr(&scratch, pos, size);
		free(scratch.attrs);
		ids = turn(t, pos + size, 4);
		pos += size + 4;
		pos += 4 + turn(t, pos, 4);
		turn_many(t, pos, ids, 8);
		pos += 8 * ids;
	}
}

static void turn_feature(struct turner *t, unsigned number, uint64_t pos, uint64_t end)
{
	static const char *const grammars[] = {
		[3] = "s", [4] = "s", [5] = "s", [6] = "s", [7] = "44", [8] = "s", [9] = "s", [10] = "8", [11] = "n(s)",
		[13] = "n(s)n(s)?c(44)?n(s)c(4)", [14] = "n(488s)", [15] = "", [16] = "n(4s)", [17] = "n(s44)",
		[18] = "N(88)", [19] = "", [20] = "4n(4444sss)", [21] = "88", [22] = "88N(88b)", [23] = "8", [24] = "8",
		[26] = "n(4s)", [27] = "44444", [28] = "n(ss)", [29] = "4488", [30] = "n(ss)", [31] = "n(n(ss)s)",
		[33] = "44", [34] = "4"
	};

	if (number == 1 || pos >= end)
		return;
	if (number == 7)
		t->cpus = get(t, pos, 4);
	if (number == 2)
		turn_build_ids(t, pos, end);
	else if (number == 12)
		turn_event_desc(t, pos);
	else if (number == 25 && get(t, pos, 4) == 0)
		turn(t, pos, 4);
	else if (number < sizeof(grammars) / sizeof(*grammars) && grammars[number])
		turn_grammar(t, grammars[number], &pos, end);
	else
		die("feature %u at 0x%" PRIx64, number, pos);
}

/* --- records of the tool */

static void turn_cpu_map(const struct turner *t, uint64_t pos)
{
	uint64_t type = turn(t, pos, 2), count, size;

	if (type == 2) {
		turn_many(t, pos + 4, 2, 2);
		return;
	}
	count = turn(t, pos + 2, 2);
	if (type == 0) {
		turn_many(t, pos + 4, count, 2);
		return;
	}
	size = turn(t, pos + 4, 2);
	turn_many(t, pos + (size == 8 ? 10 : 6), count, (int)size);
}

static void turn_update(const struct turner *t, uint64_t pos)
{
	uint64_t what = turn(t, pos, 8);

	turn(t, pos + 8, 8);
	if (what == 1)
		turn(t, pos + 16, 8);
	else if (what == 3)
		turn_cpu_map(t, pos + 16);
}

/* Returns the bytes of payload that follow the record. */
static uint64_t turn_tool(struct turner *t, uint64_t type, uint64_t offset, uint64_t size)
{
	uint64_t pos = offset + 8, end = offset + size, inner;

	switch (type) {
	case 64:
		inner = turn_attr(t, pos, size - 8);
		turn_ids(t, pos + inner, (size - 8 - inner) / 8);
		break;
	case 65:
		turn(t, pos, 8);
		break;
	case 66:
		return turn(t, pos, 4);
	case 67:
		turn(t, pos, 4);
		break;
	case 68: case 82:
		break;
	case 69: case 75: case 77:
		turn_many(t, pos, (size - 8) / 8, 8);
		break;
	case 70:
		turn_many(t, pos, 2, 4);
		turn_many(t, pos + 8, (size - 16) / 8, 8);
		break;
	case 71:
		turn_fields(t, "8884444", pos);
		return get(&(struct turner){ .data = t->data, .size = t->size, .big = !t->big }, pos, 8);
	case 73:
		inner = turn(t, pos, 8);
		for (uint64_t i = 0; i < inner; i++)
			turn(t, pos + 8 + 24 * i, 8);
		break;
	case 74:
		turn_cpu_map(t, pos);
		break;
	case 76:
		turn_fields(t, "844888", pos);
		break;
	case 78:
		turn_update(t, pos);
		break;
	case 79:
		turn_many(t, pos, size >= 56 ? 5 : 3, 8);
		break;
	case 80:
		turn_feature(t, (unsigned)turn(t, pos, 8), pos + 8, end);
		break;
	default:
		die("record of type %" PRIu64 " at 0x%" PRIx64, type, offset);
	}
	return 0;
}

static void turn_records(struct turner *t, uint64_t pos, uint64_t end)
{
	while (end - pos >= 8) {
		uint64_t type = turn(t, pos, 4), misc = turn(t, pos + 4, 2), size = turn(t, pos + 6, 2), behind = 0;

		if (size < 8 || size > end - pos)
			return;
		if (type == 9)
			turn_sample(t, pos, size);
		else if (type < 64)
			turn_kernel(t, type, misc, pos, size);
		else
			behind = turn_tool(t, type, pos, size);
		if (behind > end - pos - size)
			return;
		pos += size + behind;
	}
}

/* --- the file */

static void turn_bitmap_and_features(struct turner *t, uint64_t table)
{
	bool bits[256];
	uint8_t *map = at(t, 72, 32);

	for (int i = 0; i < 256; i++) {
		int bytes = t->word, byte = i / 8;

		if (t->big)
			byte = byte / bytes * bytes + bytes - 1 - byte % bytes;
		bits[i] = map[byte] >> i % 8 & 1;
	}
	for (int i = 0; i < 32; i += t->word)
		turn(t, 72 + (uint64_t)i, t->word);
	for (unsigned i = 0; i < 256; i++) {
		if (!bits[i])
			continue;
		turn_feature(t, i, get(t, table, 8), get(t, table, 8) + get(t, table + 8, 8));
		turn_many(t, table, 2, 8);
		table += 16;
	}
}

static void turn_file(struct turner *t)
{
	uint64_t header = turn(t, 8, 8), stride = turn(t, 16, 8), attrs = turn(t, 24, 8), attrs_size = turn(t, 32, 8);
	uint64_t data = turn(t, 40, 8), data_size = turn(t, 48, 8), types = turn(t, 56, 8), types_size = turn(t, 64, 8);

	for (uint64_t i = 0; i < attrs_size / stride; i++) {
		uint64_t entry = attrs + i * stride;
		uint64_t ids = turn(t, entry + stride - 16, 8), size = turn(t, entry + stride - 8, 8);

		turn_attr(t, entry, stride - 16);
		turn_ids(t, ids, size / 8);
	}
	for (uint64_t i = 0; i < types_size / 72; i++)
		turn(t, types + 72 * i, 8);
	turn_records(t, data, data_size ? data + data_size : t->size);
	if (data_size && header >= 104)
		turn_bitmap_and_features(t, data + data_size);
}

static void turn_recording(struct turner *t)
{
	uint64_t size;

	at(t, 0, 16);
	t->big = !memcmp(t->data, "2ELIFREP", 8);
	if (!memcmp(t->data, "PERFFILE", 8)) {
		/* this magic is the same in both byte orders: the size of the header gives the order */
		size = get(t, 8, 8);
		t->big = size != 16 && size != 72 && size != 104;
	} else {
		memcpy(t->data, t->big ? "PERFILE2" : "2ELIFREP", 8);
	}
	size = get(t, 8, 8);
	if (size != 16) {
		turn_file(t);
		return;
	}
	turn(t, 8, 8);
	turn_records(t, 16, t->size);
}

static void read_all(struct turner *t, const char *path)
{
	FILE *in = fopen(path, "rb");
	size_t room = (size_t)1 << 28;

	t->data = malloc(room);
	if (!in || !t->data)
		die("%s: %s", path, strerror(errno));
	t->size = fread(t->data, 1, room, in);
	fclose(in);
}

int main(int argc, char **argv)
{
	struct turner t = { .word = 8 };
	FILE *out;

	if (argc > 1 && !strcmp(argv[1], "-32")) {
		t.word = 4;
		argv++;
		argc--;
	}
	if (argc != 3)
		die("usage: turn [-32] IN OUT");
	read_all(&t, argv[1]);
	turn_recording(&t);
	out = fopen(argv[2], "wb");
	if (!out || fwrite(t.data, 1, t.size, out) != t.size || fclose(out))
		die("%s: %s", argv[2], strerror(errno));
	for (size_t i = 0; i < t.attr_count; i++)
		free(t.attrs[i].ids);
	free(t.attrs);
	free(t.data);
	return 0;
}
