#include "decode/intervals/callabi.h"

#include "util/text.h"

#define VDSO_NAME "[vdso]"

/* The machine that 32-bit programs on a machine are of; NULL: it runs none, or is one. */
static const char *narrow_machine(const char *machine)
{
	static const struct {
		const char *machine, *narrow;
	} machines[] = {
		{ "x86_64", "i686" },
		{ "aarch64", "armv7l" },
		{ "s390x", "s390" },
		{ "ppc64", "ppc" },
	};

	for (size_t i = 0; machine && i < ARRAY_SIZE(machines); i++)
		if (strcmp(machine, machines[i].machine) == 0)
			return machines[i].narrow;
	return NULL;
}

void call_abis_init(struct call_abis *abis, const char *machine)
{
	call_names_init(&abis->own, machine);
	call_names_init(&abis->narrow, narrow_machine(machine));
}

void call_abis_release(struct call_abis *abis)
{
	map_release(&abis->is_narrow);
}

static bool note_vdso(struct call_abis *abis, const struct record *record, struct err *err)
{
	const struct record_text *name = &record->mmap.name;
	const bool narrow = record->mmap.start <= UINT32_MAX;

	if (!text_is(name->text, name->length, VDSO_NAME))
		return true;
	abis->has_narrow |= narrow;
	return map_put(&abis->is_narrow, (uint32_t)record->pid, narrow, err);
}

bool call_abis_record(struct call_abis *abis, const struct record *record, struct err *err)
{
	uint32_t parent;

	if (record->damaged)
		return true;
	if (record->type == PERF_RECORD_MMAP || record->type == PERF_RECORD_MMAP2)
		return note_vdso(abis, record, err);
	if (record->type != PERF_RECORD_FORK || record->pid == record->task.ppid)
		return true;
	parent = map_get(&abis->is_narrow, (uint32_t)record->task.ppid);
	return parent == MAP_NONE || map_put(&abis->is_narrow, (uint32_t)record->pid, parent, err);
}

const struct call_names *call_abis_of(const struct call_abis *abis, int32_t pid)
{
	return abis->has_narrow && map_get(&abis->is_narrow, (uint32_t)pid) == 1 ? &abis->narrow
	                                                                         : &abis->own;
}

bool call_abis_joined(const struct call_abis *abis, int32_t pid, uint64_t begun, uint64_t ended)
{
	const struct call_names *now = call_abis_of(abis, pid);
	const struct call_names *before = now == &abis->own ? &abis->narrow : &abis->own;
	char one[CALL_NAME_SIZE], other[CALL_NAME_SIZE];

	if (!abis->has_narrow)
		return false;
	call_name(before, begun, one);
	call_name(now, ended, other);
	return strcmp(one, other) == 0 && text_starts(one, "execve");
}
