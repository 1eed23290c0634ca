#include "decode/symbols/symbols.h"

#include "decode/symbols/elfcode.h"
#include "decode/symbols/elfsymbols.h"
#include "decode/symbols/gopclntab.h"
#include "decode/symbols/jitcode.h"
#include "decode/symbols/kernel.h"
#include "decode/files/locate.h"
#include "decode/files/origin.h"
#include "decode/symbols/nameless.h"
#include "decode/symbols/symbolpack.h"
#include "decode/symbols/plt.h"
#include "decode/symbols/recordedsymbols.h"
#include "util/inflate.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/*
 * Limits of what .gnu_debugdata may unpack to; the symbols of a program are smaller than the
 * program.
 */
#define MINIDEBUG_ALWAYS ((size_t)4 << 20)
#define MINIDEBUG_MAX ((size_t)256 << 20)

struct symbols {
	struct found_symbols found;
	struct symtable recorded; /* symbols stored in the recording */
	struct symtable threads;  /* thread-local variables, from ELF_THREAD_BASE on */
	struct build_id build_id;
	struct jit_lines lines;
	struct gopclntab go;          /* of a Go program without other symbols */
	struct elf file;              /* open if nameless.elf is set */
	struct nameless nameless;     /* functions of the file that its symbols do not cover */
	struct packed_symbols packed; /* the part of --symbol-pack about it */
	enum elf_space space;         /* of found.code */
	bool by_moment;               /* as in struct located */
	/* while they are loaded: the only addresses that matter, or NULL, and where warnings go */
	const uint64_t *asked;
	size_t asked_count;
	struct diag *diag;
};

/* Turns a problem with one source into a warning; only memory that is refused is an error. */
static bool tolerate_damage(const struct symbols *symbols, const char *path,
                            const struct err *problem, struct err *err)
{
	if (problem->code != ERR_NONE && problem->code != ERR_NOMEM)
		diag_warn(symbols->diag, ERR_NO_OFFSET, "%s: symbols: %s", path, problem->text);
	return err_pass_nomem(err, problem);
}

/* Whether addresses of thread-local variables may be looked up. */
static bool needs_threads(const struct symbols *symbols, const struct elf *runtime)
{
	return runtime->tls.memory_size &&
	       (!symbols->asked || (symbols->asked_count &&
	                            symbols->asked[symbols->asked_count - 1] >= ELF_THREAD_BASE));
}

static bool put_elf(struct symbols *symbols, const struct elf *names, const struct elf *runtime,
                    enum symbol_origin origin, const char *path, struct err *err)
{
	struct elf_symbols source = { .names = names,
		                      .runtime = runtime,
		                      .space = ELF_SPACE_OFFSET,
		                      .origin = origin,
		                      .addrs = symbols->asked,
		                      .addr_count = symbols->asked_count };
	struct err problem = { .code = ERR_NONE };

	elf_symbols_put(&symbols->found.own, &source, &problem);
	if (problem.code == ERR_NONE && needs_threads(symbols, runtime)) {
		source.space = ELF_SPACE_THREAD;
		source.addrs = NULL;
		elf_symbols_put(&symbols->threads, &source, &problem);
	}
	return tolerate_damage(symbols, path, &problem, err);
}

/*
 * Reads the symbols that Fedora leaves in stripped files: an ELF file in a section, packed with xz.
 */
static bool put_minidebug(struct symbols *symbols, const struct elf *runtime, const char *path,
                          struct err *err)
{
	const struct elf_section *section = elf_find_section(runtime, ".gnu_debugdata");
	struct err problem = { .code = ERR_NONE };
	uint8_t *packed, *image = NULL;
	struct elf inner;
	size_t size = 0;
	size_t most = MINIDEBUG_ALWAYS + (size_t)u64_min(runtime->size, MINIDEBUG_MAX);

	if (!section)
		return true;
	packed = elf_section_data(runtime, section, &problem);
	if (packed)
		inflate_memory(packed, (size_t)section->size, most, &image, &size, &problem);
	free(packed);
	if (image) {
		if (elf_open_memory(&inner, image, size, &problem))
			put_elf(symbols, &inner, runtime, ORIGIN_MINIDEBUG, path, err);
		elf_close(&inner);
	}
	return tolerate_damage(symbols, path, &problem, err);
}

