#include "decode/code/code.h"

#include "decode/code/codefile.h"
#include "decode/code/objdumpparse.h"
#include "decode/files/elf.h"
#include "util/helper.h"
#include "util/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Limits: objdump decodes 2 to 10 MB of code in a second, and prints less than 100 bytes for an
 * instruction.
 */
enum { SILENCE_MS = 5000, TIME_MS = 15000, TIME_MS_PER_MB = 2000, RUNS_MOST = 24 };
#define OUTPUT_LEAST ((uint64_t)1 << 20)
#define OUTPUT_PER_BYTE 200
#define MEMORY_MOST ((uint64_t)1 << 30)

/* The prefix of the cross tools of a machine, as Debian and others name them. */
static const struct {
	uint16_t machine;
	bool wide, big_endian;
	const char *program;
} cross_tools[] = {
	{ EM_X86_64, true, false, "x86_64-linux-gnu-objdump" },
	{ EM_386, false, false, "i686-linux-gnu-objdump" },
	{ EM_AARCH64, true, false, "aarch64-linux-gnu-objdump" },
	{ EM_ARM, false, false, "arm-linux-gnueabihf-objdump" },
	{ EM_ARM, false, true, "arm-linux-gnueabihf-objdump" },
	{ EM_RISCV, true, false, "riscv64-linux-gnu-objdump" },
	{ EM_S390, true, true, "s390x-linux-gnu-objdump" },
	{ EM_PPC64, true, false, "powerpc64le-linux-gnu-objdump" },
	{ EM_PPC64, true, true, "powerpc64-linux-gnu-objdump" },
	{ EM_LOONGARCH, true, false, "loongarch64-linux-gnu-objdump" },
};

/* What is being done. */
struct disassembly {
	struct code_function *functions;
	size_t count;
	const struct code_machine *machine;
	struct strings *strings;
	struct diag *diag;
	struct err *err;
	int time_left;      /* ms */
	bool tried;         /* a program was started that does not know the machine */
	const char *failed; /* the program that does not, or that cannot be started; NULL: none */
	struct helper_result failure;
};

void code_function_release(struct code_function *function)
{
	free(function->instructions);
	function->instructions = NULL;
	function->count = function->capacity = 0;
}

static const char *cross_tool(const struct code_machine *machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(cross_tools); i++)
		if (cross_tools[i].machine == machine->machine &&
		    cross_tools[i].wide == machine->wide &&
		    cross_tools[i].big_endian == machine->big_endian)
			return cross_tools[i].program;
	return NULL;
}

/*
 * llvm-objdump knows of the extensions of these machines only by attributes of the binary, which
 * its small copy does not have, and takes their instructions for unknown ones.
 */
static const char *extensions_of(const char *program, const struct code_machine *machine)
{
	if (!strstr(path_base(program), "llvm-objdump"))
		return NULL;
	if (machine->machine == EM_ARM)
		return "--mattr=+v8,+neon,+vfp4,+crc,+crypto,+fullfp16,+dotprod";
	return machine->machine == EM_RISCV ? "--mattr=+m,+a,+f,+d,+c" : NULL;
}

static bool take_output(void *context, const char *data, size_t size, struct err *err)
{
	struct objdump_parser *parser = context;

	return objdump_feed(parser, data, size, err) && !parser->unable;
}

/* Runs the program on functions [parser->first, parser->count). False only with err set. */
static bool run_once(struct disassembly *work, const char *program, struct objdump_parser *parser,
                     struct helper_result *result)
{
	const char *const extensions = extensions_of(program, work->machine);
	const char *const arguments[] = { program,     "-d",       "-w", "--no-show-raw-insn",
		                          HELPER_FILE, extensions, NULL };
	struct helper helper = { .arguments = arguments,
		                 .memory_most = MEMORY_MOST,
		                 .silence_most = SILENCE_MS,
		                 .time_most = work->time_left,
		                 .output_most = OUTPUT_LEAST,
		                 .take = take_output,
		                 .context = parser };
	bool ok;

	parser->begun = parser->first;
	parser->current = NULL;
	parser->length = 0;
	for (size_t i = parser->first; i < parser->count; i++) {
		code_function_release(&work->functions[i]);
		helper.output_most += work->functions[i].size * OUTPUT_PER_BYTE;
	}
	helper.file = code_file_make(work->functions, parser->first, parser->count, work->machine,
	                             work->err);
	if (helper.file < 0)
		return false;
	ok = helper_run(&helper, result, work->err);
	close(helper.file);
	work->time_left -= result->time;
	return ok;
}

static bool any_instruction(const struct disassembly *work)
{
	for (size_t i = 0; i < work->count; i++)
		if (work->functions[i].count)
			return true;
	return false;
}

