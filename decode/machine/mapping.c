#include "decode/machine/mapping.h"

#include "perffile/session/features.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define KERNEL_NAME "[kernel.kallsyms]"
#define PAGE_LEAST UINT64_C(4096)   /* bytes; the smallest page size of any machine */
#define VDSO_COMPAT_NAME "[vdso32]" /* as perf names it; in records it is "[vdso]", too */

bool mappings_init(struct mappings *mappings, struct processes *processes,
                   struct binaries *binaries, struct err *err)
{
	*mappings = (struct mappings){ .processes = processes,
		                       .binaries = binaries,
		                       .strings = processes->strings,
		                       .kernel = space_new(&processes->pool, err),
		                       .kernel_binary = UINT32_MAX };
	return mappings->kernel != NULL;
}

void mappings_release(struct mappings *mappings)
{
	space_put(mappings->kernel);
	map_release(&mappings->jit_dumps);
	map_release(&mappings->table_ids);
	mappings->kernel = NULL;
}

static bool name_starts(struct record_text name, const char *start)
{
	const size_t length = strlen(start);

	return name.length >= length && !memcmp(name.text, start, length);
}

static struct record_text base_name(struct record_text path)
{
	size_t at = path.length;

	while (at && path.text[at - 1] != '/')
		at--;
	return (struct record_text){ path.text + at, path.length - at };
}

/* Whether it is a name for the kernel itself; modules have other names. */
static bool is_kernel_name(struct record_text name)
{
	return name_starts(name, "[kernel.kallsyms") || name_starts(base_name(name), "vmlinux");
}

static uint32_t put_text(struct mappings *mappings, struct record_text text, struct err *err)
{
	return strings_put(mappings->strings, text.text, text.length, err);
}

/* "/lib/modules/.../snd-hda.ko.xz" is "[snd_hda]", as the kernel names it. */
static uint32_t module_name(struct mappings *mappings, struct record_text path, struct err *err)
{
	struct record_text base = base_name(path);
	char name[300];
	size_t length = 0, end = 0;

	if (name_starts(path, "["))
		return put_text(mappings, path, err);
	for (; end < base.length && length < sizeof(name) - 2; end++) {
		struct record_text rest = { base.text + end, base.length - end };

		if (name_starts(rest, ".ko") && (rest.length == 3 || rest.text[3] == '.'))
			break;
		if (length == 0)
			name[length++] = '[';
		name[length++] = base.text[end] == '-' ? '_' : base.text[end];
	}
	if (end == base.length || length == 0)
		return put_text(mappings, path, err);
	name[length++] = ']';
	return strings_put(mappings->strings, name, length, err);
}

static void take_build_id(struct binary *binary, const struct record_mmap *map)
{
	if (map->has_build_id)
		binary->build_id = map->build_id;
	binary->major = map->major;
	binary->minor = map->minor;
	binary->inode = map->inode;
	binary->generation = map->generation;
}

static bool add_kernel(struct mappings *mappings, const struct record *record, struct err *err)
{
	const struct record_mmap *map = record ? &record->mmap : NULL;
	struct binary binary = { 0 };
	struct space_map mapped = { 0, UINT64_MAX, 0, 0 };
	struct record_text ref = { "", 0 };
	const char *bracket;

	binary.kind = BINARY_KERNEL;
	binary.name = strings_put_text(mappings->strings, KERNEL_NAME, err);
	if (map) {
		take_build_id(&binary, map);
		bracket = memchr(map->name.text, ']', map->name.length);
		if (bracket) {
			ref.text = bracket + 1;
			ref.length = map->name.length - (size_t)(ref.text - map->name.text);
		} else {
			binary.path = put_text(mappings, map->name, err);
		}
		binary.ref_addr = map->pgoff;
		binary.start = mapped.start = map->start;
		/* the end may be 2^64, which is written as 0, or be hidden like the start */
		mapped.end = map->start + map->length;
		if (mapped.end <= mapped.start)
			mapped.end = UINT64_MAX;
	}
	binary.ref_name = put_text(mappings, ref, err);
	if (err->code != ERR_NONE)
		return false;
	mapped.pgoff = mapped.start;
	mapped.binary = binaries_put(mappings->binaries, &binary, err);
	if (mapped.binary == UINT32_MAX)
		return false;
	mappings->kernel_binary = mapped.binary;
	mappings->kernel_map = mapped;
	mappings->kernel_changes++;
	return true;
}

