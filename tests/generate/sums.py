"""
What a database must have after it has loaded tables: for each column of each table how many cells are not empty, and
the sum of its numbers, of their lengths if they are texts.

    sums.py query duckdb|clickhouse FOLDER [PARTITION]    a SELECT that gives these rows
    sums.py rows FOLDER [PARTITION]                       the same from the CSV files: table|column|cells|sum

FOLDER has tables, or with a PARTITION (recording) folders recording=ID of tables. Types are those of `readperf
--schema`, on standard input; columns that it does not have are texts.
"""
import csv
import glob
import gzip
import io
import os
import subprocess
import sys

csv.field_size_limit(1 << 30)


def read(path):
    if path.endswith(".zst"):
        text = subprocess.run(["zstdcat", path], check=True, capture_output=True).stdout
    else:
        text = (gzip.open if path.endswith(".gz") else open)(path, "rb").read()
    return list(csv.DictReader(io.StringIO(text.decode("utf-8"), newline="")))


def tables_of(folder, partition):
    """{table: rows}, each row with a value for the partition, and the columns of the table."""
    found = {}
    for path in sorted(glob.glob(f"{folder}/{partition}=*/*.csv*" if partition else f"{folder}/*.csv")):
        rows = found.setdefault(os.path.basename(path).split(".")[0], [])
        for row in read(path):
            if partition:
                row[partition] = os.path.basename(os.path.dirname(path)).split("=", 1)[1]
            rows.append(row)
    for path in glob.glob(f"{folder}/recordings.csv*") if partition else []:
        found["recordings"] = read(path)
    return {name: rows for name, rows in found.items() if rows}


def columns_of(rows):
    columns = {}
    for row in rows:
        columns.update(dict.fromkeys(row))
    return list(columns)


def sum_of(cells, kind):
    if kind == "integer":
        return sum(map(int, cells))
    if kind == "decimal":
        return round(sum(map(float, cells)) * 100)
    return sum(map(len, cells))


def expression(engine, column, kind):
    quoted = f"`{column}`" if engine == "clickhouse" else f'"{column}"'
    if kind == "integer":
        wide = f"toInt128({quoted})" if engine == "clickhouse" else quoted
        total = f"coalesce(sum({wide}), 0)"
    elif kind == "decimal":
        total = f"cast(round(coalesce(sum({quoted}), 0) * 100) as BIGINT)"
    else:
        total = f"coalesce(sum(char_length({quoted})), 0)"
    text = f"toString({total})" if engine == "clickhouse" else f"cast({total} as varchar)"
    return f"count({quoted}), {text}"


def main():
    what, arguments = sys.argv[1], sys.argv[2:]
    engine = arguments.pop(0) if what == "query" else None
    folder, partition = arguments[0], arguments[1] if len(arguments) > 1 else None
    kinds = {(row["file"][:-4], row["column"]): row["type"] for row in csv.DictReader(sys.stdin)}
    selects = []
    for table, rows in sorted(tables_of(folder, partition).items()):
        for column in columns_of(rows):
            of = "trace-SYSTEM-NAME" if table.startswith("trace-") else table
            kind = kinds.get((of, column)) or kinds.get(("groups", column), "text")
            if engine:
                name = f"`{table}`" if engine == "clickhouse" else f'"{table}"'
                selects.append(f"select '{table}', '{column}', {expression(engine, column, kind)} from {name}")
            else:
                cells = [row[column] for row in rows if row.get(column)]
                print(table, column, len(cells), sum_of(cells, kind), sep="|")
    if engine:
        print("\nunion all ".join(selects))


main()
