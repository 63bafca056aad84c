// SPDX-License-Identifier: GPL-3.0-or-later
//
// lathe-workbench [MODEL…]. With --picture FILE the window takes the steps that --do names, is saved as a picture, and the
// program ends: that is how the documentation's pictures are made.
#include "app/main_window.h"
#include "app/picture.h"
#include "base/standard_streams.h"
#include "base/version.h"
#include "views/models/shown_path.h"

#include <QApplication>
#include <QCommandLineParser>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

using lathe::app::MainWindow;
using lathe::app::Theme;

namespace {

constexpr int largestSide = 16384; // pixels that a picture can have

std::optional<QSize> sizeOf(const QString& text) {
    const QStringList parts = text.split('x');
    if (parts.size() != 2)
        return std::nullopt;
    const QSize size(parts[0].toInt(), parts[1].toInt());
    const bool fits =
        size.width() >= 1 && size.height() >= 1 && size.width() <= largestSide && size.height() <= largestSide;
    return fits ? std::optional(size) : std::nullopt;
}

/// The exit code of a malformed argument.
int refused(const QString& why) {
    std::fprintf(stderr, "lathe-workbench: %s\n", qPrintable(why));
    return 2;
}

/// A system that has no configuration of fonts would show boxes for letters: it gets that of the installation, if there is
/// one.
void takeOwnFonts() {
    std::error_code ignored;
    const std::filesystem::path own =
        std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "../share/fonts/fonts.conf";
    if (!std::filesystem::exists("/etc/fonts/fonts.conf", ignored) && std::filesystem::exists(own, ignored) &&
        !qEnvironmentVariableIsSet("FONTCONFIG_FILE"))
        qputenv("FONTCONFIG_FILE", QByteArray::fromStdString(own.string()));
}

} // namespace

int main(int argc, char** argv) {
    lathe::reserveStandardStreams();
    takeOwnFonts();
    // What only prints needs no display, and Qt would abort without one.
    const auto prints = [](std::string_view word) {
        return word == "-h" || word == "--help" || word == "--help-all" || word == "-v" || word == "--version";
    };
    if (std::ranges::any_of(std::span(argv, static_cast<size_t>(argc)).subspan(std::min(argc, 1)), prints))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QApplication::setOrganizationName("Lathe");
    QApplication::setApplicationName("lathe-workbench");
    QApplication::setApplicationDisplayName("Lathe");
    QGuiApplication::setDesktopFileName("io.lathe.Workbench");
    const auto version = lathe::base::version();
    QApplication::setApplicationVersion(QString::fromUtf8(version.data(), qsizetype(version.size())));

    QCommandLineParser parser;
    parser.setApplicationDescription("A workbench for making trained models fast.");
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument("models", "The models to open, each in a window of its own.", "[MODEL…]");
    const QCommandLineOption picture("picture", "Save a picture of the window and end.", "FILE");
    const QCommandLineOption steps(
        "do",
        "Before --picture, any number of times, each when the one before is done: the id of an "
        "action (model.compile, view.loops), node:NUMBER, pick:TEXT or type:TEXT.",
        "STEP");
    const QCommandLineOption theme("theme", "light or dark instead of the system's.", "THEME");
    const QCommandLineOption size("size", "Size of the window, as WIDTHxHEIGHT.", "SIZE");
    const QCommandLineOption compare("compare", "Show what is different in the opened model and this one.", "MODEL");
    const QList<QCommandLineOption> options{picture, steps, theme, size, compare};
    parser.addOptions(options);
    if (!parser.parse(QApplication::arguments()))
        return refused(parser.errorText());
    if (parser.isSet("help") || parser.isSet("help-all"))
        parser.showHelp();
    if (parser.isSet("version"))
        parser.showVersion();
    for (const QCommandLineOption& option : options)
        if (parser.values(option).contains(QString()))
            return refused(QStringLiteral("--%1: its value is empty").arg(option.names().constFirst()));
    if (parser.positionalArguments().contains(QString()))
        return refused(QStringLiteral("the name of a model is empty"));
    if (const QString problem = lathe::views::models::problemOfName(parser.value(picture)); !problem.isEmpty())
        return refused(problem);
    const auto room = sizeOf(parser.value(size));
    if (parser.isSet(size) && !room)
        return refused(QStringLiteral("--size takes WIDTHxHEIGHT, each from 1 to %1").arg(largestSide));
    if (parser.isSet(theme) && parser.value(theme) != "dark" && parser.value(theme) != "light")
        return refused(QStringLiteral("--theme takes light or dark"));

    const QStringList models = parser.positionalArguments();
    std::vector<std::unique_ptr<MainWindow>> windows;
    for (qsizetype i = 0; i < std::max<qsizetype>(1, models.size()); ++i) {
        MainWindow& window = *windows.emplace_back(std::make_unique<MainWindow>());
        if (parser.isSet(theme))
            window.theme().choose(parser.value(theme) == "dark" ? Theme::Choice::Dark : Theme::Choice::Light);
        if (room)
            window.resize(*room);
        if (parser.isSet(picture))
            new lathe::app::Picture(window, parser.values(steps), parser.value(picture)); // the window's
        if (parser.isSet(compare))                                                        // once the model is open
            QObject::connect(
                &window, &MainWindow::settled, &window,
                [&window, with = parser.value(compare)] { window.compareWith(with); }, Qt::SingleShotConnection);
        window.show();
        if (i < models.size())
            window.open(models[i]);
        else if (!parser.isSet(picture))
            window.openLast();
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
