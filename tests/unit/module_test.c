/*
 * Kernel modules. Their files are ET_REL: where each section is loaded is worked out here by hand,
 * from what the kernel does (sections of code in the file's order, each at its alignment, without
 * those of .init, unless a list has them).
 */
#include "decode/files/elf.h"
#include "decode/symbols/kernel.h"
#include "decode/symbols/modulelayout.h"
#include "decode/files/rootfs.h"
#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* What a running kernel says of itself is below this folder, if there is one (ld --wrap). */
static const char *live;

int __real_rootfs_open(const char *root, const char *path);
int __wrap_rootfs_open(const char *root, const char *path);

int __wrap_rootfs_open(const char *root, const char *path)
{
	if (live && (!root || !*root) && (!strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5)))
		return __real_rootfs_open(live, path);
	return __real_rootfs_open(root, path);
}

#define HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define PATH "lib/modules/6.1.0/kernel/snd-hda.ko"
#define LOADED UINT64_C(0xffffffffc0800000)

static const uint8_t id[20] = "0123456789abcdefghij";

/* .text 0 .. 0x48, .exit.text from 0x50; .init.text comes between them and does not count. */
static void module_image(struct image *image, uint16_t type, const uint8_t *build_id)
{
	static const struct elf_name names[] = {
		{ "hda_probe", 0, 0x20, STT_FUNC, STB_GLOBAL, 1 },
		{ "hda_remove", 0x20, 0x28, STT_FUNC, STB_LOCAL, 1 },
		{ ".Lloop", 0x24, 0, STT_NOTYPE, STB_LOCAL, 1 },
		{ "L0label", 0x28, 0, STT_NOTYPE, STB_LOCAL, 1 },
		{ "$x", 0x2c, 0, STT_NOTYPE, STB_LOCAL, 1 },
		{ "hda_init", 0, 0x10, STT_FUNC, STB_GLOBAL, 2 },
		{ "hda_exit", 0, 0x10, STT_FUNC, STB_GLOBAL, 3 },
		{ "hda_state", 0, 0x8, STT_OBJECT, STB_GLOBAL, 4 },
		{ "printk", 0, 0, STT_NOTYPE, STB_GLOBAL, SHN_UNDEF },
	};
	struct elf_whole whole = { .wide = true, .type = type, .machine = EM_X86_64 };
	struct image symbols, text, note;

	elf_name_images(&symbols, &text, &whole, names, sizeof(names) / sizeof(names[0]));
	elf_build_id_image(&note, false, id, sizeof(id));
	if (build_id)
		memcpy(note.data + note.size - sizeof(id), build_id, sizeof(id));

	const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .size = 0x48, .align = 16 },
		{ .name = ".init.text", .type = 1, .flags = 6, .size = 0x100, .align = 16 },
		{ .name = ".exit.text", .type = 1, .flags = 6, .size = 0x10, .align = 16 },
		{ .name = ".data", .type = 1, .flags = 3, .size = 8, .align = 8 },
		{ .name = ".modinfo", .type = 1, .flags = 2, .data = "name=snd_hda", .size = 13 },
		{ .name = ".gnu.linkonce.this_module", .type = 1, .flags = 3, .size = 64, .align = 64 },
		{ .name = ".note.gnu.build-id", .type = 7, .flags = 2, .data = note.data,
		  .size = build_id ? note.size : 0 },
		{ .name = ".symtab", .type = 2, .data = symbols.data, .size = symbols.size, .link = 9,
		  .entry_size = 24 },
		{ .name = ".strtab", .type = 3, .data = text.data, .size = text.size },
	};

	whole.parts = parts;
	whole.count = sizeof(parts) / sizeof(parts[0]);
	elf_image(image, &whole);
	image_release(&symbols), image_release(&text), image_release(&note);
}

static void put_module(struct fixture *f, const char *path, uint16_t type, const uint8_t *build_id)
{
	struct image image;

	module_image(&image, type, build_id);
	fixture_image(f, path, &image);
}

