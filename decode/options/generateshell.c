/* The man page and completions for shells, made from option_list and the list of tables. */
#include "decode/options/generate.h"

#include "decode/options/optionlist.h"
#include "decode/tables/version.h"
#include "util/text.h"

/* Prints text in roff: hyphens stay hyphens, and no line starts a request. */
static void print_roff(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			fputc(*text, out);
	}
}

static void print_man_option(FILE *out, const struct option_entry *entry)
{
	char text[2 * OPTION_TEXT_SIZE];

	option_help(entry, text);
	fputs(".TP\n", out);
	if (entry->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", entry->letter);
	fputs("\\fB\\-\\-", out);
	print_roff(out, entry->name);
	fputs("\\fR", out);
	if (entry->argument)
		fprintf(out, "=\\fI%s\\fR", entry->argument);
	fputc('\n', out);
	print_roff(out, text);
	fputc('\n', out);
}

static void print_man_columns(FILE *out, const struct table_format *format)
{
	for (size_t k = 0; k < format->column_count; k++) {
		fputs(".TP\n\\fB", out);
		print_roff(out, format->columns[k].name);
		fputs("\\fR\n", out);
		print_roff(out, format->columns[k].meaning);
		if (format->columns[k].unit[0])
			fprintf(out, " (%s)", format->columns[k].unit);
		fputc('\n', out);
	}
}

static void print_man_tables(FILE *out)
{
	struct group_format groups;

	fputs(".SH TABLES\n"
	      "UTF\\-8, a header row, RFC 4180 quotes where a field needs them; an empty field is unknown or "
	      "does not apply. Columns are only ever appended.\n",
	      out);
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		const struct table_format *format = tables[i]->format;

		if (tables[i]->file) {
			fprintf(out, ".SS %s\n", tables[i]->file);
			print_roff(out, tables[i]->content);
			fputc('\n', out);
			continue;
		}
		fprintf(out, ".SS %s.csv\n",
		        tables[i]->several ? tables[i]->several : format->name);
		print_man_columns(out, format);
	}
	fputs(".SS groups.csv\n"
	      "Of \\fB\\-\\-by\\fR: the keys that were asked for, in their order, and the last four columns.\n",
	      out);
	group_format_of_all(&groups);
	print_man_columns(out, &groups.format);
}

/* tests/documents runs these commands as they are */
struct example {
	const char *purpose;
	const char *commands[2];
};

static const struct example examples[] = {
	{ "What a program costs:",
	  { "perf record -o perf.data ./program", "readperf -o tables perf.data" } },
	{ "The same without a file between them:",
	  { "perf record -o - ./program | readperf -o tables -" } },
	{ "Who calls what, and a flame graph for a browser:",
	  { "perf record --call-graph dwarf -o calls.data ./program",
	    "readperf -t results,callers,flame -o tables calls.data" } },
	{ "Functions of each thread (groups.csv), in user mode:",
	  { "readperf --by=tid,thread,function --mode=user -o tables perf.data" } },
	{ "Did it get slower? Status 4 says so:",
	  { "readperf --base='old/*.data' --fail-on='total>5%' -o diff new/*.data" } },
	{ "Since which version is it slower?",
	  { "readperf -o trend --trend --fail-on='function>10%' versions/v[1-4]" } },
	{ "Names for another machine, which does not have the binaries:",
	  { "readperf -t symbols -o names perf.data",
	    "readperf --symbol-pack=names/symbols.csv perf.data" } },
	{ "Into a database:",
	  { "readperf -q -o tables perf.data",
	    "readperf --generate=sqlite tables | sqlite3 tables.db" } },
};

static void print_man_examples(FILE *out)
{
	fputs(".SH EXAMPLES\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		const struct example *example = &examples[i];

		fprintf(out, "%s%s\n.PP\n.EX\n", i ? ".PP\n" : "", example->purpose);
		for (size_t k = 0; k < ARRAY_SIZE(example->commands) && example->commands[k]; k++) {
			fputs("    ", out);
			print_roff(out, example->commands[k]);
			fputc('\n', out);
		}
		fputs(".EE\n", out);
	}
}

static const struct {
	const char *names, *meaning;
} variables[] = {
	{ "NO_COLOR", "no colours on a terminal" },
	{ "TMPDIR", "where temporary files go [/tmp]" },
	{ "PERF_BUILDID_DIR", "the build-id cache, without --buildid-dir" },
	{ "DEBUGINFOD_URLS, DEBUGINFOD_CACHE_PATH, DEBUGINFOD_TIMEOUT",
	  "servers, cache and patience (seconds for a file) of --debuginfod" },
	{ "GITHUB_STEP_SUMMARY", "a --summary of this name is appended to the file" },
};

