"""Prints texts that Python's csv writes, each with the rows that it reads from them, as JSON."""
import csv
import io
import json
import random

random = random.Random(27)
cases = []
for number in range(60):
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
                        lineterminator=random.choice(["\n", "\r\n"]))
    for _ in range(random.randrange(1, 3 * (number + 1))):
        writer.writerow("".join(random.choices('ab ,"\nä', k=random.randrange(12))) for _ in range(random.randrange(1, 6)))
    text = text.getvalue()
    if number % 5 == 0:
        text = text.removesuffix("\n").removesuffix("\r")
    cases.append({"text": text, "rows": list(csv.reader(io.StringIO(text, newline=""), strict=True))})
print(json.dumps(cases))