static struct binary module(struct fixture *f, const char *name, const char *path,
                            const uint8_t *build_id)
{
	struct binary binary = fixture_binary(f, BINARY_MODULE, path);

	binary.name = strings_put_text(&f->strings, name, &f->err);
	binary.start = LOADED;
	if (build_id) {
		memcpy(binary.build_id.bytes, build_id, PERF_BUILD_ID_SIZE);
		binary.build_id.size = PERF_BUILD_ID_SIZE;
	}
	return binary;
}

static void expect(struct fixture *f, uint64_t addr, const char *wanted)
{
	char found[200];

	assert_string_equal(fixture_answer(f, addr, found, sizeof(found)), wanted);
}

static void expect_all(struct fixture *f)
{
	expect(f, 0, "hda_probe module");
	expect(f, 0x1f, "hda_probe module");
	expect(f, 0x20, "hda_remove module");
	expect(f, 0x2c, "hda_remove module");
	expect(f, 0x47, "hda_remove module");
	expect(f, 0x48, "- no-symbol");
	expect(f, 0x50, "hda_exit module");
	expect(f, 0x5f, "hda_exit module");
	expect(f, 0x60, "- no-symbol");
	assert_string_equal(f->said, "");
}

/* A module that is not found, and why. */
static void expect_none(struct fixture *f, const struct binary *binary, const char *reason)
{
	assert_true(fixture_load(f, binary));
	assert_string_equal(symbol_origin_name(f->reason), reason);
}

static void recorded_path(void **state)
{
	struct fixture f;
	struct binary binary;

	(void)state;
	fixture_begin(&f);
	put_module(&f, PATH, ET_REL, NULL);
	binary = module(&f, "[snd_hda]", "/" PATH, NULL);
	assert_true(fixture_load(&f, &binary));
	expect_all(&f);
	fixture_end(&f);
}

typedef size_t pack(const struct image *image, uint8_t *packed, size_t room);

#ifdef HAVE_ZLIB
static size_t pack_gz(const struct image *image, uint8_t *packed, size_t room)
{
	z_stream z = { .next_in = image->data, .avail_in = (uInt)image->size, .next_out = packed,
		       .avail_out = (uInt)room };

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}
#else
#define pack_gz NULL
#endif

#ifdef HAVE_LZMA
static size_t pack_xz(const struct image *image, uint8_t *packed, size_t room)
{
	size_t size = 0;

	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, image->data, image->size,
	                                         packed, &size, room), LZMA_OK);
	return size;
}
#else
#define pack_xz NULL
#endif

#ifdef HAVE_ZSTD
static size_t pack_zst(const struct image *image, uint8_t *packed, size_t room)
{
	size_t size = ZSTD_compress(packed, room, image->data, image->size, 3);

	assert_false(ZSTD_isError(size));
	return size;
}
#else
#define pack_zst NULL
#endif

/* As distributions pack them: the same names. Cut short: said, and no names. */
static void packed(void **state)
{
	static const struct {
		const char *suffix;
		pack *pack;
	} ways[] = { { ".gz", pack_gz }, { ".xz", pack_xz }, { ".zst", pack_zst } };
	unsigned tested = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char path[100], recorded[101];
		uint8_t room[8000];
		struct image image;
		struct fixture f;
		struct binary binary;
		size_t size;

		if (!ways[i].pack)
			continue;
		tested++;
		fixture_begin(&f);
		module_image(&image, ET_REL, NULL);
		size = ways[i].pack(&image, room, sizeof(room));
		image_release(&image);
		snprintf(path, sizeof(path), PATH "%s", ways[i].suffix);
		snprintf(recorded, sizeof(recorded), "/%s", path);
		fixture_put(&f, path, room, size);
		binary = module(&f, "[snd_hda]", recorded, NULL);
		assert_true(fixture_load(&f, &binary));
		expect_all(&f);
		fixture_put(&f, path, room, size / 2);
		expect_none(&f, &binary, "file-missing");
		assert_non_null(strstr(f.said, "/" PATH));
		assert_non_null(strstr(f.said, ": module: "));
		fixture_end(&f);
	}
	if (!tested)
		skip();
}