static void print_man_variables(FILE *out)
{
	fputs(".SH ENVIRONMENT\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		fprintf(out, ".TP\n\\fB%s\\fR\n", variables[i].names);
		print_roff(out, variables[i].meaning);
		fputc('\n', out);
	}
}

void man_print(FILE *out)
{
	fprintf(out,
	        ".TH READPERF 1 \"\" \"readperf %s\" \"User Commands\"\n"
	        ".SH NAME\nreadperf \\- reads a perf.data recording and writes tables\n"
	        ".SH SYNOPSIS\n.B readperf\n[\\fIOPTION\\fR]... [\\fIFILE\\fR]\n"
	        ".br\n.B readperf\n[\\fIOPTION\\fR]... \\fB\\-\\-base\\fR=\\fIOLD\\fR... "
	        "\\fINEW\\fR...\n"
	        ".br\n.B readperf\n[\\fIOPTION\\fR]... \\fB\\-\\-trend\\fR \\fIVERSION\\fR...\n"
	        ".SH DESCRIPTION\n"
	        "Reads what \\fBperf record\\fR wrote (a file, a \\fBperf record \\-\\-threads\\fR directory, "
	        "or \\- for standard input; perf.data if none is named) and writes CSV tables: how many "
	        "records of each type there are, every record in order of time, the processes, and what each "
	        "function cost, with its source file and binary. On the console it prints the costliest "
	        "functions of each event. With \\fB\\-\\-base\\fR it compares recordings, or folders of tables, with "
	        "older ones, with \\fB\\-\\-trend\\fR it says since which version functions cost more.\n"
	        ".SH OPTIONS\n",
	        READPERF_VERSION);
	for (unsigned section = 0; section < SECTION_COUNT; section++) {
		fprintf(out, ".SS %s\n", option_sections[section]);
		for (size_t i = 0; i < option_count; i++)
			if (option_list[i].section == section)
				print_man_option(out, &option_list[i]);
	}
	print_man_examples(out);
	print_man_tables(out);
	print_man_variables(out);
	fputs(".SH EXIT STATUS\n"
	      ".TP\n0\nclean\n.TP\n1\nfailed, no table was written or touched\n.TP\n2\nwrong usage\n"
	      ".TP\n3\nfinished, but the recording is damaged: every complete record was used\n"
	      ".TP\n4\nfinished, and a rule of \\fB\\-\\-fail\\-on\\fR was met\n"
	      ".SH SEE ALSO\n.BR perf\\-record (1),\n.BR perf\\-report (1)\n.PP\n"
	      "README.md in share/doc/readperf, which leads to chapters about tables, names, call chains, "
	      "selection and comparisons.\n",
	      out);
}

/* What a shell offers as the value of an option. */
enum value_kind { VALUE_NONE, VALUE_TEXT, VALUE_FILE, VALUE_FOLDER, VALUE_WORDS };

static enum value_kind value_kind_of(const struct option_entry *entry)
{
	if (!entry->argument)
		return VALUE_NONE;
	if (entry->word_at)
		return VALUE_WORDS;
	if (text_starts(entry->argument, "FILE") || !strcmp(entry->argument, "PATH"))
		return VALUE_FILE;
	return !strcmp(entry->argument, "DIR") ? VALUE_FOLDER : VALUE_TEXT;
}

static void print_value_words(FILE *out, const struct option_entry *entry)
{
	const char *word;

	for (size_t i = 0; (word = entry->word_at(entry->words, i)); i++)
		fprintf(out, "%s%s", i ? " " : "", word);
}

/* "--output|-o": its names in a case. */
static void print_bash_names(FILE *out, const struct option_entry *entry, bool first)
{
	fprintf(out, "%s--%s", first ? "\t" : "|", entry->name);
	if (entry->letter)
		fprintf(out, "|-%c", entry->letter);
}

/* The case of all options with a value of that kind. */
static void print_bash_case(FILE *out, enum value_kind kind, const char *answer)
{
	bool first = true;

	for (size_t i = 0; i < option_count; i++) {
		if (value_kind_of(&option_list[i]) != kind)
			continue;
		print_bash_names(out, &option_list[i], first);
		first = false;
	}
	if (!first)
		fprintf(out, ") %s; return ;;\n", answer);
}

/* The cases of options with words, each with its own. */
static void print_bash_words(FILE *out)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_entry *entry = &option_list[i];

		if (value_kind_of(entry) != VALUE_WORDS)
			continue;
		print_bash_names(out, entry, true);
		fputs(")\n", out);
		if (entry->list)
			fputs("\t\tcase $word in *,*) head=\"${word%,*},\" ;; esac\n", out);
		fputs("\t\tCOMPREPLY=($(compgen -P \"$head\" -W '", out);
		print_value_words(out, entry);
		fputs("' -- \"${word##*,}\")); return ;;\n", out);
	}
}

