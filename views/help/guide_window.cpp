// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/help/guide_window.h"

#include <QAction>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QVBoxLayout>

namespace lathe::views::help {
namespace {

constexpr int deepestHeading = 3;
constexpr int contentsWidth = 240, readableWidth = 760;

/// Pictures are as wide as there is room when their page is read, and no wider than they are.
class Browser : public QTextBrowser {
public:
    QVariant loadResource(int type, const QUrl& name) override {
        const QVariant resource = QTextBrowser::loadResource(type, name);
        if (type != QTextDocument::ImageResource)
            return resource;
        QImage image;
        const bool read = resource.canConvert<QByteArray>() && image.loadFromData(resource.toByteArray());
        const int room = std::min(readableWidth, viewport()->width() - 2 * int(document()->documentMargin()));
        return read && image.width() > room && room > 0 ? image.scaledToWidth(room, Qt::SmoothTransformation)
                                                        : resource;
    }
};

} // namespace

QString fragmentOf(const QString& heading) {
    QString fragment;
    for (const QChar letter : heading.toLower())
        if (letter.isLetterOrNumber() || letter == '-' || letter == '_')
            fragment += letter;
        else if (letter.isSpace())
            fragment += '-';
    return fragment;
}

GuideWindow::GuideWindow(const QString& folder, QWidget* parent)
    : QWidget(parent, Qt::Window), folder_(folder), contents_(new QListWidget), browser_(new Browser),
      sought_(new QLineEdit) {
    setWindowTitle(tr("Guide – Lathe"));
    resize(contentsWidth + readableWidth + 80, 760);
    contents_->setFrameShape(QFrame::NoFrame);
    contents_->setAccessibleName(tr("Contents"));
    contents_->setSpacing(2);
    contents_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    browser_->setFrameShape(QFrame::NoFrame);
    browser_->setOpenExternalLinks(true);
    browser_->document()->setDocumentMargin(16);
    browser_->setAccessibleName(tr("Page of the guide"));
    sought_->setPlaceholderText(tr("Find in this page"));
    sought_->setAccessibleName(sought_->placeholderText());
    sought_->setClearButtonEnabled(true);
    auto left = new QWidget;
    auto layout = new QVBoxLayout(left);
    layout->setContentsMargins(8, 8, 0, 8);
    layout->addWidget(sought_);
    layout->addWidget(contents_, 1);
    auto split = new QSplitter;
    split->addWidget(left);
    split->addWidget(browser_);
    split->setStretchFactor(1, 1);
    split->setSizes({contentsWidth, readableWidth});
    auto all = new QHBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(split);
    const auto key = [this](QKeySequence::StandardKey keys, auto what) {
        auto action = new QAction(this);
        action->setShortcuts(keys);
        connect(action, &QAction::triggered, this, what);
        addAction(action);
    };
    key(QKeySequence::Back, [this] { browser_->backward(); });
    key(QKeySequence::Forward, [this] { browser_->forward(); });
    key(QKeySequence::Find, [this] { sought_->setFocus(); });
    key(QKeySequence::FindNext, [this] { find(true); });
    key(QKeySequence::FindPrevious, [this] { find(false); });
    key(QKeySequence::Cancel, [this] { close(); });
    connect(sought_, &QLineEdit::returnPressed, this, [this] { find(true); });
    connect(contents_, &QListWidget::itemActivated, this,
            [this](const QListWidgetItem* item) { goTo(fragmentOf(item->text().trimmed())); });
    connect(contents_, &QListWidget::itemClicked, this,
            [this](const QListWidgetItem* item) { goTo(fragmentOf(item->text().trimmed())); });
    connect(browser_, &QTextBrowser::sourceChanged, this, [this](const QUrl& page) {
        showContents();
        if (page.hasFragment())
            goTo(page.fragment());
    });
}

void GuideWindow::open(const QString& page, const QString& fragment) {
    show();
    raise();
    activateWindow();
    const QString path = QDir(folder_).filePath(page);
    if (!QFileInfo::exists(path)) {
        browser_->setPlainText(tr("%1 is not there: the guide was not installed with the program.").arg(path));
        return contents_->clear();
    }
    QUrl url = QUrl::fromLocalFile(path);
    url.setFragment(fragment.isEmpty() ? QString() : fragment);
    browser_->setSource(url, QTextDocument::MarkdownResource);
}

void GuideWindow::showContents() {
    contents_->clear();
    for (QTextBlock block = browser_->document()->begin(); block.isValid(); block = block.next())
        if (const int level = block.blockFormat().headingLevel(); level > 0 && level <= deepestHeading)
            contents_->addItem(QString(2 * (level - 1), ' ') + block.text());
}

void GuideWindow::goTo(const QString& fragment) {
    for (QTextBlock block = browser_->document()->begin(); block.isValid(); block = block.next())
        if (block.blockFormat().headingLevel() > 0 && fragmentOf(block.text()) == fragment) {
            QTextCursor cursor(browser_->document());
            cursor.movePosition(QTextCursor::End); // so that the heading comes to the top
            browser_->setTextCursor(cursor);
            cursor.setPosition(block.position());
            browser_->setTextCursor(cursor);
            browser_->ensureCursorVisible();
            return;
        }
}

void GuideWindow::find(bool forward) {
    const QTextDocument::FindFlags flags = forward ? QTextDocument::FindFlags() : QTextDocument::FindBackward;
    if (sought_->text().isEmpty() || browser_->find(sought_->text(), flags))
        return;
    browser_->moveCursor(forward ? QTextCursor::Start : QTextCursor::End); // from the other end
    browser_->find(sought_->text(), flags);
}

} // namespace lathe::views::help
