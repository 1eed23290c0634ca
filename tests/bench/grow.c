/*
 * Makes a large recording from a small one, by repeating its records at later times.
 *
 *   grow [-k COPIES | -n SAMPLES | -b BYTES] [-p STEP] IN OUT
 *   grow -s IN
 *
 * -k   that many copies of the records
 * -n   as many copies as come nearest to that many samples, at least one
 * -b   as many copies as reach that many bytes of records
 * -p   copy n's processes get STEP * n added to their ids, so that they are new ones
 * -s   writes nothing
 *
 * On standard output: copies, records, samples, bytes of records, of OUT (or of IN with -s).
 *
 * Every copy is the whole recording again, as much later as the recording is long: what was
 * already running is announced again at the copy's start. The kernel's own mappings and what
 * describes the file stay in the first copy. OUT is an ordinary recording.
 *
 * Reads recordings of this machine's byte order with a file header, all of whose events have times;
 * not compressed ones and none with AUX data.
 * Format: include/uapi/linux/perf_event.h, tools/perf/Documentation/perf.data-file-format.txt
 */
#define _XOPEN_SOURCE 700

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FILE_HEADER_SIZE = 104,
	AT_ATTR_SIZE = 16,
	AT_ATTRS = 24,
	AT_DATA = 40,
	AT_FEATURES = 72,
	FEATURE_SAMPLE_TIME = 21,
	IN_ATTR_SAMPLE_TYPE = 24,
	IN_ATTR_FLAGS = 40,
	RECORD_MAX = 65536
};

enum {
	MMAP = 1,
	COMM = 3,
	EXIT = 4,
	THROTTLE = 5,
	UNTHROTTLE = 6,
	FORK = 7,
	READ = 8,
	SAMPLE = 9,
	MMAP2 = 10,
	ITRACE_START = 12,
	SWITCH_CPU_WIDE = 15,
	NAMESPACES = 16,
	KSYMBOL = 17,
	BPF_EVENT = 18,
	USER_TYPES = 64,
	FINISHED_ROUND = 68,
	AUXTRACE_INFO = 70,
	AUXTRACE_ERROR = 72,
	COMPRESSED = 81,
	COMPRESSED2 = 83
};

#define SAMPLE_IP (1ULL << 0)
#define SAMPLE_TID (1ULL << 1)
#define SAMPLE_TIME (1ULL << 2)
#define SAMPLE_ID (1ULL << 6)
#define SAMPLE_CPU (1ULL << 7)
#define SAMPLE_STREAM_ID (1ULL << 9)
#define SAMPLE_IDENTIFIER (1ULL << 16)
#define FLAG_SAMPLE_ID_ALL (1ULL << 18)

/* Where times and process ids are. */
struct layout {
	uint64_t id;
	size_t sample_tid;  /* from the record's start; 0: none */
	size_t sample_time;
	size_t trailer;     /* bytes at the end of records that are not samples */
	size_t trailer_time;
	bool has_tid;
};

struct recording {
	const uint8_t *bytes;
	size_t size;
	size_t data;        /* [data, data_end) are the records */
	size_t data_end;
	struct layout *layouts;
	size_t layout_count;
	bool identified;    /* records name their event: first in samples, last in others */
};

struct totals {
	uint64_t records;
	uint64_t samples;
	uint64_t bytes;
	uint64_t first;     /* ns; 0: no time seen */
	uint64_t last;
};

struct shift {
	uint64_t copy;
	uint64_t time;      /* ns, added */
	uint64_t first;     /* ns, of this copy: for records without a time */
	uint32_t pid;       /* added */
};