void bash_print(FILE *out)
{
	fputs("# Completion of readperf for bash.\n"
	      "_readperf()\n{\n"
	      "\tlocal word=\"${COMP_WORDS[COMP_CWORD]}\" at=$((COMP_CWORD - 1)) head=\n"
	      "\t# --option=value is three words: the option, = and the value; --by=NAME=KEY is five\n"
	      "\twhile [ $at -gt 1 ] && [[ ${COMP_WORDS[at]} != -* ]] &&\n"
	      "\t\t[ \"${COMP_WORDS[at]}\" = = -o \"${COMP_WORDS[at + 1]}\" = = ]; do at=$((at - 1)); done\n"
	      "\tif [ \"$word\" = = ]; then word=; fi\n"
	      "\tCOMPREPLY=()\n\tcase ${COMP_WORDS[at]} in\n",
	      out);
	print_bash_case(out, VALUE_FILE, "mapfile -t COMPREPLY < <(compgen -f -- \"$word\")");
	print_bash_case(out, VALUE_FOLDER, "mapfile -t COMPREPLY < <(compgen -d -- \"$word\")");
	print_bash_case(out, VALUE_TEXT, ":");
	print_bash_words(out);
	fputs("\tesac\n\tcase $word in\n\t-*) COMPREPLY=($(compgen -W '", out);
	for (size_t i = 0; i < option_count; i++)
		fprintf(out, "%s--%s%s", i ? " " : "", option_list[i].name,
		        option_list[i].argument ? "=" : "");
	fputs("' -- \"$word\"))\n"
	      "\t\tcase ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac ;;\n"
	      "\t*) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n\tesac\n}\n"
	      "complete -o filenames -F _readperf readperf\n",
	      out);
}

/*
 * Prints the help of an option, without a list behind it, in quotes for zsh or fish; [ ] : have a
 * meaning in zsh's specifications.
 */
static void print_quoted(FILE *out, const char *text, bool zsh)
{
	for (; *text && strcmp(text, ":") != 0; text++) {
		if (*text == '\'')
			fputs(zsh ? "'\\''" : "\\'", out);
		else if (zsh && strchr("[]:\\", *text))
			fprintf(out, "\\%c", *text);
		else if (*text == '\\')
			fputs("\\\\", out);
		else
			fputc(*text, out);
	}
}

void zsh_print(FILE *out)
{
	static const char *const actions[] = { [VALUE_NONE] = "",
		                               [VALUE_TEXT] = " ",
		                               [VALUE_FILE] = "_files",
		                               [VALUE_FOLDER] = "_files -/" };

	fputs("#compdef readperf\n_arguments -s -S \\\n", out);
	for (size_t i = 0; i < option_count; i++) {
		const struct option_entry *entry = &option_list[i];
		enum value_kind kind = value_kind_of(entry);

		if (entry->letter)
			fprintf(out, "\t'(-%c --%s)'{-%c%s,--%s%s}'[", entry->letter, entry->name,
			        entry->letter, entry->argument ? "+" : "", entry->name,
			        entry->argument ? "=" : "");
		else
			fprintf(out, "\t'--%s%s[", entry->name, entry->argument ? "=" : "");
		print_quoted(out, entry->help, true);
		fputs("]", out);
		if (kind == VALUE_WORDS) {
			fprintf(out, ":%s:", entry->argument);
			fputs(entry->list ? "{compset -P \"*=\"; _values -s , word " : "(", out);
			print_value_words(out, entry);
			fputs(entry->list ? "}" : ")", out);
		} else if (kind != VALUE_NONE) {
			fprintf(out, ":%s:%s", entry->argument, actions[kind]);
		}
		fputs("' \\\n", out);
	}
	fputs("\t'*:recording:_files'\n", out);
}

void fish_print(FILE *out)
{
	fputs("# Completion of readperf for fish.\n", out);
	for (size_t i = 0; i < option_count; i++) {
		const struct option_entry *entry = &option_list[i];
		enum value_kind kind = value_kind_of(entry);

		fprintf(out, "complete -c readperf -l %s", entry->name);
		if (entry->letter)
			fprintf(out, " -s %c", entry->letter);
		if (kind == VALUE_FILE)
			fputs(" -r -F", out);
		else if (kind == VALUE_FOLDER)
			fputs(" -x -a '(__fish_complete_directories)'", out);
		else if (kind == VALUE_WORDS) {
			fputs(entry->list ? " -x -a '(__fish_append , " : " -x -a '", out);
			print_value_words(out, entry);
			fputs(entry->list ? ")'" : "'", out);
		} else if (kind == VALUE_TEXT)
			fputs(" -x", out);
		fputs(" -d '", out);
		print_quoted(out, entry->help, false);
		fputs("'\n", out);
	}
}
