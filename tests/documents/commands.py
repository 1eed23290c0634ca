"""Runs the commands of documents in a scratch folder; see run.

A block of code is indented by four spaces, or between fences. With lines that begin with "$ " these are its
commands, and what follows each is its output; else, if its first line begins with the name of a program, all its
lines are commands. Commands of one document run in their order, in one folder that has the samples, a ./program and
readperf on its PATH, as a reader's would. Each must end with status 0, and print what is shown, if something is.
"""
import glob, os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.realpath(os.path.join(HERE, "..", ".."))
PROGRAMS = ("readperf", "perf", "./readperf", "mkdir", "cd", "for", "apt-get", "go", "soffice", "sqlite3")

# Commands that are not run here, and why; a verdict names them.
NOT_HERE = [
    (r"apt-get", "installs packages"),
    (r"perf-PID|node |--perf-prof", "needs node"),
]
# What a command needs beside readperf: a word of it, and the program that must be there.
NEEDS = ["jq", "sqlite3", "duckdb", "clickhouse", "soffice", "go", "pandas", "bzip2"]
# The same where the command does not name the program.
NEEDS_BEHIND = {".tar.bz2": "bzip2"}
# Libraries that a command needs.
LIBRARIES = [(r"--workbook", "libxlsxwriter"), (r"pprof", "zlib"), (r"--compress=gzip", "zlib"), (r"--compress=zstd", "libzstd")]
# What must be done before a command because the text around it assumes it.
BEFORE = [
    (r"--generate=\w+ (-t \S+ (\.\./\S+ )?)?\|", "test -f results.csv || test ! -f tables/results.csv || cd tables"),
    (r"^(cut|head -n 3|grep) .*tables/", "readperf -q -t results,callers,calltree,folded -o tables calls.data"),
    (r"^go tool pprof", "readperf -q -t pprof -o tables calls.data"),
    (r"^(sqlite3 :memory|python3)", "readperf -q --symfs samples/root -o tables samples/one-event.data"),
    (r"^awk", "readperf -q --symfs samples/root -o tables samples/processes.data"),
    (r"--vmlinux vmlinux", "cp readperf vmlinux"),
]
# Output that depends on the machine, or on a recording that is not among the samples: the command runs, and its
# output has the same first word and as many lines at most.
OTHER_DATA = [r"--base=", r"calls\.data", r"callers\.csv", r"calltree\.csv", r"folded\.txt", r"stat\.data"]
# Commands whose rules may be met, which is exit status 4.
RULES = r"--fail-on"


def blocks(text):
    """The blocks of code of a Markdown text, each a list of lines without their indent."""
    found, fence, block = [], False, []
    before_blank = True
    for line in text.split("\n") + [""]:
        if line.startswith("```"):
            if fence:
                found.append(block)
                block = []
            fence = not fence
        elif fence:
            block.append(line)
        elif line.startswith("    ") and (block or before_blank):
            block.append(line[4:])
        elif block and line.strip():
            found.append(block)
            block = []
        elif block:
            block.append("")
        before_blank = not line.strip() or bool(block)
    return [b for b in found + ([block] if block else []) if any(b)]


def man_blocks(text):
    """The examples of a man page: what stands between .EX and .EE."""
    found = re.findall(r"^\.EX\n(.*?)^\.EE$", text, re.M | re.S)
    return [[line.strip().replace("\\-", "-").replace("\\e", "\\").replace("\\&", "") for line in b.strip("\n").split("\n")]
            for b in found]


def commands(block):
    """(command, its shown output or None) of a block; nothing for a block that is not of commands."""
    block = [line.rstrip() for line in block]
    if any(line.startswith("$ ") for line in block):
        found = []
        for line in block:
            if line.startswith("$ "):
                found.append([line[2:], []])
            elif found and not found[-1][1] and open_quote(found[-1][0]):
                found[-1][0] += "\n" + line
            elif found:
                found[-1][1].append(line)
        return [(c, "\n".join(o).strip("\n") or None) for c, o in found]
    if block[0].split(" ")[0] not in PROGRAMS:
        return []
    found = []
    for line in block:
        if found and (found[-1].endswith("\\") or open_quote(found[-1]) or is_loop(found[-1])):
            found[-1] += "\n" + line
        elif line and line.split(" ")[0] in PROGRAMS:
            found.append(line)
        elif line and not line.startswith("# "):
            break  # what follows is output, or an extract of a file
    return [(c, None) for c in found]


def open_quote(text):
    return subprocess.run(["sh", "-nc", text], stderr=subprocess.DEVNULL).returncode != 0 and \
        (text.count('"') % 2 == 1 or text.count("'") % 2 == 1)


def is_loop(text):
    return text.startswith("for ") and "done" not in text


