#define _DEFAULT_SOURCE /* mkstemp() */
#include "tests/unit/recording.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void give_up(const char *why)
{
	fprintf(stderr, "the test itself cannot go on: %s\n", why);
	abort();
}

void image_init(struct image *image, bool big_endian)
{
	memset(image, 0, sizeof(*image));
	image->big_endian = big_endian;
}

void image_release(struct image *image)
{
	free(image->data);
	memset(image, 0, sizeof(*image));
}

static uint8_t *room(struct image *image, size_t size)
{
	if (image->capacity - image->size < size) {
		image->capacity = 2 * image->capacity + size + 1024;
		image->data = realloc(image->data, image->capacity);
		if (!image->data)
			give_up("no memory");
	}
	image->size += size;
	return image->data + image->size - size;
}

static void store(const struct image *image, uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[image->big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

void image_put(struct image *image, uint64_t value, size_t size)
{
	uint8_t *at = room(image, size);

	store(image, at, value, size);
}

void image_u8(struct image *image, uint8_t value)
{
	image_put(image, value, 1);
}

void image_u16(struct image *image, uint16_t value)
{
	image_put(image, value, 2);
}

void image_u32(struct image *image, uint32_t value)
{
	image_put(image, value, 4);
}

void image_u64(struct image *image, uint64_t value)
{
	image_put(image, value, 8);
}

void image_bytes(struct image *image, const void *data, size_t size)
{
	uint8_t *at = room(image, size);

	if (size)
		memcpy(at, data, size);
}

void image_zeros(struct image *image, size_t count)
{
	uint8_t *at = room(image, count);

	memset(at, 0, count);
}

void image_text8(struct image *image, const char *text)
{
	size_t size = strlen(text) + 1;

	image_bytes(image, text, size);
	image_zeros(image, (8 - size % 8) % 8);
}

void image_patch(struct image *image, size_t at, uint64_t value, size_t size)
{
	store(image, image->data + at, value, size);
}

size_t record_begin(struct image *image, uint32_t type, uint16_t misc)
{
	size_t start = image->size;

	image_u32(image, type);
	image_u16(image, misc);
	image_u16(image, 0);
	return start;
}

void record_end(struct image *image, size_t start)
{
	image_patch(image, start + 6, image->size - start, 2);
}

/* Bit-fields of a big-endian producer start at the other end; precise_ip (15, 16) is two bits. */
static uint64_t flag_word(const struct image *image, uint64_t flags)
{
	uint64_t word = 0;

	if (!image->big_endian)
		return flags;
	for (unsigned n = 0; n < 64; n++)
		if (n != 15 && n != 16 && flags >> n & 1)
			word |= (uint64_t)1 << (63 - n);
	return word | (flags >> 15 & 3) << 47;
}

void image_attr(struct image *image, const struct test_attr *attr)
{
	size_t start = image->size, size = attr->size ? attr->size : 136;

	image_u32(image, attr->type);
	image_u32(image, (uint32_t)size);
	image_u64(image, attr->config);
	image_u64(image, attr->period);
	image_u64(image, attr->sample_type);
	image_u64(image, attr->read_format);
	image_u64(image, flag_word(image, attr->flags));
	image_zeros(image, 24); /* wakeup, bp_type, bp_addr, bp_len */
	image_u64(image, attr->branches);
	image_u64(image, attr->regs_user);
	image_u32(image, attr->stack_user);
	image_u32(image, (uint32_t)attr->clockid);
	image_u64(image, attr->regs_intr);
	/* an older attr ends earlier, a newer one has more */
	if (image->size - start > size)
		image->size = start + size;
	image_zeros(image, size - (image->size - start));
}

void file_begin(struct image *image, const struct test_attr *attrs, size_t count,
                uint64_t header_size)
{
	size_t size = count && attrs->size ? attrs->size : 136;
	size_t at = (size_t)header_size, ids[64];

	image_bytes(image, image->big_endian ? "2ELIFREP" : "PERFILE2", 8);
	image_u64(image, header_size);
	image_u64(image, size + 16);
	image_zeros(image, (size_t)header_size - 24);
	for (size_t i = 0; i < count; i++) {
		ids[i] = image->size;
		for (size_t j = 0; j < attrs[i].id_count; j++)
			image_u64(image, attrs[i].ids[j]);
	}
	at = image->size;
	for (size_t i = 0; i < count; i++) {
		image_attr(image, &attrs[i]);
		image_u64(image, ids[i]);
		image_u64(image, 8 * attrs[i].id_count);
	}
	image_patch(image, 24, at, 8);
	image_patch(image, 32, image->size - at, 8);
	image_patch(image, 40, image->size, 8);
	image->data_section = image->size;
}

void file_end(struct image *image)
{
	image_patch(image, 48, image->size - image->data_section, 8);
}

void pipe_begin(struct image *image, const struct test_attr *attrs, size_t count)
{
	image_bytes(image, image->big_endian ? "2ELIFREP" : "PERFILE2", 8);
	image_u64(image, 16);
	for (size_t i = 0; i < count; i++) {
		size_t start = record_begin(image, 64, 0x7f54);

		image_attr(image, &attrs[i]);
		for (size_t j = 0; j < attrs[i].id_count; j++)
			image_u64(image, attrs[i].ids[j]);
		record_end(image, start);
	}
}

static void image_pair(struct image *image, uint32_t first, uint32_t second)
{
	image_u32(image, first);
	image_u32(image, second);
}

void image_trailer(struct image *image, uint64_t sample_type, const struct test_fields *fields)
{
	if (sample_type & FLAG(1))
		image_pair(image, fields->pid, fields->tid);
	if (sample_type & FLAG(2))
		image_u64(image, fields->time);
	if (sample_type & FLAG(6))
		image_u64(image, fields->id);
	if (sample_type & FLAG(9))
		image_u64(image, fields->stream_id);
	if (sample_type & FLAG(7))
		image_pair(image, fields->cpu, 0);
	if (sample_type & FLAG(16))
		image_u64(image, fields->id);
}

void image_fixed(struct image *image, uint64_t sample_type, const struct test_fields *fields)
{
	if (sample_type & FLAG(16))
		image_u64(image, fields->id);
	if (sample_type & FLAG(0))
		image_u64(image, fields->ip);
	if (sample_type & FLAG(1))
		image_pair(image, fields->pid, fields->tid);
	if (sample_type & FLAG(2))
		image_u64(image, fields->time);
	if (sample_type & FLAG(3))
		image_u64(image, fields->addr);
	if (sample_type & FLAG(6))
		image_u64(image, fields->id);
	if (sample_type & FLAG(9))
		image_u64(image, fields->stream_id);
	if (sample_type & FLAG(7))
		image_pair(image, fields->cpu, 0);
	if (sample_type & FLAG(8))
		image_u64(image, fields->period);
}

void put_sample(struct image *image, uint64_t sample_type, uint16_t misc,
                const struct test_fields *fields)
{
	size_t start = record_begin(image, 9, misc);

	image_fixed(image, sample_type, fields);
	record_end(image, start);
}

void put_comm(struct image *image, uint64_t trailer, uint16_t misc, const char *name,
              const struct test_fields *fields)
{
	size_t start = record_begin(image, 3, misc);

	image_pair(image, fields->pid, fields->tid);
	image_text8(image, name);
	image_trailer(image, trailer, fields);
	record_end(image, start);
}

void put_mmap(struct image *image, uint64_t trailer, uint16_t misc, const char *name,
              uint64_t start, uint64_t length, uint64_t pgoff, const struct test_fields *fields)
{
	size_t at = record_begin(image, 1, misc);

	image_pair(image, fields->pid, fields->tid);
	image_u64(image, start);
	image_u64(image, length);
	image_u64(image, pgoff);
	image_text8(image, name);
	image_trailer(image, trailer, fields);
	record_end(image, at);
}

void put_task(struct image *image, uint32_t type, uint64_t trailer, uint32_t ppid, uint16_t misc,
              const struct test_fields *fields)
{
	size_t start = record_begin(image, type, misc);

	image_pair(image, fields->pid, ppid);
	image_pair(image, fields->tid, ppid);
	image_u64(image, fields->time);
	image_trailer(image, trailer, fields);
	record_end(image, start);
}

/* --- opening */

static void note_warning(void *context, uint64_t offset, const char *text)
{
	struct opened *opened = context;

	(void)offset;
	opened->warnings++;
	snprintf(opened->warning, sizeof(opened->warning), "%s", text);
}

void write_temporary(char *path, const void *data, size_t size)
{
	const uint8_t *bytes = data;
	size_t done = 0;
	int fd;

	snprintf(path, 64, "/tmp/readperf-unit.XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		give_up("no temporary file");
	while (done < size) {
		ssize_t n = write(fd, bytes + done, size - done);

		if (n <= 0)
			give_up("cannot write a temporary file");
		done += (size_t)n;
	}
	close(fd);
}

static bool open_path(struct opened *opened, const char *path)
{
	diag_init(&opened->diag, note_warning, opened);
	session_init(&opened->session, &opened->diag);
	return input_open(&opened->input, path, "/tmp", &opened->diag, &opened->err) &&
	       session_open(&opened->session, &opened->input, &opened->err);
}

bool opened_file(struct opened *opened, const struct image *image)
{
	memset(opened, 0, sizeof(*opened));
	write_temporary(opened->path, image->data, image->size);
	return open_path(opened, opened->path);
}

static void *feed(void *context)
{
	struct opened *opened = context;
	size_t done = 0;

	while (done < opened->image->size) {
		ssize_t n = write(opened->feed, opened->image->data + done, opened->image->size - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	close(opened->feed);
	return NULL;
}

bool opened_pipe(struct opened *opened, const struct image *image)
{
	char name[64];
	int ends[2];
	bool ok;

	memset(opened, 0, sizeof(*opened));
	opened->image = image;
	signal(SIGPIPE, SIG_IGN);
	if (pipe(ends) < 0)
		give_up("no pipe");
	opened->feed = ends[1];
	opened->piped = true;
	if (pthread_create(&opened->feeder, NULL, feed, opened))
		give_up("no thread");
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[0]);
	ok = open_path(opened, name);
	close(ends[0]);
	return ok;
}

void opened_close(struct opened *opened)
{
	if (opened->read)
		read_summary_release(&opened->summary);
	session_release(&opened->session);
	input_close(&opened->input);
	diag_release(&opened->diag);
	if (opened->piped)
		pthread_join(opened->feeder, NULL);
	else
		unlink(opened->path);
	memset(opened, 0, sizeof(*opened));
}

/* --- what is delivered */

static void note_text(struct seen *seen, struct record_text text)
{
	size_t length = text.length < sizeof(seen->text) ? text.length : sizeof(seen->text) - 1;

	memcpy(seen->text, text.text, length);
}

static uint64_t value_at(const uint8_t *p, bool swap)
{
	uint64_t value;

	memcpy(&value, p, 8);
	return swap ? __builtin_bswap64(value) : value;
}

static void note_values(struct seen *seen, const uint8_t *data, uint64_t count)
{
	while (data && seen->value_count < 16 && seen->value_count < count) {
		seen->values[seen->value_count] = value_at(data + 8 * seen->value_count, seen->record.swap);
		seen->value_count++;
	}
}

static bool see(void *context, const struct record *record, struct err *err)
{
	struct seen_list *list = context;
	struct seen *seen;

	(void)err;
	if (list->count == list->capacity) {
		list->capacity = 2 * list->capacity + 16;
		list->items = realloc(list->items, list->capacity * sizeof(*list->items));
		if (!list->items)
			give_up("no memory");
	}
	seen = &list->items[list->count++];
	memset(seen, 0, sizeof(*seen));
	seen->record = *record;
	if (record->damaged)
		return true;
	switch (record->type) {
	case 1:
	case 10:
		note_text(seen, record->mmap.name);
		break;
	case 3:
		note_text(seen, record->comm);
		break;
	case 8:
		note_values(seen, record->read.data, record->read.count * record->read.stride);
		break;
	case 9:
		note_values(seen, record->sample.callchain, record->sample.callchain_count);
		break;
	case 17:
		note_text(seen, record->ksymbol.name);
		break;
	case 19:
		note_text(seen, record->cgroup.path);
		break;
	case 22:
		note_values(seen, record->deferred.ips, record->deferred.count);
		break;
	default:
		break;
	}
	return true;
}

struct record_handler seen_handler(struct seen_list *list)
{
	struct record_handler handler = {.context = list, .record = see};

	return handler;
}

void seen_release(struct seen_list *list)
{
	free(list->items);
	memset(list, 0, sizeof(*list));
}

bool read_seen(struct opened *opened, struct seen_list *list)
{
	struct record_handler handler = seen_handler(list);

	memset(list, 0, sizeof(*list));
	opened->read = true;
	return perffile_read(&opened->session, &handler, 1, NULL, &opened->summary, &opened->err);
}

bool seen_in_order(const struct seen_list *list)
{
	for (size_t i = 1; i < list->count; i++) {
		const struct record *a = &list->items[i - 1].record, *b = &list->items[i].record;

		if (a->time > b->time || (a->time == b->time && a->nr >= b->nr))
			return false;
	}
	return true;
}
