/* simpleperf's features FILE and FILE2, put together by hand as its layout says. */
#include "perffile/session/simpleperf.h"

#include "perffile/session/features.h"
#include "perffile/session/toolrecord.h"
#include "tests/unit/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static unsigned said;

static void note(void *context, uint64_t offset, const char *text)
{
	(void)context;
	(void)offset;
	(void)text;
	said++;
}

static void put_symbol(struct foreign_bytes *bytes, uint64_t start, uint32_t length, const char *name)
{
	put_u64(bytes, start);
	put_u32(bytes, length);
	put_text(bytes, name);
}

/* A file's size is written when its end is known. */
static size_t begin_file(struct foreign_bytes *bytes, const char *path, uint32_t type, uint64_t min_addr, uint32_t count)
{
	size_t start = bytes->size;

	put_u32(bytes, 0);
	put_text(bytes, path);
	put_u32(bytes, type);
	put_u64(bytes, min_addr);
	put_u32(bytes, count);
	return start;
}

static void end_file(struct foreign_bytes *bytes, size_t start)
{
	size_t end = bytes->size;

	bytes->size = start;
	put_u32(bytes, (uint32_t)(end - start - 4));
	bytes->size = end;
}

static void make(struct foreign_bytes *bytes)
{
	size_t start;

	memset(bytes, 0, sizeof(*bytes));
	start = begin_file(bytes, "[kernel.kallsyms]", 0, 0, 1);
	put_symbol(bytes, 0xffffff8088e9de00, 64, "__clean_dcache_area_pou");
	end_file(bytes, start);
	start = begin_file(bytes, "/apex/lib64/libart.so", 2, 0x12e000, 2);
	put_symbol(bytes, 0x131a00, 52, "mterp_op_invoke_interface");
	put_symbol(bytes, 0x146540, 620, "");
	put_u64(bytes, 0x12d000);
	end_file(bytes, start);
	start = begin_file(bytes, "/data/t2", 2, 0x400000, 1); /* of an older simpleperf */
	put_symbol(bytes, 0x4003a8, 40, "_init");
	end_file(bytes, start);
	start = begin_file(bytes, "/system/framework/framework.jar", 3, 0, 1);
	put_symbol(bytes, 0xeb44c, 16, "java.lang.Thread.run");
	put_u32(bytes, 1);
	put_u64(bytes, 0x2c);
	end_file(bytes, start);
}

static unsigned which = PERF_FEATURE_FILE;

#define FILES_MOST 4

/* The files of the session. */
static size_t list_files(struct session *session, const struct recorded_file *files[FILES_MOST])
{
	struct err err = { 0 };
	size_t count = 0;

	for (const struct recorded_file *file = session_recorded_files(session, &err); file; file = file->next) {
		assert_true(count < FILES_MOST);
		files[count++] = file;
	}
	assert_int_equal(err.code, ERR_NONE);
	return count;
}

static const struct recorded_symbol *symbol_of(const struct recorded_file *file, size_t number)
{
	const struct recorded_symbol *symbol = file->symbols;

	while (number--)
		symbol = symbol->next;
	return symbol;
}

/* Reads the first size bytes. */
static size_t read_files(struct session *session, struct diag *diag, const struct foreign_bytes *bytes, size_t size,
                         const struct recorded_file *files[FILES_MOST])
{
	struct feature *feature = &session->features[which];

	said = 0;
	diag_init(diag, note, NULL);
	session_init(session, diag);
	feature->data = exact_copy(bytes->data, size);
	feature->size = size;
	feature->present = true;
	return list_files(session, files);
}

static void end(struct session *session, struct diag *diag)
{
	free((void *)(uintptr_t)session->features[which].data);
	session_release(session);
	diag_release(diag);
}

