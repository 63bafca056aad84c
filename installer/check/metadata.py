#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a desktop and a software centre are told of the workbench (resources/desktop) is valid and agrees with the rest: the
newest release is the project's version, pictures are those of the guide, file types are declared.

metadata.py: ends with 77 (skipped) where appstreamcli or desktop-file-validate is not installed.
"""
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = ROOT / "resources" / "desktop" / "io.lathe.Workbench"
METAINFO, DESKTOP, MIME = (Path(f"{NAME}.{ending}") for ending in ("metainfo.xml", "desktop", "xml"))
VALIDATORS = (("appstreamcli", "validate", "--strict", "--no-net", METAINFO), ("desktop-file-validate", DESKTOP))


def problems_of_validators():
    for command in VALIDATORS:
        done = subprocess.run(command, capture_output=True, text=True)
        told = (done.stdout + done.stderr).strip()
        # desktop-file-validate has no strict mode: it ends well with a warning or a hint.
        if done.returncode or (told and command[0] == "desktop-file-validate"):
            yield f"{command[0]}:\n{told}"


def problems_of_contents():
    metainfo = xml.parse(METAINFO).getroot()
    version = re.search(r"project\(Lathe VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    newest = metainfo.find("releases/release").get("version")
    if newest != version:
        yield f"{METAINFO.name}: the newest release is {newest}, the project's version {version}"
    for image in metainfo.iterfind("screenshots/screenshot/image"):
        path = re.sub(r"https://[^/]*/", "", image.text)
        if not (ROOT / path).exists():
            yield f"{METAINFO.name}: {path} is not there"
    desktop = dict(line.split("=", 1) for line in DESKTOP.read_text().splitlines() if "=" in line)
    declared = {each.get("type") for each in xml.parse(MIME).getroot()}
    told = {each.text for each in metainfo.iterfind("provides/mediatype")}
    opened = set(desktop["MimeType"].strip(";").split(";"))
    if not declared == told == opened:
        yield f"file types: {MIME.name} has {sorted(declared)}, {METAINFO.name} {sorted(told)}, {DESKTOP.name} {sorted(opened)}"
    groups = [each.text for each in metainfo.iterfind("categories/category")]
    if groups != desktop["Categories"].strip(";").split(";"):
        yield f"{METAINFO.name}: categories {groups}, in {DESKTOP.name} {desktop['Categories']}"


def main():
    missing = [command[0] for command in VALIDATORS if not shutil.which(command[0])]
    problems = [*problems_of_contents(), *([] if missing else problems_of_validators())]
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    if problems:
        sys.exit(1)
    if missing:
        print(f"not installed: {' '.join(missing)}")
        sys.exit(77)


if __name__ == "__main__":
    main()
