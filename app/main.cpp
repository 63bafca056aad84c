// SPDX-License-Identifier: GPL-3.0-or-later
//
// lathe-workbench [MODEL…]. With --picture FILE the window does what the other options say, is saved as a picture, and the
// program ends: that is how the documentation's pictures are made.
#include "app/main_window.h"
#include "base/version.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/model_page.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QTimer>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

using lathe::app::MainWindow;
using lathe::app::Theme;

/// Opens, compiles and runs as far as the page needs it, then saves the window.
void takePicture(MainWindow& window, const QString& file, const QString& page, const QString& node) {
    window.connect(&window, &MainWindow::settled, &window, [&window, file, page, node, step = 0]() mutable {
        if (step == 0 && page != "model") {
            step = 1;
            return window.compile();
        }
        if (step == 1 && page == "profile" && window.isCompiled()) {
            step = 2;
            return window.run();
        }
        if (step == 3)
            return;
        step = 3;
        window.showPage(page);
        if (!node.isEmpty())
            window.modelPage()->revealNode(node.toInt());
        QTimer::singleShot(700, &window, [&window, file] {
            const bool saved = window.grab().save(file);
            QApplication::exit(saved ? 0 : 1);
        });
    });
}

} // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QApplication::setOrganizationName("Lathe");
    QApplication::setApplicationName("lathe-workbench");
    QApplication::setApplicationDisplayName("Lathe");
    const auto version = lathe::base::version();
    QApplication::setApplicationVersion(QString::fromUtf8(version.data(), qsizetype(version.size())));

    QCommandLineParser parser;
    parser.setApplicationDescription("A workbench for making trained models fast.");
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument("models", "The models to open, each in a window of its own.", "[MODEL…]");
    const QCommandLineOption picture("picture", "Save a picture of the window and end.", "FILE");
    const QCommandLineOption page("page", "The page for --picture: model, passes, fusion, loops, profile.", "PAGE",
                                  "model");
    const QCommandLineOption node("node", "The node to select for --picture, by number.", "NUMBER");
    const QCommandLineOption theme("theme", "light or dark instead of the system's.", "THEME");
    const QCommandLineOption size("size", "Size of the window, as WIDTHxHEIGHT.", "SIZE");
    parser.addOptions({picture, page, node, theme, size});
    parser.process(application);

    const QStringList models = parser.positionalArguments();
    std::vector<std::unique_ptr<MainWindow>> windows;
    for (qsizetype i = 0; i < std::max<qsizetype>(1, models.size()); ++i) {
        MainWindow& window = *windows.emplace_back(std::make_unique<MainWindow>());
        if (parser.isSet(theme))
            window.theme().choose(parser.value(theme) == "dark" ? Theme::Choice::Dark : Theme::Choice::Light);
        if (const QStringList parts = parser.value(size).split('x'); parts.size() == 2)
            window.resize(parts[0].toInt(), parts[1].toInt());
        if (parser.isSet(picture))
            takePicture(window, parser.value(picture), parser.value(page), parser.value(node));
        window.show();
        if (i < models.size())
            window.open(models[i]);
    }
    const int code = QApplication::exec();
    bool ended = true;
    for (const auto& window : windows)
        ended &= window->finish(std::chrono::milliseconds(500) / windows.size());
    windows.clear();
    // A thread that did not listen still uses what the end of main would tear down under it.
    if (!ended)
        std::_Exit(code);
    return code;
}
