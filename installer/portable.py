#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""portable.py BUILD ARCHIVE: the installed programs with all libraries they need, as one .tar.zst that runs where none
of these is installed.

What the system has to have: a C library as new as this machine's, graphics drivers, fonts' configuration. What is bundled:
the closure of the programs and of Qt's plugins, dot with its plugins, a font.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from portable_tree import add_libraries, install, patch, run

COMPONENTS = ("cli", "workbench", "runtime", "images", "runtime-dev", "runtimes", "python")
PLUGINS = ("platforms/libqxcb.so", "platforms/libqoffscreen.so", "platforms/libqminimal.so", "platforms/libqwayland*.so",
           "imageformats/libqsvg.so", "imageformats/libqjpeg.so", "iconengines/libqsvgicon.so", "xcbglintegrations/*.so",
           "platforminputcontexts/*.so", "wayland-shell-integration/*.so")


def add_qt(root):
    plugins = Path(run("qtpaths6", "--query", "QT_INSTALL_PLUGINS").strip())
    for pattern in PLUGINS:
        for plugin in plugins.glob(pattern):
            target = root / "lib/qt6/plugins" / plugin.relative_to(plugins)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(plugin, target)
    (root / "bin/qt.conf").write_text("[Paths]\nPrefix = ..\nPlugins = lib/qt6/plugins\n")


def add_dot(root):
    """Graphviz reads which plugins it has from a file beside them, and looks for them where GVBINDIR says."""
    folder = Path("/usr/lib") / run("gcc", "-print-multiarch").strip() / "graphviz"
    target = root / "lib/graphviz"
    target.mkdir()
    for name in ("libgvplugin_core.so.6", "libgvplugin_dot_layout.so.6"):
        shutil.copy2((folder / name).resolve(), target / name)
    shutil.copy2(shutil.which("dot"), root / "lib/graphviz/dot")
    patch(root / "lib/graphviz/dot", "$ORIGIN/..")
    starter = root / "bin/dot"
    starter.write_text('#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\n'
                       'GVBINDIR=$here/../lib/graphviz exec "$here/../lib/graphviz/dot" "$@"\n')
    starter.chmod(0o755)


def add_fonts(root):
    """For systems that have no configuration of fonts at all: lathe-workbench takes these then."""
    fonts = root / "share/fonts/dejavu"
    fonts.mkdir(parents=True)
    for font in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"):
        shutil.copy2(Path("/usr/share/fonts/truetype/dejavu") / font, fonts / font)
    (root / "share/fonts/fonts.conf").write_text("""<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">dejavu</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
</fontconfig>
""")


def main():
    build, archive = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / archive.name.removesuffix(".tar.zst")
        install(build, COMPONENTS, root)
        add_qt(root)
        add_dot(root)
        add_libraries(root)
        dot = str(root / "lib/graphviz/dot")
        # What the layout engine's plugins need is known only where their folder is searched too.
        if b"not found" in subprocess.run(["ldd", dot], capture_output=True).stdout:
            sys.exit("portable: dot lacks libraries")
        subprocess.run([dot, "-c"], env={**os.environ, "GVBINDIR": str(root / "lib/graphviz")}, check=True)
        for program in ("lathe", "lathe-runner", "lathe-workbench"):
            patch(root / "bin" / program, "$ORIGIN/../lib")
        add_fonts(root)
        entries = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"]
        run("tar", "-C", place, *entries, "-I", "zstd -10 -T0", "-cf", archive, root.name)


main()