bool mapping_default_kernel(struct mappings *mappings, struct err *err)
{
	return add_kernel(mappings, NULL, err);
}

/* Adds a mapping that lies over the kernel's own; its binary is known. */
static bool add_over_kernel(struct mappings *mappings, const struct space_map *mapped,
                            struct err *err)
{
	mappings->kernel_changes++;
	return space_insert(&mappings->kernel, mapped, err);
}

/* The same for a mapping of this binary. */
static bool add_binary_over_kernel(struct mappings *mappings, const struct binary *binary,
                                   struct space_map mapped, struct err *err)
{
	if (err->code != ERR_NONE)
		return false;
	mapped.binary = binaries_put(mappings->binaries, binary, err);
	return mapped.binary != UINT32_MAX && add_over_kernel(mappings, &mapped, err);
}

static bool add_module(struct mappings *mappings, const struct record_mmap *map, struct err *err)
{
	struct binary binary = { 0 };
	struct space_map mapped = { map->start, u64_add_sat(map->start, map->length), 0, 0 };

	binary.kind = BINARY_MODULE;
	binary.name = module_name(mappings, map->name, err);
	binary.path = name_starts(map->name, "/") ? put_text(mappings, map->name, err)
	                                          : STRING_EMPTY;
	binary.start = map->start;
	take_build_id(&binary, map);
	return add_binary_over_kernel(mappings, &binary, mapped, err);
}

/* Adds a second mapping of a piece of the kernel's text, for entries from user mode. */
static bool add_trampoline(struct mappings *mappings, const struct record_mmap *map,
                           struct err *err)
{
	struct space_map mapped = { map->start, u64_add_sat(map->start, map->length), map->pgoff,
		                    mappings->kernel_binary };

	if (mappings->kernel_binary == UINT32_MAX)
		return true;
	return add_over_kernel(mappings, &mapped, err);
}

static bool add_kernel_map(struct mappings *mappings, const struct record *record, struct err *err)
{
	const struct record_mmap *map = &record->mmap;

	if (is_kernel_name(map->name))
		return add_kernel(mappings, record, err);
	if (name_starts(map->name, "__entry_SYSCALL_64_trampoline"))
		return add_trampoline(mappings, map, err);
	return add_module(mappings, map, err);
}

static bool is_anonymous(const struct record_mmap *map)
{
	return text_is(map->name.text, map->name.length, "//anon") ||
	       name_starts(map->name, "/dev/zero") || name_starts(map->name, "/anon_hugepage") ||
	       name_starts(map->name, "[heap]") || name_starts(map->name, "[stack") ||
	       name_starts(map->name, "/SYSV") || (map->flags & PERF_MAP_HUGETLB);
}

/* Makes it the code that a process made while it ran. */
static void set_run_time_code(struct mappings *mappings, struct binary *binary, int32_t pid,
                              struct err *err)
{
	char name[32];

	snprintf(name, sizeof(name), "[JIT] tid %" PRId32, pid);
	binary->kind = BINARY_JIT;
	binary->pid = pid;
	binary->name = strings_put_text(mappings->strings, name, err);
}

static void classify_mapping(struct mappings *mappings, const struct record *record,
                             struct binary *binary, struct err *err)
{
	const struct record_mmap *map = &record->mmap;

	binary->pid = record->pid;
	binary->name = binary->path = put_text(mappings, map->name, err);
	if ((map->prot & SIMPLEPERF_PROT_JIT) ||
	    (is_anonymous(map) && (map->prot & PERF_PROT_EXEC))) {
		set_run_time_code(mappings, binary, record->pid, err);
		/*
		 * simpleperf's path is inside of its own temporary file, and its symbols are stored
		 * under that path
		 */
		if (!(map->prot & SIMPLEPERF_PROT_JIT)) {
			mappings->anonymous_code = true;
			binary->path = STRING_EMPTY;
		}
	} else if (name_starts(map->name, "[vdso")) {
		binary->kind = BINARY_VDSO;
		/*
		 * 64-bit processes have their vdso near the top of memory; mapping_finish()
		 * corrects this where necessary
		 */
		binary->compat = u64_add_sat(map->start, map->length) <= UINT32_MAX;
		if (binary->compat)
			binary->name = binary->path = strings_put_text(mappings->strings,
			                                               VDSO_COMPAT_NAME, err);
		take_build_id(binary, map);
	} else if (is_anonymous(map) || name_starts(map->name, "[") ||
	           name_starts(map->name, "anon_inode:") || name_starts(map->name, "//") ||
	           map->name.length == 0) {
		binary->kind = BINARY_SPECIAL;
	} else {
		binary->kind = BINARY_FILE;
		take_build_id(binary, map);
	}
}