static void files_and_symbols(void **state)
{
	const struct recorded_file *files[FILES_MOST];
	struct session session;
	struct foreign_bytes bytes;
	struct diag diag;

	(void)state;
	make(&bytes);
	assert_int_equal(read_files(&session, &diag, &bytes, bytes.size, files), 4);
	assert_int_equal(said, 0);
	assert_string_equal(files[0]->path, "[kernel.kallsyms]");
	assert_int_equal(files[0]->type, RECORDED_KERNEL);
	assert_true(symbol_of(files[0], 0)->start == 0xffffff8088e9de00);
	assert_string_equal(symbol_of(files[0], 0)->name, "__clean_dcache_area_pou");
	assert_int_equal(files[1]->symbol_count, 2);
	assert_int_equal(symbol_of(files[1], 0)->length, 52);
	assert_int_equal(symbol_of(files[1], 0)->start, 0x131a00);
	assert_int_equal(files[1]->min_addr, 0x12e000);
	assert_int_equal(files[1]->min_offset, 0x12d000);
	assert_string_equal(symbol_of(files[1], 1)->name, "");
	assert_true(files[1]->has_min_offset);
	assert_false(files[2]->has_min_offset);
	assert_int_equal(symbol_of(files[2], 0)->start, 0x4003a8);
	assert_int_equal(files[2]->min_addr, 0x400000);
	assert_int_equal(symbol_of(files[3], 0)->start, 0xeb44c);
	end(&session, &diag);
}

/* Cut anywhere, the whole files before the cut are there, and one warning says where it broke off. */
static void every_cut(void **state)
{
	struct foreign_bytes bytes;

	(void)state;
	make(&bytes);
	for (size_t size = 1; size < bytes.size; size++) {
		const struct recorded_file *files[FILES_MOST];
		struct session session;
		struct diag diag;
		size_t count = read_files(&session, &diag, &bytes, size, files);

		assert_true(count < 4);
		assert_true(said <= 1);
		for (size_t i = 0; i < count; i++)
			for (size_t k = 0; k < files[i]->symbol_count; k++)
				assert_true(strlen(symbol_of(files[i], k)->name) < 40);
		end(&session, &diag);
	}
}

/* Protocol buffers: a field's number and kind, then its value or its size. */
static void put_varint(struct foreign_bytes *bytes, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put(bytes, value | 0x80, 1);
	put(bytes, value, 1);
}

static void put_number(struct foreign_bytes *bytes, unsigned number, uint64_t value)
{
	put_varint(bytes, number << 3);
	put_varint(bytes, value);
}

static void put_field(struct foreign_bytes *bytes, unsigned number, const void *data, size_t size)
{
	put_varint(bytes, number << 3 | 2);
	put_varint(bytes, size);
	put_bytes(bytes, data, size);
}

static void put_symbol2(struct foreign_bytes *bytes, uint64_t start, uint32_t length, const char *name)
{
	struct foreign_bytes symbol = { .size = 0 };

	put_number(&symbol, 1, start);
	put_number(&symbol, 2, length);
	put_field(&symbol, 3, name, strlen(name));
	put_field(bytes, 4, symbol.data, symbol.size);
}

/* The whole of one file: u32 size, then its protocol buffer. */
static void put_file2(struct foreign_bytes *bytes, const struct foreign_bytes *file)
{
	put_u32(bytes, (uint32_t)file->size);
	put_bytes(bytes, file->data, file->size);
}

static void make2(struct foreign_bytes *bytes)
{
	struct foreign_bytes file = { .size = 0 }, inner = { .size = 0 };

	memset(bytes, 0, sizeof(*bytes));
	put_field(&file, 1, "/apex/lib64/libart.so", 21);
	put_number(&file, 2, 2);
	put_number(&file, 3, 0x12e000);
	put_symbol2(&file, 0x131a00, 52, "mterp_op_invoke_interface");
	put_symbol2(&file, 0x146540, 620, "second");
	put_varint(&file, 15 << 3 | 5); /* fields of later simpleperfs are passed over */
	put_u32(&file, 7);
	put_varint(&file, 16 << 3 | 1);
	put_u64(&file, 7);
	put_number(&inner, 1, 0x12d000);
	put_field(&file, 6, inner.data, inner.size);
	put_file2(bytes, &file);
	file.size = inner.size = 0;
	put_field(&file, 1, "/vendor/lib/modules/wlan.ko", 27);
	put_number(&file, 2, 1);
	put_number(&file, 3, 0x10);
	put_symbol2(&file, 0x110, 8, "init_module");
	put_number(&inner, 1, 0x3000);
	put_field(&file, 7, inner.data, inner.size);
	put_file2(bytes, &file);
}