/* Reads a table of all functions, if the file has one and none was read yet. */
static bool put_full_table(struct symbols *symbols, const struct located *located, struct err *err)
{
	const struct elf *runtime = &located->runtime;
	struct err problem = { .code = ERR_NONE };
	const char *path = located->runtime_path;

	if (!symbols->found.own.count &&
	    !put_elf(symbols, runtime, runtime, ORIGIN_SYMTAB, path, err))
		return false;
	if (!symbols->found.own.count && !put_minidebug(symbols, runtime, path, err))
		return false;
	if (!symbols->found.own.count)
		gopclntab_put(&symbols->found.own, runtime, &symbols->go, &problem);
	return tolerate_damage(symbols, path, &problem, err);
}

/* Adds the functions that the file exports, and its jumps into other files. */
static bool put_exported(struct symbols *symbols, const struct located *located, struct err *err)
{
	const struct elf *runtime = &located->runtime;
	struct err problem = { .code = ERR_NONE };
	const char *path = located->runtime_path;

	if (!put_elf(symbols, runtime, runtime, ORIGIN_DYNSYM, path, err))
		return false;
	plt_put(&symbols->found.own, runtime, &problem);
	return tolerate_damage(symbols, path, &problem, err);
}

/* Takes the file over, for functions without a symbol. */
static void keep_file(struct symbols *symbols, const struct elf *elf)
{
	symbols->file = *elf;
	symbols->nameless = (struct nameless){ .elf = &symbols->file,
		                               .table = &symbols->found.own };
}

/* Reads what locate() found. */
static bool load_located(struct symbols *symbols, struct located *located, struct err *err)
{
	const struct elf *debug = located->has_debug ? &located->debug : NULL;
	const struct elf *runtime = located->has_runtime ? &located->runtime : debug;
	bool own_table = located->has_runtime && elf_find_type(runtime, SHT_SYMTAB);

	symbols->found.reason = located->has_runtime ? ORIGIN_STRIPPED : located->reason;
	if (!runtime)
		return true;
	if (debug && !own_table &&
	    !put_elf(symbols, debug, runtime, ORIGIN_DEBUG_FILE, located->debug_path, err))
		return false;
	if (located->has_runtime && !put_full_table(symbols, located, err))
		return false;
	if (symbols->found.own.count)
		symbols->found.reason = ORIGIN_NO_SYMBOL;
	if (located->has_runtime && !put_exported(symbols, located, err))
		return false;
	if (!elf_symbols_link(&symbols->found.own, runtime, err))
		return false;
	located_take_debug(located, &symbols->found.debug);
	if (!located->has_runtime || !runtime->segment_count)
		return true;
	located->has_runtime = false;
	keep_file(symbols, &located->runtime);
	return true;
}

static bool load_file(struct symbols *symbols, const struct symbol_query *query, struct err *err)
{
	struct located located;
	bool ok;

	if (!locate(&located, query->binary, query->strings, &query->options->files, query->diag,
	            err))
		return false;
	/* an equal one may be padded, and stays as it was recorded */
	if (!build_id_equal(&symbols->build_id, &located.build_id) && symbols->build_id.size)
		symbols->build_id = located.build_id;
	symbols->by_moment = located.by_moment;
	ok = load_located(symbols, &located, err);
	located_release(&located);
	return ok;
}

static bool load_kernel(struct symbols *symbols, const struct symbol_query *query, struct err *err)
{
	struct found_symbols *found = &symbols->found;
	const bool kernel = query->binary->kind == BINARY_KERNEL;
	bool ok = kernel ? kernel_load(query, found, err) : module_load(query, found, err);

	symbols->space = kernel ? ELF_SPACE_ADDR : ELF_SPACE_MODULE;
	if (found->table->count)
		found->reason = ORIGIN_NO_SYMBOL;
	return ok;
}

static bool load_vdso(struct symbols *symbols, const struct symbol_query *query, struct err *err)
{
	const char *name = strings_get(query->strings, query->binary->name);
	struct elf elf;

	symbols->found.reason = ORIGIN_FILE_MISSING;
	if (!vdso_file_open(&elf, query->binary, &query->options->files,
	                    running_release(query->options), err))
		return err->code == ERR_NONE;
	keep_file(symbols, &elf);
	if (!put_elf(symbols, &elf, &elf, ORIGIN_SYMTAB, name, err) ||
	    !put_elf(symbols, &elf, &elf, ORIGIN_DYNSYM, name, err))
		return false;
	symbols->found.reason = symbols->found.own.count ? ORIGIN_NO_SYMBOL : ORIGIN_STRIPPED;
	return elf_symbols_link(&symbols->found.own, &elf, err);
}