/* Without a path, from the list of the recorded release's modules: '-' and '_' are the same. */
static void by_name(void **state)
{
	struct binary binary, other;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	put_module(&f, PATH, ET_REL, NULL);
	f.options.osrelease = "6.1.0";
	binary = module(&f, "[snd_hda]", "", NULL);
	other = module(&f, "[snd_hda_intel]", "", NULL);
	expect_none(&f, &binary, "file-missing");
	fixture_text(&f, "lib/modules/6.1.0/modules.dep",
	             "kernel/snd-hda-core.ko.xz:\nkernel/snd_hda.kernel:\nsnd-hda.ko without a colon\n\n:\n"
	             "kernel/snd-hda.ko: kernel/other.ko kernel/third.ko\nkernel/last.ko:");
	assert_true(fixture_load(&f, &binary));
	expect_all(&f);
	expect_none(&f, &other, "file-missing");
	/* an absolute path, and the last line without an end */
	fixture_text(&f, "lib/modules/6.1.0/modules.dep", "/" PATH ": x\n/nowhere/snd-hda-intel.ko:");
	assert_true(fixture_load(&f, &binary));
	expect_all(&f);
	expect_none(&f, &other, "file-missing");
	/* another release, none, and one that would lead elsewhere */
	f.options.osrelease = "6.1.1";
	expect_none(&f, &binary, "file-missing");
	f.options.osrelease = "";
	expect_none(&f, &binary, "file-missing");
	f.options.osrelease = "../modules/6.1.0";
	expect_none(&f, &binary, "file-missing");
	fixture_end(&f);
}

static void build_ids(void **state)
{
	static const uint8_t other[20] = "another build id ...";
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	put_module(&f, PATH, ET_REL, id);
	binary = module(&f, "[snd_hda]", "/" PATH, id);
	assert_true(fixture_load(&f, &binary));
	expect_all(&f);
	/* not asked for */
	binary = module(&f, "[snd_hda]", "/" PATH, NULL);
	assert_true(fixture_load(&f, &binary));
	/* another, and none where there should be one */
	binary = module(&f, "[snd_hda]", "/" PATH, other);
	expect_none(&f, &binary, "build-id-mismatch");
	put_module(&f, PATH, ET_REL, NULL);
	binary = module(&f, "[snd_hda]", "/" PATH, id);
	expect_none(&f, &binary, "build-id-mismatch");
	/* the right one in the cache, in each of its three shapes; hex of id */
#define CACHED "cache/.build-id/30/313233343536373839616263646566" "6768696a"
	put_module(&f, CACHED "/elf", ET_REL, id);
	assert_true(fixture_load(&f, &binary));
	expect_all(&f);
	fixture_link(&f, CACHED "/debug", "elf");
	assert_true(fixture_load(&f, &binary));
	fixture_end(&f);
	fixture_begin(&f);
	put_module(&f, CACHED, ET_REL, id);
	binary = module(&f, "[snd_hda]", "", id);
	assert_true(fixture_load(&f, &binary));
	expect_all(&f);
	fixture_end(&f);
}

/* A file that is no module is not used as one, whatever its name. */
static void other_files(void **state)
{
	static const char *const tags[] = { "snd_hda", "[", "[]", "[a/b]", "[open", "" };
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	put_module(&f, PATH, ET_DYN, NULL);
	binary = module(&f, "[snd_hda]", "/" PATH, NULL);
	expect_none(&f, &binary, "file-missing");
	fixture_text(&f, PATH, "no ELF file, though it is longer than the header of one would have to be");
	expect_none(&f, &binary, "file-missing");
	assert_non_null(strstr(f.said, "module: not an ELF file"));
	put_module(&f, PATH, ET_REL, NULL);
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		binary = module(&f, tags[i], "/" PATH, NULL);
		expect_none(&f, &binary, "file-missing");
	}
	fixture_end(&f);
}

static const char list[] = "ffffffff81000000 T _text\n"
			   "ffffffff81000040 t kernel_one\n"
			   "ffffffffc0800000 t list_probe\t[snd_hda]\n"
			   "ffffffffc0800030 t list_remove\t[snd_hda]\n"
			   "ffffffffc0900000 t other_one\t[other]\n"
			   "ffffffffc07ff000 t before_it\t[snd_hda]\n";

