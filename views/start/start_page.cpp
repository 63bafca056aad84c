// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start/start_page.h"

#include "views/models/text/one_line.h"
#include "views/models/text/plain_tip.h"
#include "views/page/surfaces.h"

#include <QAction>
#include <QCommandLinkButton>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPixmap>
#include <QPushButton>
#include <QVBoxLayout>

namespace lathe::views::start {
namespace {

struct Sample {
    const char *file, *name, *about;
};
constexpr Sample samples[] = {
    {"small_cnn.onnx", QT_TR_NOOP("A small CNN"),
     QT_TR_NOOP("Residual blocks for images of 64 × 64: convolutions that fuse, Winograd, layouts in blocks.")},
    {"small_transformer.onnx", QT_TR_NOOP("A small transformer"),
     QT_TR_NOOP("Two layers of attention over a sequence of any length: sizes that stay open.")},
};

struct Picture {
    const char *file, *caption;
};
constexpr Picture pictures[] = {
    {"passes.png", QT_TR_NOOP("See what every pass did, down to the instruction.")},
    {"overview.png", QT_TR_NOOP("Learn where the time goes, and what to do next.")},
    {"tuning.png", QT_TR_NOOP("Tune it, and take it along as a bundle.")},
};
constexpr int pictureWidth = 250;

/// Texts as people wrote them, also with "&", which would be a mnemonic.
QCommandLinkButton* link(const QString& title, const QString& description) {
    auto button = new QCommandLinkButton(QString(title).replace('&', QStringLiteral("&&")), description);
    button->setIcon({}); // the style's arrow is of no theme
    button->setAccessibleName(title);
    button->setAccessibleDescription(description);
    return button;
}

QVBoxLayout* section(const QString& title) {
    auto layout = new QVBoxLayout;
    layout->setSpacing(room / 3);
    layout->addWidget(heading(title));
    return layout;
}

} // namespace

StartPage::StartPage(const QList<QAction*>& open, const QString& shared)
    : noRecent_(plain(tr("What you open is listed here."))), recent_(nullptr) {
    auto about =
        plain(tr("A workbench for making trained models fast: see what the compiler does to a model, tune it, and "
                 "export it as a bundle that runs without Lathe."));
    about->setWordWrap(true);
    auto buttons = new QHBoxLayout;
    for (QAction* action : open) {
        auto button = new QPushButton(action->text());
        button->setToolTip(action->shortcut().toString(QKeySequence::NativeText));
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        buttons->addWidget(button);
    }
    buttons->addStretch(1);
    auto formats =
        plain(tr("Opens ONNX, TFLite, Keras, TensorFlow (SavedModel, GraphDef), PyTorch (.pt2 and TorchScript), "
                 "and projects of Lathe (.lathe). Drop a file here, too."));
    formats->setWordWrap(true);
    formats->setForegroundRole(QPalette::PlaceholderText);
    auto left = new QVBoxLayout;
    left->setSpacing(room);
    left->addWidget(sized(plain(tr("Lathe")), 2.4, true));
    left->addWidget(about);
    left->addLayout(buttons);
    left->addWidget(formats);
    left->addSpacing(room);
    left->addLayout(makeSamples(shared + QStringLiteral("/samples")));
    left->addStretch(1);
    QVBoxLayout* right = section(tr("Recent"));
    right->addWidget(noRecent_);
    auto recent = new QVBoxLayout;
    recent->setSpacing(0);
    recent_ = recent;
    right->addLayout(recent);
    right->addStretch(1);
    auto columns = new QHBoxLayout;
    columns->setSpacing(room * 4);
    columns->addLayout(left, 1);
    columns->addLayout(right, 1);
    auto content = new QWidget;
    auto layout = new QVBoxLayout(content);
    layout->setContentsMargins(room * 4, room * 3, room * 4, room * 2);
    layout->setSpacing(room * 2);
    layout->addLayout(columns);
    layout->addLayout(makePictures(shared + QStringLiteral("/guide/images")));
    layout->addStretch(1);
    fill(*this, content);
}

QLayout* StartPage::makeSamples(const QString& folder) {
    QVBoxLayout* layout = section(tr("Try a sample"));
    for (const Sample& sample : samples) {
        const QString path = QDir(folder).filePath(QString::fromLatin1(sample.file));
        if (!QFileInfo::exists(path))
            continue;
        auto button = link(tr(sample.name), tr(sample.about));
        button->setObjectName(QString::fromLatin1(sample.file));
        connect(button, &QAbstractButton::clicked, this, [this, path] { emit fileWanted(path); });
        layout->addWidget(button);
    }
    if (layout->count() == 1) // the heading
        empty(*layout);
    return layout;
}

QLayout* StartPage::makePictures(const QString& folder) {
    auto layout = new QHBoxLayout;
    layout->setSpacing(room * 2);
    for (const Picture& picture : pictures) {
        QPixmap pixmap(QDir(folder).filePath(QString::fromLatin1(picture.file)));
        if (pixmap.isNull())
            continue;
        const qreal ratio = devicePixelRatioF();
        pixmap = pixmap.scaledToWidth(int(pictureWidth * ratio), Qt::SmoothTransformation);
        pixmap.setDevicePixelRatio(ratio);
        auto image = new QLabel;
        image->setPixmap(pixmap);
        image->setFrameShape(QFrame::StyledPanel);
        auto caption = plain(tr(picture.caption));
        caption->setWordWrap(true);
        caption->setFixedWidth(pictureWidth);
        image->setAccessibleName(caption->text());
        auto column = new QVBoxLayout;
        column->addWidget(image);
        column->addWidget(caption);
        column->addStretch(1);
        layout->addLayout(column);
    }
    layout->addStretch(1);
    return layout;
}

void StartPage::setRecent(const QList<models::RecentFile>& files) {
    empty(*recent_);
    noRecent_->setVisible(files.isEmpty());
    const QDateTime now = QDateTime::currentDateTime();
    for (const models::RecentFile& file : files) {
        const QFileInfo info(file.path);
        const QString name = QStringLiteral("%1/%2").arg(info.dir().dirName(), info.fileName()),
                      facts = factsOf(file, now);
        const QString kind = file.isProject() ? tr("Project") : tr("Model");
        auto button = link(models::oneLine(name, models::longestNameInText),
                           facts.isEmpty() ? kind : QStringLiteral("%1 · %2").arg(kind, facts));
        button->setToolTip(models::plainTip(file.path));
        connect(button, &QAbstractButton::clicked, this, [this, path = file.path] { emit fileWanted(path); });
        recent_->addWidget(button);
    }
}

} // namespace lathe::views::start
