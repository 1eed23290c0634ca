"""Compares a workbook with the CSV tables of the same run: check.py FILE.xlsx FOLDER; prints what differs."""
import csv
import os
import sys

import openpyxl

TIMES = {("overview", "time"), ("samples", "time"), ("groups", "time"), ("processes", "fork"), ("processes", "exit")}
EXACT = 10**15


def first_sample(folder):
    with open(os.path.join(folder, "overview.csv"), newline="", encoding="utf-8") as file:
        times = [int(row["time"]) for row in csv.DictReader(file) if row["type"] == "SAMPLE"]
    return min(times)


def differs(table, column, cell, text, start):
    if text == "":
        return cell.value is not None
    if column == "percent":
        return cell.number_format != "0.00%" or abs(cell.value * 100 - float(text)) > 0.00006
    if (table, column) in TIMES:
        return abs(cell.value - (int(text) - start) / 1e9) > 1e-9
    if text.lstrip("-").isdigit() and table not in ("about",) and column not in ("build_id", "value", "mode"):
        if abs(int(text)) >= EXACT:
            return cell.value != text
        return cell.value != int(text) and str(cell.value) != text
    return str(cell.value) != text


def check(book, folder):
    start = first_sample(folder)
    names = book.sheetnames
    if names[0] != "Summary" or len(book["Summary"]._charts) < 2:
        yield "no summary with charts first: " + str(names)
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f" or cell.hyperlink:
                    yield f"{sheet.title}!{cell.coordinate} is a formula or a link: {cell.value}"
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".csv")):
        table = name[: -len(".csv")]
        with open(os.path.join(folder, name), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        if table not in names:
            yield "no sheet " + table
            continue
        sheet = book[table]
        if sheet.freeze_panes != "A2" or not sheet.auto_filter.ref:
            yield table + ": the header is not frozen, or has no filter"
        if sheet.print_title_rows != "$1:$1" or sheet.page_setup.orientation != "landscape" or not sheet.sheet_properties.pageSetUpPr.fitToPage:
            yield table + ": pages without header, upright, or of a part of the width"
        cells = list(sheet.iter_rows())
        if len(cells) != len(rows) + 1:
            yield f"{table}: {len(cells) - 1} rows, expected {len(rows)}"
            continue
        header = [cell.value for cell in cells[0]]
        for place, head in enumerate(cells[0]):
            numbers = {row[place].data_type for row in cells[1:] if row[place].value is not None} == {"n"}
            if numbers and head.alignment.horizontal != "right":
                yield f"{table}: {head.value} is not above its numbers"
        if rows and sorted(header) != sorted(rows[0]):
            yield f"{table}: columns {header}"
            continue
        for number, row in enumerate(rows):
            for place, column in enumerate(header):
                if differs(table, column, cells[number + 1][place], row[column], start):
                    yield f"{table}: {cells[number + 1][place].coordinate} is {cells[number + 1][place].value!r}, expected {row[column]!r}"
    if names.index("results") > names.index("overview"):
        yield "results come behind overview"


found = list(check(openpyxl.load_workbook(sys.argv[1]), sys.argv[2]))
print("; ".join(found[:3]))