/* A list of the same boot has the module where the recording had it. */
static void from_the_list(void **state)
{
	char path[200];
	struct binary binary, kernel;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	put_module(&f, PATH, ET_REL, NULL);
	fixture_text(&f, "kallsyms", list);
	f.options.kallsyms = fixture_path(&f, "kallsyms", path);
	kernel = fixture_binary(&f, BINARY_KERNEL, "[kernel.kallsyms]");
	kernel.ref_name = strings_put_text(&f.strings, "_text", &f.err);
	kernel.ref_addr = UINT64_C(0xffffffff81000000);
	f.options.kernel = &kernel;
	f.options.cache = &(struct symbol_cache){ .searched = false };
	binary = module(&f, "[snd_hda]", "/" PATH, NULL);
	assert_true(fixture_load(&f, &binary));
	expect(&f, 0, "list_probe kallsyms");
	expect(&f, 0x2f, "list_probe kallsyms");
	expect(&f, 0x30, "list_remove kallsyms");
	/* a module that the list does not have */
	binary = module(&f, "[third]", "/" PATH, NULL);
	assert_true(fixture_load(&f, &binary));
	expect_all(&f);
	symbols_free(f.symbols);
	f.symbols = NULL;
	symbol_cache_release(f.options.cache);

	/* another boot: its kernel was at another address, and the addresses of its modules are unknown */
	f.options.cache = &(struct symbol_cache){ .searched = false };
	kernel.ref_addr += 0x1000000;
	binary = module(&f, "[snd_hda]", "/" PATH, NULL);
	assert_true(fixture_load(&f, &binary));
	expect_all(&f);
	symbols_free(f.symbols);
	f.symbols = NULL;
	symbol_cache_release(f.options.cache);

	/* a list without addresses */
	f.options.cache = &(struct symbol_cache){ .searched = false };
	fixture_text(&f, "kallsyms", "0000000000000000 t list_probe\t[snd_hda]\n");
	assert_true(fixture_load(&f, &binary));
	expect(&f, 0, "hda_probe module");
	symbols_free(f.symbols);
	f.symbols = NULL;
	symbol_cache_release(f.options.cache);
	fixture_end(&f);
}

/* The running kernel's list has a module's symbols only if it is loaded at the recorded place. */
static void running_kernel(void **state)
{
	static const char list_of_all[] = "ffffffff81000000 T _text\nffffffff81000040 t kernel_one\n"
	                                  "ffffffffc0800000 t live_probe\t[snd_hda]\n";
	static const struct {
		const char *modules, *answer;
	} cases[] = {
		{ "other 4096 0 - Live 0xffffffffc0700000\n"
		  "snd_hda 16384 1 snd, Live 0xffffffffc0800000\n", "live_probe kallsyms" },
		{ "snd_hda 16384 1 snd, Live 0xffffffffc0800000 (OE)", "live_probe kallsyms" },
		{ "snd_hda 16384 1 snd, Live 0xffffffffc0900000\n", "hda_probe module" },
		{ "snd_hda 16384 1 snd, Live 0x0000000000000000\n", "hda_probe module" },
		{ "snd_hda_intel 16384 1 snd, Live 0xffffffffc0800000\n", "hda_probe module" },
		{ "snd_hda 16384", "hda_probe module" },
		{ "snd_hda", "hda_probe module" },
		{ "\n\n", "hda_probe module" },
		{ "", "hda_probe module" },
	};
	struct binary binary, kernel;
	struct fixture f;
	struct image note;

	(void)state;
	fixture_begin(&f);
	put_module(&f, PATH, ET_REL, id);
	fixture_text(&f, "proc/kallsyms", list_of_all);
	elf_build_id_image(&note, HOST_BIG, "the kernel's own ...", 20);
	fixture_image(&f, "sys/kernel/notes", &note);
	kernel = fixture_binary(&f, BINARY_KERNEL, "[kernel.kallsyms]");
	kernel.ref_name = strings_put_text(&f.strings, "_text", &f.err);
	kernel.ref_addr = UINT64_C(0xffffffff81000000);
	memcpy(kernel.build_id.bytes, "the kernel's own ...", 20);
	kernel.build_id.size = 20;
	f.options.kernel = &kernel;
	live = f.root;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_text(&f, "proc/modules", cases[i].modules);
		f.options.cache = &(struct symbol_cache){ .searched = false };
		binary = module(&f, "[snd_hda]", "/" PATH, NULL);
		assert_true(fixture_load(&f, &binary));
		expect(&f, 0, cases[i].answer);
		symbols_free(f.symbols);
		f.symbols = NULL;
		symbol_cache_release(f.options.cache);
	}
	/* a build id that is recorded must be the loaded module's */
	fixture_text(&f, "proc/modules", cases[0].modules);
	for (int i = 0; i < 3; i++) {
		if (i) {
			elf_build_id_image(&note, HOST_BIG, i == 1 ? "another build id ..." : (const char *)id, 20);
			fixture_image(&f, "sys/module/snd_hda/notes/.note.gnu.build-id", &note);
		}
		f.options.cache = &(struct symbol_cache){ .searched = false };
		binary = module(&f, "[snd_hda]", "/" PATH, id);
		assert_true(fixture_load(&f, &binary));
		expect(&f, 0, i == 2 ? "live_probe kallsyms" : "hda_probe module");
		symbols_free(f.symbols);
		f.symbols = NULL;
		symbol_cache_release(f.options.cache);
	}
	live = NULL;
	fixture_end(&f);
}

