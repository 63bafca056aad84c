// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a bundle is packed: the ending of its path says it, and nothing else does.
#pragma once

#include <QString>
#include <QStringList>

namespace lathe::views::models {

/// Endings, as deploy/archive.h knows them; the first is none: a folder.
QStringList packings();
/// Of the bundle that is written there: one of packings().
QString packingOf(const QString& out);
/// The path with another ending; no path: none.
QString withPacking(const QString& out, const QString& packing);

} // namespace lathe::views::models
