// SPDX-License-Identifier: Apache-2.0
//
// Builds probe_model.c into an artifact.
#pragma once

#include "artifact/artifact.h"

#include <QByteArray>
#include <QString>

namespace lathe::testing {

/// The artifact's path below `folder`; empty if the C compiler failed (its messages are then in the test's log). The
/// constants are 1, 2, 3, 4.
QString buildProbe(const QString& folder, artifact::ArtifactForm form = artifact::ArtifactForm::OneFile);
QByteArray readFile(const QString& path);
void writeFile(const QString& path, const QByteArray& bytes);

} // namespace lathe::testing