/*
 * Programs move their text onto huge pages: an anonymous mapping then fills the gap between two
 * mappings of one file, in file offsets, too. Such a mapping still has the contents of the file.
 */
static bool rebind_text(struct mappings *mappings, struct space **space,
                        const struct space_map *middle, struct err *err)
{
	const struct binary *binaries = mappings->binaries->items;
	struct space_map left, right, text = *middle;

	if (binaries[middle->binary].kind != BINARY_JIT ||
	    !space_last_before(*space, middle->start, &left) ||
	    !space_first_behind(*space, middle->end, &right))
		return true;
	if (binaries[left.binary].kind != BINARY_FILE || left.binary != right.binary ||
	    left.end != middle->start || middle->end != right.start ||
	    left.pgoff + (right.start - left.start) != right.pgoff)
		return true;
	text.pgoff = left.pgoff + (middle->start - left.start);
	text.binary = left.binary;
	return space_insert(space, &text, err);
}

/* After a mapping was added: checks whether it, or a neighbour, is such a piece of text. */
static bool rebind_around(struct mappings *mappings, struct space **space,
                          const struct space_map *added, struct err *err)
{
	struct space_map beside;

	return rebind_text(mappings, space, added, err) &&
	       (!space_last_before(*space, added->start, &beside) ||
	        rebind_text(mappings, space, &beside, err)) &&
	       (!space_first_behind(*space, added->end, &beside) ||
	        rebind_text(mappings, space, &beside, err));
}

/*
 * Whether it is code that the kernel mapped. perf inject also writes mappings that it makes up,
 * from parts of pages.
 */
static bool is_kernels_code(const struct record_mmap *map)
{
	return (map->prot & PERF_PROT_EXEC) && (map->pgoff & (PAGE_LEAST - 1)) == 0 &&
	       (map->length & (PAGE_LEAST - 1)) == 0 && map->length;
}

/* Finds the next mapping of this kind: it ends after other->end, and starts before end. */
static bool next_of_kind(const struct mappings *mappings, uint32_t process, enum binary_kind kind,
                         uint64_t end, struct space_map *other)
{
	const struct space *space = mappings->processes->items[process].space;

	while (space && space_first_behind(space, other->end, other) && other->start < end)
		if (mappings->binaries->items[other->binary].kind == kind)
			return true;
	return false;
}

/* Maps it where no binary of this kind is mapped. */
static bool map_around(struct mappings *mappings, uint32_t process, const struct space_map *mapped,
                       enum binary_kind kind, struct err *err)
{
	struct space_map other = { .end = mapped->start }, piece = *mapped;

	while (next_of_kind(mappings, process, kind, mapped->end, &other)) {
		piece.end = other.start;
		if (piece.start < piece.end &&
		    !processes_map(mappings->processes, process, &piece, err))
			return false;
		piece.pgoff += other.end - piece.start;
		piece.start = other.end;
	}
	piece.end = mapped->end;
	return piece.start >= piece.end || processes_map(mappings->processes, process, &piece, err);
}

/*
 * Maps memory of a process. Compilers change the protection of memory that has code, and each time
 * the kernel writes a record like that of new memory: code that a jitdump file has stays.
 */
static bool map_memory(struct mappings *mappings, uint32_t process, const struct space_map *mapped,
                       bool anonymous, struct err *err)
{
	return mappings->jit_dumps.count && anonymous
	               ? map_around(mappings, process, mapped, BINARY_JITDUMP, err)
	               : processes_map(mappings->processes, process, mapped, err);
}

static bool add_user_map(struct mappings *mappings, uint32_t process, const struct record *record,
                         struct err *err)
{
	const struct record_mmap *map = &record->mmap;
	struct space_map mapped = { map->start, u64_add_sat(map->start, map->length), map->pgoff,
		                    0 };
	struct binary binary = { 0 };

