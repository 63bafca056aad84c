#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""validate.py SCHEMA MANIFEST: whether a manifest is as its JSON Schema says; what the schema uses of JSON Schema is here.

Fails too for a field of the manifest that the schema does not name: it is to say all of them.
"""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None)}


def problems(schema, value, at):
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and (isinstance(value, bool) or not any(isinstance(value, TYPES[name]) for name in types)):
        yield f"{at}: {value!r} is no {' or '.join(types)}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{at}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{at}: {value!r} is not as {schema['pattern']}"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{at}: {value} is less than {schema['minimum']}"
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{at}.{name} is missing"
        for name, one in value.items():
            rule = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            if rule is None:
                yield f"{at}.{name} is not in the schema"
            else:
                yield from problems(rule, one, f"{at}.{name}")
    if isinstance(value, list):
        for i, one in enumerate(value):
            yield from problems(schema["items"], one, f"{at}[{i}]")


with open(sys.argv[1], encoding="utf-8") as schema, open(sys.argv[2], encoding="utf-8") as manifest:
    found = list(problems(json.load(schema), json.load(manifest), "$"))
print("\n".join(found) or "good")
sys.exit(bool(found))