/* Where the kernel's list has symbols of the module; ends with a NULL. */
struct listed {
	const char *name;
	uint64_t start;
};

/* How many sections these symbols place; *table is for symtable_release(). */
static int place(struct symtable *table, const struct listed *listed, bool *common)
{
	struct err err = { .code = ERR_NONE };
	struct image image;
	struct elf elf;
	int found;

	module_image(&image, ET_REL, id);
	assert_true(elf_open_memory(&elf, image.data, image.size, &err));
	memset(table, 0, sizeof(*table));
	for (; listed->name; listed++) {
		struct symtable_item item = { .start = listed->start, .type = STT_FUNC };

		assert_true(symtable_add_name(table, listed->name, strlen(listed->name), &item.name, &err));
		assert_true(symtable_put(table, &item, &err));
	}
	found = module_layout_link(table, &elf, LOADED, common, &err);
	elf_close(&elf);
	return found;
}

/* Sections lie where symbols of them are, wherever the order of the file would have them. */
static void proved_places(void **state)
{
	static const struct listed moved[] = { { "hda_probe", 0x100 }, { "hda_init", 0x400 }, { "hda_exit", 0x40 }, { NULL } },
	                           twice[] = { { "hda_remove", 0x420 }, { "hda_probe", 0x10 }, { "hda_probe", 0x400 }, { NULL } },
	                           two[] = { { "hda_probe", 0x100 }, { "hda_remove", 0x200 }, { NULL } },
	                           ordered[] = { { "hda_probe", 0x100 }, { "hda_probe", 0 }, { NULL } },
	                           lie_over[] = { { "hda_probe", 0x40 }, { "hda_exit", 0x50 }, { NULL } },
	                           start[] = { { "hda_init", 0x400 }, { NULL } },
	                           other[] = { { "probe", 0 }, { "hda_", 0x20 }, { "hda_probes", 0 }, { NULL } };
	struct symtable table;
	bool common;

	(void)state;
	assert_int_equal(place(&table, moved, &common), 3);
	assert_int_equal(symtable_link_addr(&table, 0x100), 0);
	assert_int_equal(symtable_link_addr(&table, 0x147), 0x47);
	assert_int_equal(symtable_link_addr(&table, 0x148), LOADED + 0x148);
	assert_int_equal(symtable_link_addr(&table, 0x40), 0x50);
	assert_int_equal(symtable_link_addr(&table, 0x4f), 0x5f);
	assert_int_equal(symtable_link_addr(&table, 0x50), LOADED + 0x50);
	assert_int_equal(symtable_link_addr(&table, 0), LOADED);
	assert_int_equal(symtable_link_addr(&table, 0x400), ELF_MODULE_INIT);
	assert_int_equal(symtable_link_addr(&table, 0x4ff), ELF_MODULE_INIT + 0xff);
	assert_int_equal(symtable_link_addr(&table, 0x500), LOADED + 0x500);
	symtable_release(&table);
	/* what is only for the start proves nothing */
	assert_int_equal(place(&table, start, &common), 0);
	symtable_release(&table);
	/* functions of the same name: what most say; else the order of the file */
	assert_int_equal(place(&table, twice, &common), 1);
	assert_int_equal(symtable_link_addr(&table, 0x400), 0);
	symtable_release(&table);
	assert_int_equal(place(&table, ordered, &common), 1);
	assert_int_equal(symtable_link_addr(&table, 0x10), 0x10);
	symtable_release(&table);
	/* they contradict each other */
	assert_int_equal(place(&table, two, &common), 0);
	assert_true(common);
	assert_int_equal(table.link_count, 0);
	symtable_release(&table);
	assert_int_equal(place(&table, lie_over, &common), 1);
	assert_int_equal(symtable_link_addr(&table, 0x50), 0x10);
	symtable_release(&table);
	/* another module */
	assert_int_equal(place(&table, other, &common), 0);
	assert_false(common);
	symtable_release(&table);
}