/* The record has the name; what tables print as the binary may be the kernel around it. */
static bool load_ksymbol(struct symbols *symbols, const struct symbol_query *query, struct err *err)
{
	const char *name = strings_get(query->strings, query->binary->path);
	struct symtable_item item = { .size = UINT32_MAX, .origin = ORIGIN_BPF };

	return symtable_add_name(&symbols->found.own, name, strlen(name), &item.name, err) &&
	       symtable_put(&symbols->found.own, &item, err);
}

static bool load_dump(struct symbols *symbols, const struct symbol_query *query, struct err *err)
{
	if (!jit_dump_load(&symbols->found.own, &symbols->lines, query, err))
		return false;
	if (symbols->lines.damaged)
		diag_warn(
			query->diag, ERR_NO_OFFSET,
			"%s: the lines of %zu pieces of code are damaged, as node writes some: left out",
			strings_get(query->strings, query->binary->path), symbols->lines.damaged);
	return true;
}

static bool load_kind(struct symbols *symbols, const struct symbol_query *query, struct err *err)
{
	switch (query->binary->kind) {
	case BINARY_FILE:
		return load_file(symbols, query, err);
	case BINARY_KERNEL:
	case BINARY_MODULE:
		return load_kernel(symbols, query, err);
	case BINARY_VDSO:
		return load_vdso(symbols, query, err);
	case BINARY_JIT:
		return jit_code_load(&symbols->found.own, query, &symbols->found.reason, err);
	case BINARY_JITDUMP:
		return load_dump(symbols, query, err);
	case BINARY_KSYMBOL:
		return load_ksymbol(symbols, query, err);
	case BINARY_SPECIAL:
		symbols->found.reason = query->binary->damaged ? ORIGIN_DAMAGED : ORIGIN_NO_SYMBOL;
		return true;
	case BINARY_UNKNOWN:
		break;
	}
	symbols->found.reason = ORIGIN_NO_MAP;
	return true;
}

/* Reads everything but the pack. */
static bool load_sources(struct symbols *symbols, const struct symbol_query *query, struct err *err)
{
	if (query->binary->guest) {
		symbols->found.reason = ORIGIN_GUEST;
		return true;
	}
	if (!load_kind(symbols, query, err) ||
	    !recorded_symbols_put(&symbols->recorded, query, err))
		return false;
	symtable_finish(&symbols->found.own);
	symtable_finish(&symbols->recorded);
	symtable_finish(&symbols->threads);
	return true;
}

struct symbols *symbols_load(const struct symbol_query *query, struct err *err)
{
	struct symbols *symbols = vec_new(1, sizeof(*symbols), err);
	struct packed_symbols *packed;
	bool ok = true;

	if (!symbols)
		return NULL;
	symbols->found.reason = ORIGIN_NO_SYMBOL;
	symbols->build_id = query->binary->build_id;
	symbols->found.table = &symbols->found.own;
	symbols->diag = query->diag;
	if (!query->more) {
		symbols->asked = query->addrs;
		symbols->asked_count = query->addr_count;
	}
	packed = &symbols->packed;
	*packed = packed_symbols_of(query->options->pack, query->binary, query->strings);
	/* no file is searched if the pack has all names that will be needed */
	if (!query->addrs || !packed_symbols_find_all(packed, query->addrs, query->addr_count))
		ok = load_sources(symbols, query, err);
	/* if the pack was made where the symbols were missing too, its reason is the better one */
	if (ok && packed->binary && !symbols->found.table->count)
		packed_symbols_reason(packed, &symbols->found.reason);
	if (ok)
		return symbols;
	symbols_free(symbols);
	return NULL;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	frame_index_release(&symbols->nameless.frames);
	if (symbols->nameless.elf)
		elf_close(&symbols->file);
	if (symbols->found.has_code)
		elf_close(&symbols->found.code);
	go_release(&symbols->go);
	symtable_release(&symbols->found.own);
	symtable_release(&symbols->recorded);
	symtable_release(&symbols->threads);
	jit_lines_release(&symbols->lines);
	free(symbols->found.debug.path);
	free(symbols->found.debug.binary);
	free(symbols);
}