def missing(command):
    """Which tool of the command is not here, or None."""
    for tool in NEEDS:
        if not re.search(r"(^|[\s|;(])%s\b" % tool, command):
            continue
        if tool == "pandas":
            if subprocess.run([sys.executable, "-c", "import pandas"], stderr=subprocess.DEVNULL).returncode:
                return tool
        elif not shutil.which(tool):
            return tool
    for word, tool in NEEDS_BEHIND.items():
        if word in command and not shutil.which(tool):
            return tool
    return None


class Folder:
    """The scratch folder of one document."""

    def __init__(self, readperf):
        self.top = tempfile.mkdtemp()
        self.readperf = readperf
        bin = os.path.join(self.top, "bin-of-the-test")
        os.mkdir(bin)
        os.symlink(readperf, os.path.join(bin, "readperf"))
        os.symlink(readperf, os.path.join(self.top, "readperf"))
        self.path = bin + ":" + os.environ["PATH"]
        samples = os.path.join(TOP, "samples")
        os.symlink(samples, os.path.join(self.top, "samples"))
        os.symlink(os.path.join(samples, "root/tmp/readperf-samples/bin"), os.path.join(self.top, "bin"))
        for program in ("program", "benchmark"):
            with open(os.path.join(self.top, program), "w") as f:
                f.write("#!/bin/sh\nexec %s/root/tmp/readperf-samples/bin/primes 20\n" % samples)
            os.chmod(os.path.join(self.top, program), 0o755)
        self.cwd = self.top
        one = os.path.join(samples, "one-event.data")
        os.makedirs(os.path.join(self.top, "recordings"))
        for name in ("one-event", "processes"):
            shutil.copy(os.path.join(samples, name + ".data"), os.path.join(self.top, "recordings"))
        for side in ("base", "old", "new"):
            os.mkdir(os.path.join(self.top, side))
            for i in range(1, 4):
                shutil.copy(one, os.path.join(self.top, side, "%d.data" % i))
        for i in range(1, 4):
            shutil.copy(one, os.path.join(self.top, "new-%d.data" % i))
            shutil.copy(one, os.path.join(self.top, "old-%d.data" % i))
        shutil.copy(one, os.path.join(self.top, "perf.data"))
        shutil.copy(os.path.join(samples, "stacks-dwarf.data"), os.path.join(self.top, "calls.data"))
        shutil.copy(os.path.join(samples, "stacks.kallsyms"), os.path.join(self.top, "kallsyms.txt"))
        for folder in ("baseline/1", "tables-of-main/1", "main/recording=1", "new/1", *(f"versions/v{i}" for i in range(1, 7))):
            subprocess.run([readperf, "-q", "-t", "results,events,header", "-o", os.path.join(self.top, folder), one],
                           stderr=subprocess.DEVNULL)

    def run(self, command):
        """(status, output and messages)"""
        script = "cd %s || exit 99\n%s\nstatus=$?\npwd >%s\nexit $status\n" % (
            quote(self.cwd), command, quote(os.path.join(self.top, "pwd-of-the-test")))
        done = subprocess.run(["sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120,
                              env=dict(os.environ, PATH=self.path, HOME=self.top, LC_ALL="C.UTF-8",
                                       GITHUB_STEP_SUMMARY=os.path.join(self.top, "summary.md")))
        with open(os.path.join(self.top, "pwd-of-the-test")) as f:
            self.cwd = f.read().strip()
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def matches(found, shown, exact):
    found = found.strip("\n").split("\n")
    shown = shown.split("\n")
    found = [line.rstrip() for line in found]
    if exact:
        # a "..." stands for lines that are left out
        at = 0
        skipping = False
        for line in shown:
            if line.strip() == "...":
                skipping = True
                continue
            while skipping and at < len(found) and found[at] != line:
                at += 1
            if at >= len(found) or found[at] != line:
                return "expected %r, found %r" % (line, found[at] if at < len(found) else "the end")
            at, skipping = at + 1, False
        return "" if skipping or at == len(found) else "expected the end, found %r" % found[at]
    return "" if found and found[0].split(" ")[0] == shown[0].split(" ")[0] or shown[0].count(",") == \
        found[0].count(",") else "expected something like %r, found %r" % (shown[0], found[0])


class Verdicts:
    failed = False

    def say(self, name, why):
        if why:
            self.failed = True
        print("FAIL documents/%s: %s" % (name, " ".join(why.split())[:400]) if why else "ok documents/" + name, flush=True)

    def skip(self, name, why):
        print("skip documents/%s: %s" % (name, why), flush=True)


def run_document(name, found, readperf, verdicts, may_record):
    folder = Folder(readperf)
    try:
        for number, (command, shown) in enumerate(found, 1):
            label = "%s/%d (%s)" % (name, number, " ".join(command.split())[:50])
            why_not = next((why for pattern, why in NOT_HERE if re.search(pattern, command)), None)
            tool = missing(command)
            if why_not or tool:
                verdicts.skip(label, why_not or "no " + tool)
                continue
            if re.match(r"perf\b", command) and not may_record:
                verdicts.skip(label, "perf may not record here")
                continue
            library = next((l for pattern, l in LIBRARIES if re.search(pattern, command)), None)
            if library and not has_library(readperf, library):
                verdicts.skip(label, "a build without " + library)
                continue
            where = folder.cwd
            before = [b for pattern, b in BEFORE if re.search(pattern, command)]
            try:
                for each in before:
                    folder.run(each)
                status, out, messages = folder.run(command)
                if before:
                    folder.cwd = where
            except subprocess.TimeoutExpired:
                verdicts.say(label, "no end within 120 s")
                continue
            if "the recording holds no samples" in messages:
                verdicts.skip(label, "perf records no samples of that event here")
                continue
            if status == 1 and "the selection leaves no sample" in messages:
                verdicts.say(label, "")
                continue
            if status not in ((0, 4) if re.search(RULES, command) else (0,)):
                verdicts.say(label, "status %d: %s" % (status, messages))
                continue
            exact = not any(re.search(p, command) for p in OTHER_DATA)
            everything = messages + out if shown and shown.startswith("readperf:") else out
            verdicts.say(label, matches(everything, shown, exact) if shown else "")
    finally:
        shutil.rmtree(folder.top)


def has_library(readperf, library):
    text = subprocess.run([readperf, "--version"], stdout=subprocess.PIPE).stdout.decode()
    return re.search(r"^with: .*\b%s\b" % library, text, re.MULTILINE) is not None


def check_links(documents, verdicts):
    """Relative links lead to files; those of the installed README.md are installed beside it."""
    for path in documents:
        with open(os.path.join(TOP, path), encoding="utf-8") as f:
            links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", f.read())
        folder = os.path.dirname(os.path.join(TOP, path))
        dead = [link for link in links if not os.path.exists(os.path.join(folder, link))]
        verdicts.say(path + "/links", "dead: " + ", ".join(dead) if dead else "")
        if path == "README.md" and shutil.which("make"):
            done = subprocess.run(["make", "-n", "-C", TOP, "install", "DESTDIR=/nowhere"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL).stdout.decode()
            missed = [link for link in links if not re.search(r"(^|\s)%s(\s|;|$)" % re.escape(link), done)]
            verdicts.say("install/links", "not installed: " + ", ".join(missed) if missed else "")


def check_packages(verdicts):
    """The Debian package is built with every library that README.md names."""
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as f:
        named = re.findall(r"\blib[a-z0-9+-]+-dev\b", next(line for line in f if "apt-get" in line and "readperf" in line))
    with open(os.path.join(TOP, "debian/control"), encoding="utf-8") as f:
        wanted = re.search(r"^Build-Depends:(.*?)^\S", f.read(), re.M | re.S).group(1)
    missed = [p for p in named + ["zlib1g-dev"] if p != "libc6-dev" and not re.search(r"\b%s\b" % re.escape(p), wanted)]
    verdicts.say("debian/control", "" if named and not missed else "not built with: " + ", ".join(missed))


def main():
    readperf, word = os.path.realpath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    verdicts = Verdicts()
    with tempfile.TemporaryDirectory() as scratch:
        may_record = shutil.which("perf") is not None and subprocess.run(
            ["perf", "record", "-q", "-o", os.path.join(scratch, "probe.data"), "-e", "cpu-clock", "true"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    documents = ["README.md"] + sorted(os.path.relpath(p, TOP) for p in glob.glob(TOP + "/*/README.md")
                                       + glob.glob(TOP + "/decode/*/README.md"))
    if not word:
        check_links(documents, verdicts)
        check_packages(verdicts)
    for path in documents:
        if word in path and not path.startswith("tests"):
            with open(os.path.join(TOP, path), encoding="utf-8") as f:
                found = [c for b in blocks(f.read()) for c in commands(b)]
            if found:
                run_document(path, found, readperf, verdicts, may_record)
    if word in "man page":
        text = subprocess.run([readperf, "--generate=man"], stdout=subprocess.PIPE).stdout.decode()
        found = [c for b in man_blocks(text) for c in commands(b)]
        verdicts.say("man page/examples", "" if len(found) > 5 else "only %d commands" % len(found))
        run_document("man page", found, readperf, verdicts, may_record)
    sys.exit(1 if verdicts.failed else 0)


main()
