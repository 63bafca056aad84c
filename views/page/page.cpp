// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/page/page.h"

namespace lathe::views {

Page::Page(const QString& id, const QString& title) : id_(id), title_(title) {}

} // namespace lathe::views
