#!/usr/bin/env python3
"""Checks the threads of a workbook: book.py FILE.xlsx FOLDER-OF-TABLES. Prints what is wrong."""
import csv
import re
import sys
import zipfile

STATES = 'on_cpu wait sleeping blocked stopped unknown'.split()
book = zipfile.ZipFile(sys.argv[1])
texts = [''.join(re.findall(r'<t[^>]*>([^<]*)</t>', item))
         for item in re.findall(r'<si>.*?</si>', book.read('xl/sharedStrings.xml').decode())] \
    if 'xl/sharedStrings.xml' in book.namelist() else []
charts = [book.read(name).decode() for name in book.namelist() if re.match(r'xl/charts/chart\d+.xml', name)]
stacked = [chart for chart in charts if '<c:grouping val="stacked"/>' in chart]
if len(stacked) != 1:
    sys.exit('%d charts with stacked bars' % len(stacked))
if [name for name in re.findall(r'<c:tx><c:v>(\w+)</c:v>', stacked[0])] != STATES:
    print('the parts of the bars are not the states;', end=' ')
first, last = map(int, re.search(r'Summary!\$A\$(\d+):\$A\$(\d+)', stacked[0]).groups())
sheet = book.read('xl/worksheets/sheet1.xml').decode()
with open(sys.argv[2] + '/threads.csv', encoding='utf-8', newline='') as file:
    rows = list(csv.DictReader(file))
rows = [row for row in rows if int(row['on_cpu']) + int(row['wait'])]
rows.sort(key=lambda row: -int(row['on_cpu']) - int(row['wait']))
if last - first + 1 != min(len(rows), 15):
    print('%d bars for %d threads;' % (last - first + 1, len(rows)), end=' ')
for number, row in zip(range(first, last + 1), rows):
    cells = re.search(r'<row r="%d".*?</row>' % number, sheet).group()
    name = re.search(r'<c r="A%d".*?</c>' % number, cells).group()
    shown = re.search(r'<v>(\d+)</v>', name)
    name = texts[int(shown[1])] if shown else re.search(r'<t[^>]*>([^<]*)</t>', name)[1]
    values = [float(re.search(r'<c r="%s%d"[^>]*><v>([^<]*)</v>' % (letter, number), cells)[1]) for letter in 'BCDEFG']
    if name != '%s %s' % (row['thread'], row['tid']) or \
            any(abs(value - int(row[state]) / 1e6) > 1e-9 for value, state in zip(values, STATES)):
        print('%s %s, expected %s;' % (name, values, [row[key] for key in ['thread', 'tid'] + STATES]), end=' ')
widths = {}  # by column, in characters
for low, high, width in re.findall(r'<col min="(\d+)" max="(\d+)" width="([\d.]+)"', sheet):
    widths.update((column, float(width)) for column in range(int(low), int(high) + 1))
for column, state in enumerate(STATES, 2):  # a number that does not fit is shown as ###
    needed = max([len(state)] + [len('%.3f ms' % (int(row[state]) / 1e6)) for row in rows[:15]])
    if widths.get(column, 8.43) < needed + 1:
        print('%s is %s wide, its cells need %d;' % (state, widths.get(column, 8.43), needed), end=' ')