/*
 * After a run that failed, chooses the functions of the next one: the function that was printed
 * last alone, because what was printed of that is not whole, or those behind it if it was alone.
 * Returns how many are given up.
 */
static size_t narrow_run(struct disassembly *work, struct objdump_parser *parser)
{
	if (parser->begun > parser->first)
		parser->first = parser->begun - 1;
	if (parser->count > parser->first + 1) {
		parser->count = parser->first + 1;
		return 0;
	}
	code_function_release(&work->functions[parser->first++]);
	parser->count = work->count;
	return 1;
}

/* Runs the program on all functions, more than once if it fails. *knows: it knows the machine. */
static bool run_program(struct disassembly *work, const char *program, bool *knows)
{
	struct objdump_parser parser = { .functions = work->functions,
		                         .count = work->count,
		                         .strings = work->strings,
		                         .machine = work->machine->machine };
	struct helper_result result, failure = { .end = HELPER_SUCCESS };
	char text[HELPER_TEXT_SIZE];
	size_t lost = 0, runs = 0;

	*knows = true;
	while (parser.first < work->count && runs++ < RUNS_MOST && work->time_left > 0) {
		if (!run_once(work, program, &parser, &result))
			return false;
		if (parser.unable || result.end == HELPER_MISSING) {
			*knows = false;
			work->tried |= parser.unable;
			work->failed = program;
			work->failure = result;
			return true;
		}
		if (result.end == HELPER_SUCCESS) {
			parser.first = parser.count;
			parser.count = work->count;
			continue;
		}
		failure = result;
		lost += narrow_run(work, &parser);
	}
	lost += work->count - parser.first;
	for (size_t i = parser.first; i < work->count; i++)
		code_function_release(&work->functions[i]);
	if (lost)
		diag_warn(work->diag, ERR_NO_OFFSET, "%s %s: functions without instructions: %zu",
		          program, helper_end_text(&failure, text), lost);
	else if (!any_instruction(work))
		diag_warn(work->diag, ERR_NO_OFFSET, "%s printed no instructions", program);
	return true;
}

/* " (aarch64)", or "": not known. */
static const char *machine_name(const struct code_machine *machine, char text[HELPER_TEXT_SIZE])
{
	const char *program = cross_tool(machine);

	text[0] = '\0';
	if (program)
		snprintf(text, HELPER_TEXT_SIZE, " (%.*s)", (int)strcspn(program, "-"), program);
	return text;
}

/* What is said if no program knows the machine. */
static void warn_unable(const struct disassembly *work, const struct code_options *options)
{
	char text[HELPER_TEXT_SIZE];

	if (options->program)
		diag_warn(work->diag, ERR_NO_OFFSET, "--objdump=%s: %s: there are no instructions",
		          options->program,
		          work->failure.end == HELPER_MISSING
		                  ? helper_end_text(&work->failure, text)
		                  : "it does not know the machine of the code");
	else if (!work->tried)
		diag_warn(
			work->diag, ERR_NO_OFFSET,
			"there is no objdump here, so code of ELF machine %u has no instructions: install binutils, for code of other machines binutils-multiarch or llvm, or use --objdump=PROGRAM",
			(unsigned)work->machine->machine);
	else
		diag_warn(
			work->diag, ERR_NO_OFFSET,
			"no objdump here knows ELF machine %u%s, so its code has no instructions: install binutils-multiarch, binutils for that machine, or llvm, or use --objdump=PROGRAM",
			(unsigned)work->machine->machine, machine_name(work->machine, text));
}

bool code_disassemble(struct code_function *functions, size_t count,
                      const struct code_machine *machine, const struct code_options *options,
                      struct strings *strings, struct diag *diag, struct err *err)
{
	const char *const programs[] = { "objdump", cross_tool(machine), "llvm-objdump" };
	struct disassembly work = { .functions = functions,
		                    .count = count,
		                    .machine = machine,
		                    .strings = strings,
		                    .diag = diag,
		                    .err = err };
	uint64_t size = 0;
	bool knows = false;

	for (size_t i = 0; i < count; i++)
		size += functions[i].size;
	work.time_left = TIME_MS + (int)(u64_min(size, CODE_RUN_MOST) >> 20) * TIME_MS_PER_MB;
	if (!count)
		return true;
	if (options->program && !run_program(&work, options->program, &knows))
		return false;
	for (size_t i = 0; !options->program && !knows && i < ARRAY_SIZE(programs); i++)
		if (programs[i] && !run_program(&work, programs[i], &knows))
			return false;
	if (!knows)
		warn_unable(&work, options);
	return true;
}
