"""Reads overview.csv and overview-2.csv as a spreadsheet would: check.py DIR RECORDS [late]. Prints what is wrong."""
import csv
import os
import sys

ROWS = 1048576
ROUND = 262144
FIRST_TIME = 999999999000000
COLUMNS = "nr,type,pid,tid,time,info,address,size,offset,period,cpu,event".split(",")
# What a cell says of the names that the recording has, in their order: a formula is text, behind an apostrophe.
NAMES = ["'=1+1", "'+2", "'-3", "'@4", "a=b", 'say "hi", you', "\u00fc", "\\xff", "two\\x0alines"]


def number(cell):
    """A number of more than 15 digits is text, or the sheet would round it."""
    if cell.startswith("'"):
        assert len(cell) > 16, cell
        return int(cell[1:])
    assert len(cell) <= 15, cell
    return int(cell)


def rows_of(path):
    with open(path, "rb") as file:
        mark = file.read(3)
        assert mark == b"\xef\xbb\xbf", f"{path} starts with {mark}"
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file, strict=True))
    assert rows[0] == COLUMNS, f"{path}: {rows[0]}"
    assert all(len(row) == len(COLUMNS) for row in rows), f"{path}: a row of another width"
    assert len(rows) <= ROWS, f"{path}: {len(rows)} rows"
    return rows


def check(directory, records, late):
    names = sorted(name for name in os.listdir(directory) if name.startswith("overview"))
    parts = -(-records // (ROWS - 1))
    assert names == ["overview-2.csv", "overview.csv"][2 - parts:], names
    rows = rows_of(os.path.join(directory, "overview.csv"))[1:]
    if parts == 2:
        assert len(rows) == ROWS - 1, f"overview.csv: {len(rows)} rows"
        rows += rows_of(os.path.join(directory, "overview-2.csv"))[1:]
    assert len(rows) == records, f"{len(rows)} rows"
    if late:  # what comes without a time, when the first sheet is full, stays where it came
        last = rows.pop()
        assert last == [str(records + (records - 2) // ROUND), "COMM", "8", "8", "", "late"] + 6 * [""], last
    for n, row in enumerate(rows):  # record 0 holds the attr
        assert number(row[0]) == 1 + n + (n // ROUND if late else 0), row
        assert number(row[4]) == FIRST_TIME + n, row
    assert [row[5] for row in rows[:len(NAMES)]] == NAMES, rows[:len(NAMES)]
    assert rows[len(NAMES)][5:9] == ["/bin/a,b", "0xffffffff81000000", "4096", "'18446744071578845184"], rows[len(NAMES)]
    assert {row[1] for row in rows[len(NAMES) + 1:]} == {"SWITCH"}


try:
    check(sys.argv[1], int(sys.argv[2]), len(sys.argv) > 3)
except AssertionError as wrong:
    print(str(wrong)[:300])