static void fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void fail(const char *fmt, ...)
{
	va_list args;

	fputs("grow: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static uint16_t get16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void put64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* The section {offset, size} described at p; it must lie in the file. */
static void section(const struct recording *r, const uint8_t *p, size_t *offset, size_t *size)
{
	uint64_t at = get64(p);
	uint64_t length = get64(p + 8);

	if (at > r->size || length > r->size - at)
		fail("the file ends before %" PRIu64 " bytes at %" PRIu64, length, at);
	*offset = (size_t)at;
	*size = (size_t)length;
}

static struct layout layout_of(uint64_t type, uint64_t id)
{
	struct layout l = {.id = id, .has_tid = type & SAMPLE_TID};
	size_t at = 8;

	at += type & SAMPLE_IDENTIFIER ? 8 : 0;
	at += type & SAMPLE_IP ? 8 : 0;
	l.sample_tid = type & SAMPLE_TID ? at : 0;
	at += type & SAMPLE_TID ? 8 : 0;
	l.sample_time = at;
	l.trailer_time = type & SAMPLE_TID ? 8 : 0;
	l.trailer = l.trailer_time + 8;
	l.trailer += type & SAMPLE_ID ? 8 : 0;
	l.trailer += type & SAMPLE_STREAM_ID ? 8 : 0;
	l.trailer += type & SAMPLE_CPU ? 8 : 0;
	l.trailer += type & SAMPLE_IDENTIFIER ? 8 : 0;
	return l;
}

static void read_attr(struct recording *r, const uint8_t *attr, size_t attr_size)
{
	uint64_t type = get64(attr + IN_ATTR_SAMPLE_TYPE);
	size_t ids;
	size_t ids_size;
	size_t count;

	if (!(type & SAMPLE_TIME) || !(get64(attr + IN_ATTR_FLAGS) & FLAG_SAMPLE_ID_ALL))
		fail("an event without times");
	section(r, attr + attr_size - 16, &ids, &ids_size);
	count = ids_size / 8 ? ids_size / 8 : 1;
	r->layouts = realloc(r->layouts, (r->layout_count + count) * sizeof(*r->layouts));
	if (!r->layouts)
		fail("out of memory");
	for (size_t i = 0; i < count; i++)
		r->layouts[r->layout_count++] =
		        layout_of(type, ids_size ? get64(r->bytes + ids + 8 * i) : 0);
	r->identified = type & SAMPLE_IDENTIFIER;
}

static int by_id(const void *a, const void *b)
{
	const struct layout *x = a;
	const struct layout *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static void read_header(struct recording *r)
{
	size_t attr_size;
	size_t attrs;
	size_t attrs_size;
	size_t size;

	if (r->size < FILE_HEADER_SIZE || memcmp(r->bytes, "PERFILE2", 8) != 0 ||
	    get64(r->bytes + 8) != FILE_HEADER_SIZE)
		fail("not a recording with a file header in this machine's byte order");
	attr_size = get64(r->bytes + AT_ATTR_SIZE);
	section(r, r->bytes + AT_ATTRS, &attrs, &attrs_size);
	section(r, r->bytes + AT_DATA, &r->data, &size);
	r->data_end = r->data + size;
	if (attrs > r->data || attr_size < 64 + 16 || attrs_size < attr_size)
		fail("the events do not come before the records");
	for (size_t at = 0; at + attr_size <= attrs_size; at += attr_size)
		read_attr(r, r->bytes + attrs + at, attr_size);
	qsort(r->layouts, r->layout_count, sizeof(*r->layouts), by_id);
}

static const struct layout *find_layout(const struct recording *r, const uint8_t *rec,
                                        size_t size)
{
	struct layout key = {.id = 0};
	const struct layout *found;

	if (!r->identified || r->layout_count == 1)
		return r->layouts;
	key.id = get64(get32(rec) == SAMPLE ? rec + 8 : rec + size - 8);
	found = bsearch(&key, r->layouts, r->layout_count, sizeof(key), by_id);
	/* Records that perf itself wrote about processes that were already running have no id. */
	return found ? found : r->layouts;
}

/* Where in the record its time is; 0: it has none. */
static size_t time_at(const struct recording *r, const uint8_t *rec, size_t size)
{
	const struct layout *l = find_layout(r, rec, size);
	size_t at;

	if (get32(rec) >= USER_TYPES)
		return 0;
	at = get32(rec) == SAMPLE ? l->sample_time : size - l->trailer + l->trailer_time;
	if (at > size - 8)
		fail("a record of type %" PRIu32 " is too short", get32(rec));
	return at;
}

static size_t record_size(const struct recording *r, size_t at)
{
	size_t left = r->data_end - at;
	size_t size = left < 8 ? 0 : get16(r->bytes + at + 6);

	if (size < 16 && !(size == 8 && get32(r->bytes + at) >= USER_TYPES))
		fail("at %zu: a record of %zu bytes", at, size);
	if (size > left)
		fail("at %zu: the last record is incomplete", at);
	return size;
}

/* Does every copy have this record, or only the first? */
static bool is_repeated(const uint8_t *rec)
{
	uint32_t type = get32(rec);

	if (type >= USER_TYPES)
		return type == FINISHED_ROUND;
	if (type == MMAP || type == MMAP2)
		return get32(rec + 8) != UINT32_MAX;
	return type != KSYMBOL && type != BPF_EVENT;
}

static void count(const struct recording *r, struct totals *all, struct totals *again)
{
	size_t size;

	for (size_t at = r->data; at < r->data_end; at += size) {
		const uint8_t *rec = r->bytes + at;
		uint32_t type = get32(rec);
		bool repeated = is_repeated(rec);
		size_t time;

		size = record_size(r, at);
		if (type == COMPRESSED || type == COMPRESSED2 ||
		    (type >= AUXTRACE_INFO && type <= AUXTRACE_ERROR))
			fail("compressed records or AUX data");
		time = time_at(r, rec, size);
		if (time && get64(rec + time)) {
			uint64_t t = get64(rec + time);

			all->first = !all->first || t < all->first ? t : all->first;
			all->last = t > all->last ? t : all->last;
		}
		all->records++;
		all->samples += type == SAMPLE;
		all->bytes += size;
		again->records += repeated;
		again->samples += type == SAMPLE;
		again->bytes += repeated ? size : 0;
	}
}

static void shift_pid(uint8_t *p, const struct shift *s)
{
	uint32_t pid = get32(p);

	if (pid != 0 && pid != UINT32_MAX) {
		pid += s->pid;
		memcpy(p, &pid, sizeof(pid));
	}
}

static void shift_time(uint8_t *p, const struct shift *s)
{
	uint64_t time = get64(p);

	put64(p, time ? time + s->time : s->first);
}

static void shift_pids(uint8_t *rec, size_t size, const struct layout *l, const struct shift *s)
{
	uint32_t type = get32(rec);
	size_t pairs = type == FORK || type == EXIT ? 2 : 1;

	if (type == SAMPLE) {
		if (l->sample_tid) {
			shift_pid(rec + l->sample_tid, s);
			shift_pid(rec + l->sample_tid + 4, s);
		}
		return;
	}
	if (type == MMAP || type == MMAP2 || type == COMM || type == FORK || type == EXIT ||
	    type == READ || type == ITRACE_START || type == SWITCH_CPU_WIDE || type == NAMESPACES)
		for (size_t i = 0; i < 2 * pairs; i++)
			shift_pid(rec + 8 + 4 * i, s);
	if (l->has_tid) {
		shift_pid(rec + size - l->trailer, s);
		shift_pid(rec + size - l->trailer + 4, s);
	}
}

static void shift_record(const struct recording *r, uint8_t *rec, size_t size,
                         const struct shift *s)
{
	uint32_t type = get32(rec);

	if (type >= USER_TYPES)
		return;
	shift_time(rec + time_at(r, rec, size), s);
	if ((type == FORK || type == EXIT) && size >= 32)
		shift_time(rec + 24, s);
	if (type == THROTTLE || type == UNTHROTTLE)
		shift_time(rec + 8, s);
	if (s->pid)
		shift_pids(rec, size, find_layout(r, rec, size), s);
}

static void put(FILE *out, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, out) != size)
		fail("cannot write");
}

static void write_copy(const struct recording *r, FILE *out, const struct shift *s)
{
	static const size_t room = RECORD_MAX;
	uint8_t *rec = malloc(room);
	size_t size;

	if (!rec)
		fail("out of memory");
	for (size_t at = r->data; at < r->data_end; at += size) {
		size = record_size(r, at);
		if (!is_repeated(r->bytes + at))
			continue;
		memcpy(rec, r->bytes + at, size);
		shift_record(r, rec, size, s);
		put(out, rec, size);
	}
	free(rec);
}

/* Behind the records lie the table of feature sections and the sections, all of which move. */
static void write_features(const struct recording *r, FILE *out, uint64_t moved, uint64_t later)
{
	size_t size = r->size - r->data_end;
	uint8_t *tail = malloc(size ? size : 1);
	uint8_t *entry = tail;

	if (!tail)
		fail("out of memory");
	memcpy(tail, r->bytes + r->data_end, size);
	for (unsigned bit = 0; bit < 256; bit++) {
		uint64_t at;

		if (!(r->bytes[AT_FEATURES + bit / 8] >> bit % 8 & 1))
			continue;
		if ((size_t)(entry - tail) + 16 > size)
			fail("the table of features is cut off");
		at = get64(entry);
		if (bit == FEATURE_SAMPLE_TIME && get64(entry + 8) == 16 && at >= r->data_end &&
		    at <= r->size - 16) {
			uint8_t *last = tail + (at - r->data_end) + 8;

			put64(last, get64(last) + later);
		}
		put64(entry, at + moved);
		entry += 16;
	}
	put(out, tail, size);
	free(tail);
}

static void write_all(const struct recording *r, const char *name, uint64_t copies,
                      uint32_t step, const struct totals *all, const struct totals *again)
{
	uint64_t moved = (copies - 1) * again->bytes;
	uint64_t length = all->last - all->first + 1000;
	uint8_t data_size[8];
	FILE *out = fopen(name, "wb");

	if (!out)
		fail("%s: cannot write", name);
	put64(data_size, all->bytes + moved);
	put(out, r->bytes, AT_DATA + 8);
	put(out, data_size, 8);
	put(out, r->bytes + AT_DATA + 16, r->data - AT_DATA - 16);
	put(out, r->bytes + r->data, r->data_end - r->data);
	for (uint64_t i = 1; i < copies; i++) {
		struct shift s = {i, i * length, all->first + i * length, (uint32_t)i * step};

		write_copy(r, out, &s);
	}
	write_features(r, out, moved, (copies - 1) * length);
	if (fclose(out))
		fail("%s: cannot write", name);
}

static void open_recording(struct recording *r, const char *name)
{
	struct stat st;
	int fd = open(name, O_RDONLY);
	void *bytes;

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0)
		fail("%s: cannot read", name);
	r->size = (size_t)st.st_size;
	bytes = mmap(NULL, r->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		fail("%s: cannot read", name);
	r->bytes = bytes;
	close(fd);
	read_header(r);
}

int main(int argc, char **argv)
{
	struct recording r = {0};
	struct totals all = {0};
	struct totals again = {0};
	uint64_t copies = 1;
	uint64_t samples = 0;
	uint64_t bytes = 0;
	uint32_t step = 0;
	bool summary = false;
	int option;

	while ((option = getopt(argc, argv, "k:n:b:p:s")) != -1) {
		if (option == 'k')
			copies = strtoull(optarg, NULL, 10);
		else if (option == 'n')
			samples = strtoull(optarg, NULL, 10);
		else if (option == 'b')
			bytes = strtoull(optarg, NULL, 10);
		else if (option == 'p')
			step = (uint32_t)strtoul(optarg, NULL, 10);
		else if (option == 's')
			summary = true;
		else
			return 2;
	}
	if (argc - optind != (summary ? 1 : 2))
		fail("usage: grow [-k COPIES | -n SAMPLES | -b BYTES] [-p STEP] IN OUT | -s IN");
	open_recording(&r, argv[optind]);
	count(&r, &all, &again);
	if (samples && all.samples)
		copies = (samples + all.samples / 2) / all.samples;
	if (bytes > all.bytes)
		copies = 1 + (bytes - all.bytes + again.bytes - 1) / again.bytes;
	copies = copies && !summary ? copies : 1;
	if (!summary)
		write_all(&r, argv[optind + 1], copies, step, &all, &again);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", copies,
	       all.records + (copies - 1) * again.records,
	       all.samples + (copies - 1) * again.samples, all.bytes + (copies - 1) * again.bytes);
	free(r.layouts);
	return 0;
}
