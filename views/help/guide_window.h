// SPDX-License-Identifier: GPL-3.0-or-later
//
// The guide in a window of its own: pages of Markdown with their pictures, as they lie in the program's folder. Needs no network.
#pragma once

#include <QWidget>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace lathe::views::help {

class GuideWindow : public QWidget {
    Q_OBJECT

public:
    /// folder: where the pages are.
    GuideWindow(const QString& folder, QWidget* parent);

    /// A page, "user_guide.md", from its beginning, or from the heading that `fragment` names, "the-graph". A page that is not
    /// there says so.
    void open(const QString& page, const QString& fragment = {});
    QTextBrowser* browser() const { return browser_; }

private:
    void showContents();
    void goTo(const QString& fragment);
    void find(bool forward);

    QString folder_;
    QListWidget* contents_;
    QTextBrowser* browser_;
    QLineEdit* sought_;
};

/// As links name a heading: "Overview: what to do next" is "overview-what-to-do-next".
QString fragmentOf(const QString& heading);

} // namespace lathe::views::help
