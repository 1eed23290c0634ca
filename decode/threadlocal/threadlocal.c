#define _GNU_SOURCE /* qsort_r() */
#include "decode/threadlocal/threadlocal.h"

#include "decode/threadlocal/fsoperand.h"
#include "util/bytes.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* A program that a process ran: its file, which has local-exec code. */
struct program {
	uint32_t binary;   /* UNKNOWN_BINARY: none was seen */
	bool contradicted; /* the accesses contradict each other, so nothing is known */
	struct elf_segment block;
};

struct thread {
	uint64_t pointer;
	bool contradicted;
};

struct finder {
	const struct thread_source *source;
	struct program *programs; /* by the numbers of memorystat */
	struct map numbers;       /* program << 32 | tid -> number of a thread */
	struct thread *threads;
	size_t thread_count, thread_capacity;
	uint32_t *order; /* numbers of accesses, by the place of the instruction */
	struct err *err;
};

static const struct access_key *access_at(const struct thread_source *source, size_t number)
{
	return memorystat_access(source->stat, number);
}

static uint64_t thread_key(const struct access_key *key)
{
	return (uint64_t)key->program << 32 | (uint32_t)key->tid;
}

static int compare_accesses(const void *a, const void *b, void *context)
{
	const struct access_key *x = access_at(context, *(const uint32_t *)a);
	const struct access_key *y = access_at(context, *(const uint32_t *)b);

	return x->ip_binary != y->ip_binary ? u64_order(x->ip_binary, y->ip_binary)
	                                    : u64_order(x->ip, y->ip);
}

/* Whether the dynamic section says that it is a program, not a library; both can be ET_DYN. */
static bool says_program(const struct elf *elf, struct err *err)
{
	const struct elf_section *section = elf_find_type(elf, SHT_DYNAMIC);
	struct err damage = { .code = ERR_NONE };
	uint8_t *data = section ? elf_section_data(elf, section, &damage) : NULL;
	struct bytes b = bytes_over(data, data ? (size_t)section->size : 0, elf->swap);
	bool found = false;

	while (!found && bytes_left(&b)) {
		const uint64_t tag = bytes_uint(&b, 8), value = bytes_uint(&b, 8);

		if (tag == DT_NULL)
			break;
		found = tag == DT_DEBUG || (tag == DT_FLAGS_1 && value & DF_1_PIE);
	}
	free(data);
	err_pass_nomem(err, &damage);
	return found;
}

static bool note_pointer(struct finder *finder, const struct access_key *key, uint64_t pointer)
{
	const uint32_t number = map_number(&finder->numbers, thread_key(key), finder->err);
	const struct thread new = { .pointer = pointer };
	struct thread *thread;

	if (number == MAP_NONE)
		return false;
	if (number == finder->thread_count)
		return vec_append(&finder->threads, &finder->thread_count, &finder->thread_capacity,
		                  &new, sizeof(new), finder->err);
	thread = &finder->threads[number];
	thread->contradicted |= thread->pointer != pointer;
	return true;
}

/* The displacement from %fs of the instruction at this offset; see fs_operand(). */
static bool displacement_at(const struct elf *elf, uint64_t offset, int32_t *displacement)
{
	struct err damage = { .code = ERR_NONE };
	uint8_t bytes[FS_OPERAND_MOST];
	const uint64_t left = elf->size - u64_min(offset, elf->size);
	const size_t size = (size_t)u64_min(left, sizeof(bytes));

	return elf_read(elf, offset, bytes, size, &damage) && fs_operand(bytes, size, displacement);
}

/* The accesses by code of one file, [first, end) in the order. */
static bool read_file(struct finder *finder, const struct elf *elf, size_t first, size_t end)
{
	const bool is_program = elf->type == ET_EXEC || says_program(elf, finder->err);
	uint64_t last = UINT64_MAX;
	int32_t displacement = 0;
	bool constant = false;

	for (size_t i = first; i < end; i++) {
		const struct access_key *key = access_at(finder->source, finder->order[i]);
		struct program *program = &finder->programs[key->program];

		if (is_program) {
			program->contradicted |= program->binary != UNKNOWN_BINARY &&
			                         program->binary != key->ip_binary;
			program->binary = key->ip_binary;
			program->block = elf->tls;
		}
		if (!key->exact || !key->addr || key->tid < 0)
			continue;
		if (key->ip != last)
			constant = displacement_at(elf, key->ip, &displacement);
		last = key->ip;
		if (constant && !note_pointer(finder, key, key->addr - (uint64_t)displacement))
			return false;
	}
	return finder->err->code == ERR_NONE;
}

/* Finds programs and thread pointers by the code that accessed something. */
static bool read_files(struct finder *finder, size_t count)
{
	const struct thread_source *source = finder->source;

	for (size_t first = 0, end; first < count; first = end) {
		const uint32_t number = access_at(source, finder->order[first])->ip_binary;
		const struct binary *binary = &source->binaries[number];
		struct located located;
		bool ok = true;

		for (end = first + 1; end < count; end++)
			if (access_at(source, finder->order[end])->ip_binary != number)
				break;
		if (binary->kind != BINARY_FILE || binary->guest)
			continue;
		if (!locate(&located, binary, source->strings, source->files, NULL, finder->err))
			return false;
		if (located.has_runtime && located.runtime.machine == EM_X86_64 &&
		    located.runtime.wide)
			ok = read_file(finder, &located.runtime, first, end);
		located_release(&located);
		if (!ok)
			return false;
	}
	return true;
}

/*
 * Sets the place in the block of the thread, if the address is in it. The block ends at the thread
 * pointer but for what aligns its end.
 */
static void set_place(const struct finder *finder, const struct access_key *key,
                      struct thread_place *place)
{
	const struct program *program = &finder->programs[key->program];
	const struct elf_segment *block = &program->block;
	const uint32_t number = map_get(&finder->numbers, thread_key(key));
	const struct thread *thread = number == MAP_NONE ? NULL : &finder->threads[number];
	const uint64_t align = block->align ? block->align : 1;
	uint64_t padding, below;

	if (!thread || thread->contradicted || program->binary == UNKNOWN_BINARY ||
	    program->contradicted)
		return;
	if (align & (align - 1) || thread->pointer & (align - 1) || key->addr >= thread->pointer)
		return;
	padding = -(block->vaddr + block->memory_size) & (align - 1);
	below = thread->pointer - key->addr;
	if (below <= padding || below - padding > block->memory_size)
		return;
	place->program = program->binary;
	place->value = block->memory_size - (below - padding);
}

bool thread_places_find(struct thread_place *places, const struct thread_source *source,
                        struct err *err)
{
	const size_t count = source->stat->accesses.count;
	struct finder finder = { .source = source, .err = err };
	bool ok;

	finder.programs = vec_new(source->stat->programs.count, sizeof(*finder.programs), err);
	finder.order = vec_new(count, sizeof(*finder.order), err);
	ok = finder.programs && finder.order;
	for (size_t i = 0; ok && i < count; i++)
		finder.order[i] = (uint32_t)i;
	if (ok && count)
		qsort_r(finder.order, count, sizeof(*finder.order), compare_accesses,
		        (void *)(uintptr_t)source);
	ok = ok && read_files(&finder, count);
	for (size_t i = 0; i < count; i++) {
		places[i] = (struct thread_place){ .program = UNKNOWN_BINARY };
		if (ok)
			set_place(&finder, access_at(source, i), &places[i]);
	}
	map_release(&finder.numbers);
	free(finder.programs);
	free(finder.threads);
	free(finder.order);
	return ok;
}
