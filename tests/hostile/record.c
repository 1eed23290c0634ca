/*
 * Writes a recording that lines of text describe, or makes a socket; for tests/hostile/run.
 *
 * usage: record FILE <LINES      words are divided by tabs; \n, \t and \\ stand for themselves
 *        record -s PATH          a socket
 *
 * osrelease TEXT | kernel START LENGTH REF NAME | mmap PID START LENGTH OFFSET PATH |
 * id HEX PID START LENGTH OFFSET PATH (mmap with a build id) | comm PID NAME |
 * sample PID ADDRESS [PERIOD] | ksample ADDRESS; numbers in hex
 */
#include "tests/unit/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(8)) /* IP TID TIME PERIOD */
#define WORDS 8
#define MISC_BUILD_ID (1u << 14)

struct maker {
	struct image image;
	struct test_fields fields;
	char osrelease[64];
};

static uint64_t number(const char *word)
{
	return word ? strtoull(word, NULL, 16) : 0;
}

static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1]) {
			text++;
			*to++ = *text == 'n' ? '\n' : *text == 't' ? '\t' : *text;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* MMAP2 whose inode fields hold a build id (format reference, MMAP2). */
static void put_id(struct maker *m, char **words)
{
	size_t start = record_begin(&m->image, 10, 2 | MISC_BUILD_ID), size = strlen(words[1]) / 2;
	char digits[3] = "";

	image_u32(&m->image, (uint32_t)number(words[2]));
	image_u32(&m->image, (uint32_t)number(words[2]));
	image_u64(&m->image, number(words[3]));
	image_u64(&m->image, number(words[4]));
	image_u64(&m->image, number(words[5]));
	image_u32(&m->image, (uint32_t)size);
	for (size_t i = 0; i < 20; i++) {
		memcpy(digits, i < size ? words[1] + 2 * i : "00", 2);
		image_u8(&m->image, (uint8_t)number(digits));
	}
	image_u32(&m->image, 5);
	image_u32(&m->image, 2);
	image_text8(&m->image, words[6]);
	m->fields.pid = m->fields.tid = (uint32_t)number(words[2]);
	image_trailer(&m->image, TYPE, &m->fields);
	record_end(&m->image, start);
}

static void put_line(struct maker *m, char **words, int count)
{
	const char *what = words[0];

	m->fields.time += 1000;
	m->fields.period = 1;
	m->fields.pid = m->fields.tid = (uint32_t)number(words[1]);
	if (!strcmp(what, "osrelease") && count == 2) {
		snprintf(m->osrelease, sizeof(m->osrelease), "%s", words[1]);
	} else if (!strcmp(what, "kernel") && count == 5) {
		m->fields.pid = UINT32_MAX;
		m->fields.tid = 0;
		put_mmap(&m->image, TYPE, 1, words[4], number(words[1]), number(words[2]), number(words[3]),
		         &m->fields);
	} else if (!strcmp(what, "mmap") && count == 6) {
		put_mmap(&m->image, TYPE, 2, words[5], number(words[2]), number(words[3]), number(words[4]),
		         &m->fields);
	} else if (!strcmp(what, "id") && count == 7) {
		put_id(m, words);
	} else if (!strcmp(what, "comm") && count == 3) {
		put_comm(&m->image, TYPE, 0, words[2], &m->fields);
	} else if (!strcmp(what, "sample") && (count == 3 || count == 4)) {
		m->fields.ip = number(words[2]);
		if (count == 4)
			m->fields.period = number(words[3]);
		put_sample(&m->image, TYPE, 2, &m->fields);
	} else if (!strcmp(what, "ksample") && count == 2) {
		m->fields.ip = number(words[1]);
		m->fields.pid = m->fields.tid = 7;
		put_sample(&m->image, TYPE, 1, &m->fields);
	} else {
		fprintf(stderr, "record: what is %s with %d words?\n", what, count);
		exit(2);
	}
}

/* Behind the data: a table of the features, here one, and their contents. */
static void put_features(struct maker *m)
{
	size_t length = strlen(m->osrelease) + 1;

	if (!m->osrelease[0])
		return;
	image_patch(&m->image, 72, 1u << 4, 8); /* OSRELEASE */
	image_u64(&m->image, m->image.size + 16);
	image_u64(&m->image, 4 + (length + 7) / 8 * 8);
	image_u32(&m->image, (uint32_t)((length + 7) / 8 * 8));
	image_text8(&m->image, m->osrelease);
}

static int make_socket(const char *path)
{
	struct sockaddr_un place = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || strlen(path) >= sizeof(place.sun_path))
		return 1;
	strcpy(place.sun_path, path);
	return bind(fd, (struct sockaddr *)&place, sizeof(place)) ? 1 : 0;
}

int main(int argc, char **argv)
{
	static const struct test_attr attr = { .sample_type = TYPE, .flags = FLAG(18), .period = 1 };
	struct maker m = { .fields = { .time = 1000 } };
	char line[70000];
	FILE *file;

	if (argc == 3 && !strcmp(argv[1], "-s"))
		return make_socket(argv[2]);
	if (argc != 2)
		return 2;
	image_init(&m.image, false);
	file_begin(&m.image, &attr, 1, 104);
	while (fgets(line, sizeof(line), stdin)) {
		char *words[WORDS] = { NULL }, *word = line;
		int count = 0;

		line[strcspn(line, "\n")] = '\0';
		while (word && count < WORDS) {
			char *tab = strchr(word, '\t');

			if (tab)
				*tab++ = '\0';
			unescape(word);
			words[count++] = word;
			word = tab;
		}
		if (line[0])
			put_line(&m, words, count);
	}
	file_end(&m.image);
	put_features(&m);
	file = fopen(argv[1], "wb");
	if (!file || fwrite(m.image.data, 1, m.image.size, file) != m.image.size || fclose(file))
		return 1;
	image_release(&m.image);
	return 0;
}