/*
 * Whether the address is in the padding before a function, which starts right behind it. Callers
 * are looked up one byte before their return address, and nothing is executed in padding: so that
 * was the function's first byte, and it was not called from there. It is one to which signal
 * handlers return, or a pointer on the stack that was taken for a return address.
 */
static bool is_before_function(const struct symbols *symbols, uint64_t addr)
{
	return symbols->nameless.elf &&
	       symtable_name_at(symbols->found.table, symbols->found.table->count, addr + 1) &&
	       nameless_is_padding(&symbols->nameless, addr);
}

const struct symbol *symbols_find(struct symbols *symbols, uint64_t addr,
                                  enum symbol_origin *reason, struct err *err)
{
	const struct symbol *symbol;

	if (symbols->threads.count && addr >= ELF_THREAD_BASE) {
		*reason = symbols->found.reason;
		return symtable_find(&symbols->threads, addr);
	}
	symbol = packed_symbols_find(&symbols->packed, addr);
	if (!symbol)
		symbol = symtable_find(symbols->found.table, addr);
	if (!symbol)
		symbol = symtable_find(&symbols->recorded, addr);
	if ((!symbol || symbol->end == addr + 1) && is_before_function(symbols, addr))
		symbol = symtable_find(symbols->found.table, addr + 1);
	/* it will be copied */
	if (symbol && symbols->go.data && !go_spend(&symbols->go, strlen(symbol->name)))
		symbol = NULL;
	if (symbol)
		return symbol;
	*reason = symbols->found.reason;
	if (!symbols->nameless.elf)
		return NULL;
	return nameless_find(&symbols->nameless, addr, symbols->found.reason, err);
}

uint64_t symbols_link_addr(const struct symbols *symbols, uint64_t addr)
{
	if (symbols->found.table->link_count)
		return symtable_link_addr(symbols->found.table, addr);
	if (symbols->packed.binary)
		return packed_symbols_link_addr(&symbols->packed, addr);
	return symtable_link_addr(&symbols->recorded, addr);
}

uint64_t symbols_section_end(const struct symbols *symbols, uint64_t addr)
{
	return symbols->space == ELF_SPACE_MODULE ? symtable_link_end(symbols->found.table, addr)
	                                          : UINT64_MAX;
}

const struct elf *symbols_code_file(const struct symbols *symbols)
{
	return symbols->found.has_code ? &symbols->found.code : NULL;
}

size_t symbols_read_code(const struct symbols *symbols, uint64_t addr, uint8_t *bytes, size_t size)
{
	const uint64_t link = symbols_link_addr(symbols, addr) - addr;

	if (!symbols->found.has_code)
		return 0;
	return elf_read_code(&symbols->found.code, symbols->space, addr, link, bytes, size);
}

const struct build_id *symbols_build_id(const struct symbols *symbols)
{
	return &symbols->build_id;
}

struct debug_file *symbols_debug(struct symbols *symbols)
{
	return &symbols->found.debug;
}

bool symbols_have_lines(const struct symbols *symbols)
{
	return symbols->lines.source_count || (symbols->go.data && !symbols->found.debug.path);
}

bool symbols_answer(struct symbols *symbols, struct source_query *query, struct err *err)
{
	if (symbols->go.data)
		return gopclntab_answer(&symbols->go, &symbols->file, query, err);
	return jit_lines_answer(&symbols->lines, query, err);
}

bool symbols_may_be_kept(const struct symbols *symbols)
{
	return !symbols->by_moment && !symbols->go.data && !symbols->packed.binary;
}

size_t symbols_bytes(const struct symbols *symbols)
{
	return sizeof(*symbols) + symtable_bytes(&symbols->found.own) +
	       symtable_bytes(&symbols->recorded) + symtable_bytes(&symbols->threads);
}

void symbols_each(const struct symbols *symbols,
                  void (*each)(void *context, const char *name, uint64_t start, uint64_t end),
                  void *context)
{
	const struct symtable *table = symbols->found.table;

	for (size_t i = 0; i < table->count; i++)
		each(context, symtable_name(table, &table->items[i]), table->items[i].start,
		     table->items[i].start + table->items[i].size);
}