static void protocol_buffers(void **state)
{
	const struct recorded_file *files[FILES_MOST];
	struct session session;
	struct foreign_bytes bytes;
	struct diag diag;

	(void)state;
	make2(&bytes);
	which = PERF_FEATURE_FILE2;
	assert_int_equal(read_files(&session, &diag, &bytes, bytes.size, files), 2);
	assert_int_equal(said, 0);
	assert_string_equal(files[0]->path, "/apex/lib64/libart.so");
	assert_int_equal(files[0]->type, RECORDED_ELF);
	assert_int_equal(files[0]->symbol_count, 2);
	assert_string_equal(symbol_of(files[0], 1)->name, "second");
	assert_int_equal(symbol_of(files[0], 1)->length, 620);
	assert_int_equal(symbol_of(files[0], 0)->start, 0x131a00);
	assert_int_equal(files[0]->min_addr, 0x12e000);
	assert_int_equal(files[0]->min_offset, 0x12d000);
	assert_int_equal(symbol_of(files[1], 0)->start, 0x110);
	assert_int_equal(files[1]->min_addr, 0x10);
	assert_int_equal(files[1]->min_offset, 0x3000);
	end(&session, &diag);
	for (size_t size = 1; size < bytes.size; size++) {
		size_t count = read_files(&session, &diag, &bytes, size, files);

		assert_true(count < 2);
		assert_true(said <= 1);
		end(&session, &diag);
	}
	for (size_t i = 0; i < bytes.size; i++) {
		bytes.data[i] ^= 0xff;
		assert_true(read_files(&session, &diag, &bytes, bytes.size, files) <= 2);
		assert_true(said <= 1);
		end(&session, &diag);
		bytes.data[i] ^= 0xff;
	}
	which = PERF_FEATURE_FILE;
}

static void absurd_counts(void **state)
{
	const struct recorded_file *files[FILES_MOST];
	struct session session;
	struct foreign_bytes bytes;
	struct diag diag;
	size_t start;

	(void)state;
	memset(&bytes, 0, sizeof(bytes));
	start = begin_file(&bytes, "/a", 2, 0, UINT32_MAX);
	put_symbol(&bytes, 1, 2, "x");
	end_file(&bytes, start);
	assert_int_equal(read_files(&session, &diag, &bytes, bytes.size, files), 0);
	assert_int_equal(said, 1);
	end(&session, &diag);
}

/* A record as simpleperf writes it: the texts fill up to 8 bytes. */
static void begin_record(struct foreign_bytes *bytes, uint32_t type)
{
	memset(bytes, 0, sizeof(*bytes));
	put_u32(bytes, type);
	put_u32(bytes, 0);
}

static void take_record(struct session *session, struct foreign_bytes *bytes)
{
	struct err err = { 0 };
	uint8_t *copy;

	while (bytes->size % 8)
		put_text(bytes, "");
	copy = exact_copy(bytes->data, bytes->size);
	assert_true(session_record(session, copy, bytes->size, 0x100, &err));
	free(copy);
}

static void take_file(struct session *session, uint64_t type, uint64_t id, uint64_t min_addr, const char *path)
{
	struct foreign_bytes bytes;

	begin_record(&bytes, SIMPLEPERF_RECORD_DSO);
	put_u64(&bytes, type);
	put_u64(&bytes, id);
	put_u64(&bytes, min_addr);
	put_text(&bytes, path);
	take_record(session, &bytes);
}

static void take_symbol(struct session *session, uint64_t start, uint64_t length, uint64_t id, const char *name)
{
	struct foreign_bytes bytes;

	begin_record(&bytes, SIMPLEPERF_RECORD_SYMBOL);
	put_u64(&bytes, start);
	put_u64(&bytes, length);
	put_u64(&bytes, id);
	put_text(&bytes, name);
	take_record(session, &bytes);
}

static void begin_session(struct session *session, struct diag *diag)
{
	said = 0;
	diag_init(diag, note, NULL);
	session_init(session, diag);
}