/* Every allocation refused once. */
static void refused(void **state)
{
	static const char dep[] = "kernel/snd-hda.ko: x\n";
	struct refused_loads loads = { 0 };
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	put_module(&f, PATH, ET_REL, id);
	put_module(&f, CACHED "/elf", ET_REL, id);
	fixture_text(&f, "lib/modules/6.1.0/modules.dep", dep);
	f.options.osrelease = "6.1.0";
	/* a path that is not there: then the list, then the cache */
	binary = module(&f, "[snd_hda]", "/nowhere/snd-hda.ko", id);
	while (fixture_load_refused(&f, &binary, &loads)) {
		if (loads.loaded)
			expect(&f, 0x20, "hda_remove module");
		else
			assert_int_equal(f.err.code, ERR_NOMEM);
	}
	assert_true(loads.failed > 5);
	fixture_end(&f);
}

/* The same where the kernel's list says where the sections are: the code of the function, or none. */
static void refused_places(void **state)
{
	static const char places[] = "ffffffff81000000 T _text\n"
				     "ffffffffc0800100 t hda_probe\t[snd_hda]\n"
				     "ffffffffc0800120 t hda_remove\t[snd_hda]\n"
				     "ffffffffc0800040 t hda_exit\t[snd_hda]\n";
	struct refused_loads loads = { 0 };
	struct binary binary, kernel;
	char path[200];
	struct fixture f;
	bool more = true;

	(void)state;
	fixture_begin(&f);
	put_module(&f, PATH, ET_REL, NULL);
	fixture_text(&f, "kallsyms", places);
	f.options.kallsyms = fixture_path(&f, "kallsyms", path);
	f.options.want_code = true;
	kernel = fixture_binary(&f, BINARY_KERNEL, "[kernel.kallsyms]");
	kernel.ref_name = strings_put_text(&f.strings, "_text", &f.err);
	kernel.ref_addr = UINT64_C(0xffffffff81000000);
	f.options.kernel = &kernel;
	binary = module(&f, "[snd_hda]", "/" PATH, NULL);
	while (more) {
		struct symbol_cache cache = { .searched = false };
		uint8_t bytes[0x100];

		f.options.cache = &cache;
		more = fixture_load_refused(&f, &binary, &loads);
		if (loads.loaded) {
			expect(&f, 0x120, "hda_remove kallsyms");
			assert_int_equal(symbols_link_addr(f.symbols, 0x120), 0x20);
			assert_int_equal(symbols_section_end(f.symbols, 0x120), 0x148);
			assert_int_equal(symbols_read_code(f.symbols, 0x120, bytes, sizeof(bytes)), 0x28);
			assert_int_equal(symbols_read_code(f.symbols, 0x20, bytes, sizeof(bytes)), 0);
		} else {
			assert_int_equal(f.err.code, ERR_NOMEM);
		}
		symbols_free(f.symbols);
		f.symbols = NULL;
		symbol_cache_release(&cache);
	}
	assert_true(loads.loaded);
	assert_true(loads.failed > 10);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_path), cmocka_unit_test(packed),
		cmocka_unit_test(by_name),       cmocka_unit_test(build_ids),
		cmocka_unit_test(other_files),   cmocka_unit_test(from_the_list),
		cmocka_unit_test(running_kernel), cmocka_unit_test(proved_places),
		cmocka_unit_test(refused),       cmocka_unit_test(refused_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
