/*
 * Writes a recording from nothing: many processes, each with many mappings, and samples in all of
 * them.
 *
 *   spread PROCESSES MAPPINGS SAMPLES OUT
 *
 * Every process maps the same files, /spread/0.so and so on, which need not exist. One process runs
 * for eight samples, then another, chosen at random (the same on every run), as are the mappings.
 * Format: include/uapi/linux/perf_event.h, tools/perf/Documentation/perf.data-file-format.txt
 */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ATTR_SIZE = 112,
	IDS_AT = 104,
	ATTRS_AT = 112,
	DATA_AT = ATTRS_AT + ATTR_SIZE + 16,
	RUN = 8,            /* samples in one process */
	ROUND = 16384,      /* samples between FINISHED_ROUND */
	FIRST_PID = 1000,
	NAME_SIZE = 32
};

#define EVENT_ID 7ULL
#define BASE 0x7f0000000000ULL
#define STRIDE 0x10000ULL
#define LENGTH 0x8000ULL
#define IP_TID_TIME_PERIOD_IDENTIFIER 0x10107ULL
#define MMAP_COMM_FREQ_TASK_IDALL_MMAP2 \
	(1ULL << 8 | 1ULL << 9 | 1ULL << 10 | 1ULL << 13 | 1ULL << 18 | 1ULL << 23)

struct trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint64_t id;
};

struct record_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

struct comm_record {
	struct record_header header;
	uint32_t pid, tid;
	char name[16];
	struct trailer trailer;
};

struct mmap2_record {
	struct record_header header;
	uint32_t pid, tid;
	uint64_t addr, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char name[NAME_SIZE];
	struct trailer trailer;
};

struct sample_record {
	struct record_header header;
	uint64_t id;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t period;
};

struct stream {
	FILE *out;
	uint64_t time;      /* ns */
	uint64_t size;      /* bytes of records */
	uint64_t random;
};

static void put(struct stream *s, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, s->out) != size) {
		perror("spread");
		exit(1);
	}
	s->size += size;
}

static uint32_t pick(struct stream *s, uint64_t below)
{
	s->random = s->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((s->random >> 33) % below);
}

static void put_process(struct stream *s, uint32_t pid, uint64_t mappings)
{
	struct trailer trailer = {pid, pid, s->time += 1000, EVENT_ID};
	struct comm_record comm = {{3, 0, sizeof(comm)}, pid, pid, "", trailer};

	snprintf(comm.name, sizeof(comm.name), "p%u", (unsigned)pid);
	put(s, &comm, sizeof(comm));
	for (uint64_t i = 0; i < mappings; i++) {
		struct mmap2_record map = {.header = {10, 2, sizeof(map)}, .pid = pid, .tid = pid};

		map.addr = BASE + i * STRIDE;
		map.length = LENGTH;
		map.major = 8;
		map.minor = 1;
		map.inode = 100 + i;
		map.protection = 5;
		map.flags = 2;
		snprintf(map.name, sizeof(map.name), "/spread/%u.so", (unsigned)i);
		trailer.time = s->time += 10;
		map.trailer = trailer;
		put(s, &map, sizeof(map));
	}
}

static void put_samples(struct stream *s, uint64_t processes, uint64_t mappings, uint64_t samples)
{
	static const struct record_header round = {68, 0, 8};
	uint32_t pid = FIRST_PID;

	for (uint64_t i = 0; i < samples; i++) {
		struct sample_record sample = {.header = {9, 2, sizeof(sample)}, .id = EVENT_ID};

		if (i % RUN == 0)
			pid = FIRST_PID + pick(s, processes);
		sample.ip = BASE + pick(s, mappings) * STRIDE + 16 * pick(s, 64);
		sample.pid = sample.tid = pid;
		sample.time = s->time += 250000;
		sample.period = 250000;
		put(s, &sample, sizeof(sample));
		if (i % ROUND == ROUND - 1)
			put(s, &round, sizeof(round));
	}
}

static void put_header(FILE *out, uint64_t data_size)
{
	uint64_t header[13] = {0,       104,     ATTR_SIZE + 16, ATTRS_AT, ATTR_SIZE + 16,
	                       DATA_AT, data_size};
	uint64_t attr[ATTR_SIZE / 8] = {1 | (uint64_t)ATTR_SIZE << 32, 0, 4000,
	                                IP_TID_TIME_PERIOD_IDENTIFIER, 0,
	                                MMAP_COMM_FREQ_TASK_IDALL_MMAP2};
	uint64_t ids[2] = {IDS_AT, 8};
	uint64_t id = EVENT_ID;

	memcpy(header, "PERFILE2", 8);
	fwrite(header, sizeof(header), 1, out);
	fwrite(&id, sizeof(id), 1, out);
	fwrite(attr, sizeof(attr), 1, out);
	fwrite(ids, sizeof(ids), 1, out);
}

int main(int argc, char **argv)
{
	struct stream s = {.time = 1000000000, .random = 1};
	uint64_t processes;
	uint64_t mappings;

	if (argc != 5) {
		fputs("usage: spread PROCESSES MAPPINGS SAMPLES OUT\n", stderr);
		return 2;
	}
	processes = strtoull(argv[1], NULL, 10);
	mappings = strtoull(argv[2], NULL, 10);
	s.out = fopen(argv[4], "wb");
	if (!processes || !mappings || !s.out) {
		fputs("spread: a number of 0, or the file cannot be written\n", stderr);
		return 1;
	}
	put_header(s.out, 0);
	for (uint64_t i = 0; i < processes; i++)
		put_process(&s, (uint32_t)(FIRST_PID + i), mappings);
	put_samples(&s, processes, mappings, strtoull(argv[3], NULL, 10));
	if (fseek(s.out, 0, SEEK_SET) == 0)
		put_header(s.out, s.size);
	if (ferror(s.out) | fclose(s.out)) {
		fputs("spread: cannot write\n", stderr);
		return 1;
	}
	return 0;
}
