# SPDX-License-Identifier: Apache-2.0
"""Loads the model, runs the first golden case, compares, and prints how long a run takes.

python3 main.py [THE BUNDLE'S FOLDER]; with or without NumPy.
"""
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
bundle = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent
sys.path.insert(0, str(bundle / "python"))
import lathe_model  # noqa: E402

model = lathe_model.Model(bundle)
context = model.context()
case = model.golden()[0]
context.seed(0)
wrong = case.compare(context.run(case.inputs()))
for sentence in wrong:
    print(sentence, file=sys.stderr)
if wrong:
    sys.exit(1)
times = []
for _ in range(20):
    start = time.perf_counter()
    context.run()
    times.append(time.perf_counter() - start)
print(f"{model.name}: @RIGHT@, p50 {sorted(times)[10] * 1e3:.3f} ms")