/* Records of 2015 and 2016: symbols refer to files by their ids, whichever comes first. */
static void records_of_files(void **state)
{
	const struct recorded_file *files[FILES_MOST];
	struct session session;
	struct diag diag;

	(void)state;
	begin_session(&session, &diag);
	take_symbol(&session, 0x401000, 32, 7, "main");
	take_file(&session, RECORDED_KERNEL, 3, 0, "[kernel.kallsyms]");
	take_file(&session, RECORDED_ELF, 7, 0x400000, "/data/t2");
	take_file(&session, RECORDED_ELF, 7, 0, "/of/the/same/id");
	take_symbol(&session, 0xffffff8088e9de00, 64, 3, "schedule");
	take_symbol(&session, 0x402000, UINT64_MAX, 7, "long");
	take_symbol(&session, 1, 1, 99, "of_no_file");
	assert_int_equal(said, 0);
	assert_int_equal(list_files(&session, files), 3);
	assert_string_equal(files[0]->path, "[kernel.kallsyms]");
	assert_int_equal(files[0]->symbol_count, 1);
	assert_string_equal(symbol_of(files[0], 0)->name, "schedule");
	assert_string_equal(files[1]->path, "/data/t2");
	assert_int_equal(files[1]->type, RECORDED_ELF);
	assert_true(files[1]->min_addr == 0x400000 && !files[1]->has_min_offset);
	assert_int_equal(files[1]->symbol_count, 2);
	assert_true(symbol_of(files[1], 0)->start == 0x401000 && symbol_of(files[1], 0)->length == 32);
	assert_string_equal(symbol_of(files[1], 0)->name, "main");
	assert_true(symbol_of(files[1], 1)->length == UINT32_MAX);
	assert_int_equal(files[2]->symbol_count, 0);
	/* header.csv and the names of functions ask for them */
	assert_int_equal(list_files(&session, files), 3);
	assert_int_equal(files[1]->symbol_count, 2);
	session_release(&session);
	diag_release(&diag);
}

/* The kernel's list does not fit into one record, so its parts are put together. */
static void records_in_parts(void **state)
{
	static const char list[] = "ffffffff81000000 T _stext\nffffffff81000100 T schedule\n";
	struct foreign_bytes whole, part;
	struct session session;
	struct diag diag;

	(void)state;
	begin_session(&session, &diag);
	begin_record(&whole, SIMPLEPERF_RECORD_KERNEL_SYMBOL);
	put_u32(&whole, sizeof(list) - 1);
	put_text(&whole, list);
	for (size_t at = 0; at < whole.size; at += 16) {
		begin_record(&part, SIMPLEPERF_RECORD_SPLIT);
		for (size_t i = at; i < at + 16 && i < whole.size; i++)
			part.data[part.size++] = whole.data[i];
		take_record(&session, &part);
	}
	assert_true(!session.stored_names.kernel_list);
	begin_record(&part, SIMPLEPERF_RECORD_SPLIT_END);
	take_record(&session, &part);
	assert_int_equal(said, 0);
	assert_int_equal(session.stored_names.kernel_list_size, sizeof(list) - 1);
	assert_string_equal(session.stored_names.kernel_list, list);
	session_release(&session);
	diag_release(&diag);
}

/* Records that are cut anywhere, and ends without parts, are warnings. */
static void broken_records(void **state)
{
	struct foreign_bytes bytes;
	struct session session;
	struct diag diag;

	(void)state;
	for (uint32_t type = SIMPLEPERF_RECORD_KERNEL_SYMBOL; type <= SIMPLEPERF_RECORD_SPLIT_END; type++)
		for (size_t size = 8; size < 24; size += 4) {
			struct err err = { 0 };
			uint8_t *copy;

			begin_session(&session, &diag);
			begin_record(&bytes, type);
			put_u64(&bytes, UINT32_MAX);
			put_u64(&bytes, UINT32_MAX);
			copy = exact_copy(bytes.data, size);
			assert_true(session_record(&session, copy, size, 0, &err));
			diag_finish(&diag);
			assert_int_equal(said, type == SIMPLEPERF_RECORD_SPLIT ? 0 : 1);
			free(copy);
			session_release(&session);
			diag_release(&diag);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_and_symbols),
		cmocka_unit_test(every_cut),
		cmocka_unit_test(protocol_buffers),
		cmocka_unit_test(absurd_counts),
		cmocka_unit_test(records_of_files),
		cmocka_unit_test(records_in_parts),
		cmocka_unit_test(broken_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
