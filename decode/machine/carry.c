#include "decode/machine/carry.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define NOT_YET UINT32_MAX

/* What was copied so far. */
struct carry {
	struct mappings *to;
	const struct mappings *from;
	struct err *err;
	uint32_t *binaries;    /* by number in `from`: the number in `to`, or NOT_YET */
	uint32_t *processes;   /* the same */
	struct map spaces;     /* address of a space -> index in copies */
	struct space **copies; /* borrowed from the processes that were copied */
	size_t copy_count, copy_capacity;
};

/* A string of `from` as one of `to`. */
static uint32_t carry_text(struct carry *carry, uint32_t text)
{
	const struct string_entry *entry = &carry->from->strings->entries[text];

	return strings_put(carry->to->strings, entry->text, entry->length, carry->err);
}

/* UINT32_MAX with err set. */
static uint32_t carry_binary(struct carry *carry, uint32_t number)
{
	uint32_t *copy = &carry->binaries[number];
	struct binary binary = carry->from->binaries->items[number];

	if (*copy != NOT_YET)
		return *copy;
	binary.name = carry_text(carry, binary.name);
	binary.path = carry_text(carry, binary.path);
	binary.ref_name = carry_text(carry, binary.ref_name);
	if (carry->err->code != ERR_NONE)
		return UINT32_MAX;
	return *copy = binaries_put(carry->to->binaries, &binary, carry->err);
}

static bool carry_maps(struct carry *carry, struct space **to, const struct space *from)
{
	struct space_map map = { .end = 0 };

	while (space_first_behind(from, map.end, &map)) {
		struct space_map copy = map;

		copy.binary = carry_binary(carry, map.binary);
		if (copy.binary == UINT32_MAX || !space_insert(to, &copy, carry->err))
			return false;
	}
	return true;
}

/* A space that several processes share is copied once. NULL with err set. */
static struct space *carry_space(struct carry *carry, const struct space *from)
{
	const uint32_t known = map_get(&carry->spaces, (uintptr_t)from);
	struct space *space;

	if (known != MAP_NONE)
		return space_share(carry->copies[known]);
	space = space_new(&carry->to->processes->pool, carry->err);
	if (space && carry_maps(carry, &space, from) &&
	    map_put(&carry->spaces, (uintptr_t)from, (uint32_t)carry->copy_count, carry->err) &&
	    vec_append(&carry->copies, &carry->copy_count, &carry->copy_capacity, &space,
	               sizeof(space), carry->err))
		return space;
	space_put(space);
	return NULL;
}

/* Whether records may still be about this process. */
static bool goes_on(const struct processes *processes, uint32_t number)
{
	const struct process *process = &processes->items[number];

	return map_get(&processes->pids, (uint32_t)process->pid) == number &&
	       !process_is_over(process);
}

static bool carry_process(struct carry *carry, uint32_t number)
{
	const struct process *from = &carry->from->processes->items[number];
	const uint32_t copy = processes_get(carry->to->processes, from->pid, -1, carry->err);
	struct process *to;

	if (copy == PROCESS_NONE)
		return false;
	carry->processes[number] = copy;
	to = &carry->to->processes->items[copy];
	to->ppid = from->ppid;
	to->named = from->named;
	to->fork = from->fork;
	to->exit = from->exit;
	to->comm = carry_text(carry, from->comm);
	if (from->space && !(to->space = carry_space(carry, from->space)))
		return false;
	return carry->err->code == ERR_NONE;
}

static bool carry_processes(struct carry *carry)
{
	const struct processes *processes = carry->from->processes;
	size_t left = 0;

	for (uint32_t i = 0; i < processes->count; i++) {
		carry->processes[i] = NOT_YET;
		left += goes_on(processes, i);
	}
	for (uint32_t i = 0; i < processes->count; i++) {
		if (!goes_on(processes, i))
			continue;
		/* what ran before the recording has no FORK, and is no process that was lost */
		if (left > CARRY_PROCESSES && processes->items[i].fork != TIME_NONE)
			left--;
		else if (!carry_process(carry, i))
			return false;
	}
	return true;
}