	classify_mapping(mappings, record, &binary, err);
	if (err->code != ERR_NONE)
		return false;
	if (binary.kind == BINARY_JIT || binary.kind == BINARY_SPECIAL)
		mapped.pgoff = mapped.start;
	if (binary.kind == BINARY_VDSO)
		mapped.pgoff = 0;
	if (binary.kind == BINARY_FILE && is_jitdump(strings_get(mappings->strings, binary.path))) {
		mappings->mapped_dump = binary.path;
		if (!map_put(&mappings->jit_dumps, (uint32_t)record->pid, binary.path, err))
			return false;
	}
	mapped.binary = binaries_put(mappings->binaries, &binary, err);
	if (mapped.binary != UINT32_MAX && binary.kind == BINARY_FILE && is_kernels_code(map))
		binaries_note_extent(mappings->binaries, mapped.binary, map->pgoff, map->length);
	if (mapped.binary == UINT32_MAX ||
	    !map_memory(mappings, process, &mapped, is_anonymous(map), err))
		return false;
	mappings->binaries->items[mapped.binary].shared |= (map->flags & PERF_MAP_SHARED) != 0;
	return mapped.start >= mapped.end || !mappings->anonymous_code ||
	       rebind_around(mappings, &mappings->processes->items[process].space, &mapped, err);
}

/* Maps code of a jitdump file, except where a file is mapped, which has the better names. */
static bool map_code(struct mappings *mappings, uint32_t process, const struct binary *binary,
                     struct space_map mapped, struct err *err)
{
	if (mapped.start >= mapped.end)
		return true;
	mapped.binary = binaries_put(mappings->binaries, binary, err);
	return mapped.binary != UINT32_MAX &&
	       map_around(mappings, process, &mapped, BINARY_FILE, err);
}

bool mapping_load(struct mappings *mappings, uint32_t process, const struct loaded_code *code,
                  bool *reused, struct err *err)
{
	const uint64_t end = u64_min(u64_add_sat(code->start, code->room), code->end);
	const struct space_map with = { code->start, end, code->place, 0 },
			       without = { end, code->end, end, 0 };
	struct space_map other = { .end = code->start };
	struct binary binary = { .kind = BINARY_JIT };

	*reused |= next_of_kind(mappings, process, BINARY_JITDUMP, code->end, &other);
	set_run_time_code(mappings, &binary, code->pid, err);
	if (err->code != ERR_NONE || !map_code(mappings, process, &binary, without, err))
		return false;
	binary.kind = BINARY_JITDUMP;
	binary.path = code->path;
	return map_code(mappings, process, &binary, with, err);
}

bool mapping_mmap(struct mappings *mappings, const struct record *record, struct err *err)
{
	unsigned cpumode = record->misc & PERF_MISC_CPUMODE_MASK;
	uint32_t process = processes_get_living(mappings->processes, record->pid, record->tid, err);

	mappings->mapped_dump = STRING_EMPTY;
	if (process == PROCESS_NONE)
		return false;
	mappings->processes->items[process].mmaps++;
	if (cpumode == PERF_CPUMODE_KERNEL)
		return add_kernel_map(mappings, record, err);
	/*
	 * the addresses of a guest mean nothing here; nor does a line of /proc/PID/maps that a
	 * timeout cut off
	 */
	if (cpumode == PERF_CPUMODE_GUEST_KERNEL || cpumode == PERF_CPUMODE_GUEST_USER ||
	    (record->type == PERF_RECORD_MMAP2 && (record->misc & PERF_MISC_PROC_MAP_TIMEOUT)))
		return true;
	return add_user_map(mappings, process, record, err);
}

#define KSYMBOL_UNREGISTER 1u

static bool apply_ksymbol(struct mappings *mappings, const struct record *record, struct err *err)
{
	uint64_t start = record->ksymbol.addr;
	struct space_map mapped = { start, u64_add_sat(start, record->ksymbol.length), 0, 0 };
	const struct space_map *around;
	struct binary binary = { 0 };

	if (record->ksymbol.length == 0)
		return true;
	if (record->ksymbol.flags & KSYMBOL_UNREGISTER) {
		around = space_find(mappings->kernel, start);
		if (!around || around->start != start)
			return true;
		/*
		 * nothing runs there any more: later samples there are [unknown], which is binary 0
		 */
		mapped = (struct space_map){ around->start, around->end, around->start, 0 };
		return add_over_kernel(mappings, &mapped, err);
	}
	around = mapping_kernel_find(mappings, start);
	binary.kind = BINARY_KSYMBOL;
	binary.path = put_text(mappings, record->ksymbol.name, err);
	binary.name = binary.path;
	if (around && mappings->binaries->items[around->binary].kind == BINARY_KERNEL)
		binary.name = mappings->binaries->items[around->binary].name;
	binary.start = start;
	return add_binary_over_kernel(mappings, &binary, mapped, err);
}

