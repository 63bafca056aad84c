// SPDX-License-Identifier: GPL-3.0-or-later
//
// lathe-workbench [MODEL…]. With --picture FILE the window takes the steps that --do names, is saved as a picture, and the
// program ends: that is how the documentation's pictures are made.
#include "app/lane.h"
#include "app/main_window.h"
#include "app/picture.h"
#include "base/file_size_limit.h"
#include "base/standard_streams.h"
#include "base/version.h"
#include "views/models/text/shown_path.h"

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

/// What only prints needs no display, and Qt would abort without one.
bool onlyPrints(std::span<char* const> words) {
    return std::ranges::any_of(words, [](std::string_view word) {
        return word == "-h" || word == "--help" || word == "--help-all" || word == "-v" || word == "--version";
    });
}

void nameApplication() {
    QApplication::setOrganizationName("Lathe");
    QApplication::setApplicationName("lathe-workbench");
    QApplication::setApplicationDisplayName("Lathe");
    QGuiApplication::setDesktopFileName("io.lathe.Workbench");
    const auto version = lathe::base::version();
    QApplication::setApplicationVersion(QString::fromUtf8(version.data(), qsizetype(version.size())));
}

class CommandLine {
public:
    CommandLine() {
        parser_.setApplicationDescription("A workbench for making trained models fast.");
        parser_.addHelpOption();
        parser_.addVersionOption();
        parser_.addPositionalArgument("models", "The models to open, each in a window of its own.", "[MODEL…]");
        parser_.addOptions(options_);
    }

    /// What is wrong with it; nothing: it is good. Ends the program where help or the version is asked for.
    std::optional<QString> read();
    QStringList models() const { return parser_.positionalArguments(); }
    /// The i-th window of the program, with the i-th model, if there are so many.
    void open(MainWindow& window, qsizetype i) const;

private:
    const QCommandLineOption picture_{"picture", "Save a picture of the window and end.", "FILE"};
    const QCommandLineOption steps_{
        "do",
        "Before --picture, any number of times, each when the one before is done: the id of an "
        "action (model.compile, view.loops), node:NUMBER, pick:TEXT or type:TEXT.",
        "STEP"};
    const QCommandLineOption theme_{"theme", "light or dark instead of the system's.", "THEME"};
    const QCommandLineOption size_{"size", "Size of the window, as WIDTHxHEIGHT.", "SIZE"};
    const QCommandLineOption compare_{"compare", "Show what is different in the opened model and this one.", "MODEL"};
    const QList<QCommandLineOption> options_{picture_, steps_, theme_, size_, compare_};
    QCommandLineParser parser_;
};

std::optional<QString> CommandLine::read() {
    if (!parser_.parse(QApplication::arguments()))
        return parser_.errorText();
    if (parser_.isSet("help") || parser_.isSet("help-all"))
        parser_.showHelp();
    if (parser_.isSet("version"))
        parser_.showVersion();
    for (const QCommandLineOption& option : options_)
        if (parser_.values(option).contains(QString()))
            return QStringLiteral("--%1: its value is empty").arg(option.names().constFirst());
    if (models().contains(QString()))
        return QStringLiteral("the name of a model is empty");
    if (const QString problem = lathe::views::models::problemOfName(parser_.value(picture_)); !problem.isEmpty())
        return problem;
    if (parser_.isSet(size_) && !sizeOf(parser_.value(size_)))
        return QStringLiteral("--size takes WIDTHxHEIGHT, each from 1 to %1").arg(largestSide);
    if (parser_.isSet(theme_) && parser_.value(theme_) != "dark" && parser_.value(theme_) != "light")
        return QStringLiteral("--theme takes light or dark");
    return std::nullopt;
}

void CommandLine::open(MainWindow& window, qsizetype i) const {
    if (parser_.isSet(theme_))
        window.theme().choose(parser_.value(theme_) == "dark" ? Theme::Choice::Dark : Theme::Choice::Light);
    if (const auto room = sizeOf(parser_.value(size_)))
        window.resize(*room);
    if (parser_.isSet(picture_))
        new lathe::app::Picture(window, parser_.values(steps_), parser_.value(picture_)); // the window's
    if (parser_.isSet(compare_))                                                          // once the model is open
        QObject::connect(
            &window, &MainWindow::settled, &window,
            [&window, with = parser_.value(compare_)] { window.compareWith(with); }, Qt::SingleShotConnection);
    window.show();
    if (i < models().size())
        window.open(models()[i]);
    else if (!parser_.isSet(picture_))
        window.openLast();
}

} // namespace

int main(int argc, char** argv) {
    lathe::reserveStandardStreams();
    lathe::failBeyondFileSizeLimit();
    takeOwnFonts();
    if (onlyPrints(std::span(argv, static_cast<size_t>(argc)).subspan(std::min(argc, 1))))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    nameApplication();
    CommandLine line;
    if (const auto problem = line.read())
        return refused(*problem);

    std::vector<std::unique_ptr<MainWindow>> windows;
    for (qsizetype i = 0; i < std::max<qsizetype>(1, line.models().size()); ++i)
        line.open(*windows.emplace_back(std::make_unique<MainWindow>()), i);
    const int code = QApplication::exec();
    bool ended = true;
    for (const auto& window : windows)
        ended &= window->finish(lathe::app::Lane::usualPatience / windows.size());
    windows.clear();
    // A thread that did not listen still uses what the end of main would tear down under it.
    if (!ended)
        std::_Exit(code);
    return code;
}