/* The process of `to` that a thread, a key of a map of `from`, belongs to; or NOT_YET. */
static uint32_t process_of_thread(const struct carry *carry, uint64_t thread)
{
	return carry->processes[thread >> 32];
}

static bool carry_threads(struct carry *carry)
{
	const struct processes *from = carry->from->processes;
	struct processes *to = carry->to->processes;

	for (size_t i = 0; i < from->tids.capacity; i++) {
		const struct map_slot *slot = &from->tids.slots[i];
		uint32_t process;

		if (slot->value == MAP_NONE || !thread_is_live(slot->value))
			continue;
		process = process_of_thread(carry, slot->key);
		if (process == NOT_YET)
			continue;
		if (!map_put(&to->tids, process_thread(process, (int32_t)(uint32_t)slot->key),
		             slot->value, carry->err))
			return false;
		to->items[process].threads++;
		to->items[process].live++;
	}
	return true;
}

static bool carry_thread_names(struct carry *carry)
{
	const struct processes *from = carry->from->processes;
	struct processes *to = carry->to->processes;

	for (size_t i = 0; to->keep_thread_names && i < from->thread_names.capacity; i++) {
		const struct map_slot *slot = &from->thread_names.slots[i];
		const uint32_t live = slot->value == MAP_NONE ? MAP_NONE
		                                              : map_get(&from->tids, slot->key);
		uint32_t process, name;

		if (live == MAP_NONE || !thread_is_live(live))
			continue;
		process = process_of_thread(carry, slot->key);
		if (process == NOT_YET)
			continue;
		name = carry_text(carry, slot->value);
		if (name == STRING_NONE ||
		    !map_put(&to->thread_names,
		             process_thread(process, (int32_t)(uint32_t)slot->key), name,
		             carry->err))
			return false;
	}
	return true;
}

/* The jitdump files of processes that still run; not the code in them, which is read again. */
static bool carry_dumps(struct carry *carry)
{
	const struct map *dumps = &carry->from->jit_dumps;

	for (size_t i = 0; i < dumps->capacity; i++) {
		const struct map_slot *slot = &dumps->slots[i];
		uint32_t process, path;

		if (slot->value == MAP_NONE)
			continue;
		process = map_get(&carry->from->processes->pids, slot->key);
		if (process == MAP_NONE || carry->processes[process] == NOT_YET)
			continue;
		path = carry_text(carry, slot->value);
		if (path == STRING_NONE ||
		    !map_put(&carry->to->jit_dumps, slot->key, path, carry->err))
			return false;
	}
	return true;
}

static bool carry_kernel(struct carry *carry)
{
	const struct mappings *from = carry->from;
	struct mappings *to = carry->to;

	to->anonymous_code = from->anonymous_code;
	to->kernel_changes = from->kernel_changes + 1;
	to->kernel_map = from->kernel_map;
	if (from->kernel_binary != UINT32_MAX) {
		to->kernel_binary = carry_binary(carry, from->kernel_binary);
		to->kernel_map.binary = to->kernel_binary;
	}
	return carry->err->code == ERR_NONE && carry_maps(carry, &to->kernel, from->kernel);
}

bool machine_carry(struct mappings *to, const struct mappings *from, struct err *err)
{
	struct carry carry = { .to = to, .from = from, .err = err };
	bool ok;

	carry.binaries = vec_new(from->binaries->count, sizeof(*carry.binaries), err);
	carry.processes = vec_new(from->processes->count + 1, sizeof(*carry.processes), err);
	ok = carry.binaries && carry.processes;
	for (size_t i = 0; ok && i < from->binaries->count; i++)
		carry.binaries[i] = NOT_YET;
	ok = ok && carry_kernel(&carry) && carry_processes(&carry) && carry_threads(&carry) &&
	     carry_thread_names(&carry) && carry_dumps(&carry);
	map_release(&carry.spaces);
	free(carry.copies);
	free(carry.binaries);
	free(carry.processes);
	return ok;
}