bool mapping_record(struct mappings *mappings, const struct record *record, bool exec_known,
                    struct err *err)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return mapping_mmap(mappings, record, err);
	case PERF_RECORD_COMM:
		return processes_comm(mappings->processes, record, exec_known, err);
	case PERF_RECORD_FORK:
		return processes_fork(mappings->processes, record, err);
	case PERF_RECORD_EXIT:
		return processes_exit(mappings->processes, record, err);
	case PERF_RECORD_KSYMBOL:
		return apply_ksymbol(mappings, record, err);
	default:
		return true;
	}
}

/* The name that tables give to the binary of an entry of the BUILD_ID table. */
static uint32_t table_name(struct mappings *mappings, const struct session_build_id *id,
                           struct err *err)
{
	struct record_text name = { id->name, strlen(id->name) };

	if ((id->misc & PERF_MISC_CPUMODE_MASK) != PERF_CPUMODE_KERNEL)
		return put_text(mappings, name, err);
	if (is_kernel_name(name))
		return strings_put_text(mappings->strings, KERNEL_NAME, err);
	return module_name(mappings, name, err);
}

bool mapping_complete_build_id(struct mappings *mappings, const struct session *session,
                               struct binary *binary, struct err *err)
{
	uint32_t number;

	for (; mappings->table_ids_read < session->build_id_count; mappings->table_ids_read++) {
		const size_t at = mappings->table_ids_read;
		uint32_t name = table_name(mappings, &session->build_ids[at], err);

		if (name == STRING_NONE || !map_put(&mappings->table_ids, name, (uint32_t)at, err))
			return false;
	}
	number = map_get(&mappings->table_ids, binary->name);
	if (binary->build_id.size || number == MAP_NONE)
		return true;
	binary->build_id_of_path = true;
	binary->build_id = session->build_ids[number].id;
	return true;
}

static bool is_64_bit(const struct mappings *mappings, struct session *session)
{
	const char *machine = feature_text(session, PERF_FEATURE_ARCH);

	/* a recorder of 32 bits may have been given another name */
	return mappings->kernel_map.start > UINT32_MAX || (machine && machine_is_64_bit(machine));
}

/* On a 32-bit machine all processes have the same vdso. */
static bool name_vdso(struct mappings *mappings, struct err *err)
{
	uint32_t name = strings_put_text(mappings->strings, "[vdso]", err);

	for (size_t i = 0; name != STRING_NONE && i < mappings->binaries->count; i++) {
		struct binary *binary = &mappings->binaries->items[i];

		if (!binary->compat)
			continue;
		binary->compat = false;
		binary->name = binary->path = name;
	}
	return name != STRING_NONE;
}

/* The path of the jitdump file of the process that made this code, a string; or MAP_NONE. */
static uint32_t jit_dump_of(const struct mappings *mappings, const struct binary *binary)
{
	return binary->kind == BINARY_JIT ? map_get(&mappings->jit_dumps, (uint32_t)binary->pid)
	                                  : MAP_NONE;
}

static bool complete_binaries(struct mappings *mappings, const struct session *session,
                              struct err *err)
{
	for (size_t i = 0; i < mappings->binaries->count; i++) {
		struct binary *binary = &mappings->binaries->items[i];
		uint32_t dump = jit_dump_of(mappings, binary);

		if (dump != MAP_NONE)
			binary->path = dump;
		if (binary->kind != BINARY_KSYMBOL && !binary_is_run_time_code(binary) &&
		    !mapping_complete_build_id(mappings, session, binary, err))
			return false;
	}
	return true;
}

bool mapping_finish(struct mappings *mappings, struct session *session, struct err *err)
{
	return (is_64_bit(mappings, session) || name_vdso(mappings, err)) &&
	       complete_binaries(mappings, session, err);
}
