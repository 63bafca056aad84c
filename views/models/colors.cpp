// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/colors.h"

namespace lathe::views::models {

Colors colorsFor(const QPalette& palette) {
    Colors c;
    c.dark = palette.color(QPalette::Window).lightness() < 128;
    c.text = palette.color(QPalette::Text);
    c.selection = palette.color(QPalette::Highlight);
    if (c.dark) {
        c.canvas = 0x1b1e23, c.grid = 0x23272e, c.box = 0x2a2f37, c.boxBorder = 0x454c58;
        c.dimText = 0x9aa3b0, c.arrow = 0x6d7785, c.problem = 0xff6b6b, c.good = 0x5cc98b;
        c.added = 0x1f3b2a, c.removed = 0x452428, c.changed = 0x3c3520;
        c.keyword = 0xc792ea, c.name = 0x82aaff, c.number = 0xf78c6c, c.string = 0xa5d6a0, c.comment = 0x7d8794;
        c.family = {QColor(0x7f8896), 0x5b8def, 0x3fb68b, 0xb58cf0, 0xe0a44a, 0x8a96a6, 0x4fb3c8, 0xe06c9f, 0xd9694f};
    } else {
        c.canvas = 0xf6f7f9, c.grid = 0xeceef2, c.box = 0xffffff, c.boxBorder = 0xc4cad4;
        c.dimText = 0x5d6673, c.arrow = 0x8a93a1, c.problem = 0xc62828, c.good = 0x1b7f4b;
        c.added = 0xddf4e4, c.removed = 0xfbe1e1, c.changed = 0xfdf3d0;
        c.keyword = 0x7b3fb5, c.name = 0x1f57c3, c.number = 0xb5510d, c.string = 0x2b7a3d, c.comment = 0x77808d;
        c.family = {QColor(0x727b88), 0x2f66d0, 0x1d8f66, 0x8756cf, 0xb9770e, 0x66717f, 0x13839b, 0xc03a78, 0xb84a2f};
    }
    return c;
}

} // namespace lathe::views::models
