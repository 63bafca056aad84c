// SPDX-License-Identifier: Apache-2.0
// Needs: lathe
//
// Manual pages and completions, as groff and bash take them: every option that --help names is there.
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QRegularExpression>
#include <QTest>

namespace lathe::testing::test_command_texts {

namespace {

const QString program = QStringLiteral(LATHE_BINARY_DIR "/lathe");

/// "--option" at the beginnings of the lines of a command's --help.
QStringList optionsOf(const QStringList& command) {
    const QString help = QString::fromStdString(runProgram(program, command + QStringList{"--help"}).out);
    QStringList options;
    static const QRegularExpression line("^ +(?:-\\w,)?(--[a-z-]+)", QRegularExpression::MultilineOption);
    for (auto match = line.globalMatch(help); match.hasNext();)
        options << match.next().captured(1);
    return options;
}

} // namespace

class TestCommandTexts : public QObject {
    Q_OBJECT

    /// What bash would complete the last word to.
    QStringList completed(const QStringList& words) {
        QStringList quoted;
        for (const QString& word : words)
            quoted << '\'' + word + '\'';
        const QString script =
            QStringLiteral("source <(\"$0\" --completion bash); COMP_WORDS=(%1); COMP_CWORD=%2; _lathe; "
                           "printf '%s\\n' \"${COMPREPLY[@]}\"")
                .arg(quoted.join(' '))
                .arg(words.size() - 1);
        const Outcome outcome = runProgram("/bin/bash", {"-c", script, program});
        return QString::fromStdString(outcome.out).split('\n', Qt::SkipEmptyParts);
    }

private slots:
    void bashCompletes_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("a command") << QStringList{"lathe", "comp"} << QStringList{"compile"};
        QTest::newRow("a command of a command") << QStringList{"lathe", "records", "me"} << QStringList{"merge"};
        QTest::newRow("a command of one that takes a model too")
            << QStringList{"lathe", "bundle", "in"} << QStringList{"info"};
        QTest::newRow("commands of a command")
            << QStringList{"lathe", "devices", ""} << QStringList{"add", "remove", "test"};
        QTest::newRow("a value of a closed set")
            << QStringList{"lathe", "compile", "m.onnx", "--emit", "l"} << QStringList{"llvm"};
        QTest::newRow("all of them, as bash cuts --numerics=")
            << QStringList{"lathe", "run", "--numerics", "="} << QStringList{"strict", "default"};
        QTest::newRow("the rest of one") << QStringList{"lathe", "bundle", "m.onnx", "--form", "=", "st"}
                                         << QStringList{"static"};
        QTest::newRow("a device") << QStringList{"lathe", "run", "--device", "q"} << QStringList{"qemu"};
        QTest::newRow("no value of another command") << QStringList{"lathe", "inspect", "--emit", "l"} << QStringList{};
        QTest::newRow("an option") << QStringList{"lathe", "tune", "model.onnx", "--sp"} << QStringList{"--space"};
        QTest::newRow("an option of an inner command")
            << QStringList{"lathe", "records", "prune", "--ke"} << QStringList{"--keep"};
        QTest::newRow("no option of another command") << QStringList{"lathe", "compile", "--keep"} << QStringList{};
        QTest::newRow("files by bash itself") << QStringList{"lathe", "compile", "mod"} << QStringList{};
    }
    void bashCompletes() {
        QFETCH(QStringList, words);
        QTEST(completed(words), "expected");
    }

    void allOptionsAreThere_data() {
        QTest::addColumn<QStringList>("command");
        for (const char* command : {"compile", "tune", "bench", "run", "records best", "test"})
            QTest::newRow(command) << QString(command).split(' ');
    }
    void allOptionsAreThere() {
        QFETCH(QStringList, command);
        const QStringList options = optionsOf(command);
        QVERIFY(options.size() > 5);
        const QStringList proposed = completed(QStringList{"lathe"} + command + QStringList{"--"});
        const QString page = QString::fromStdString(runProgram(program, {"--man", command.join(' ')}).out).remove('\\');
        for (const QString& option : options) {
            QVERIFY2(proposed.contains(option), qPrintable(option));
            QVERIFY2(page.contains("fB" + option + "fR"), qPrintable(option));
        }
    }

    void groffHasNoComplaint() {
        const QString script = "\"$0\" --man tune | groff -k -man -Tutf8 -ww";
        const Outcome outcome = runProgram("/bin/bash", {"-c", script, program});
        QCOMPARE(outcome.code, 0);
        QCOMPARE(outcome.err, std::string());
        QVERIFY(outcome.out.find("lathe-tune(1)") != std::string::npos);
    }

    /// The page of each command says what it is for, how it is called, what it heeds and where to read on.
    void pagesSayMoreThanOptions() {
        const std::string all = runProgram(program, {"--man", "lathe"}).out;
        static const QRegularExpression named(R"(\.BR lathe-(\w+) \(1\))");
        QStringList commands;
        for (auto match = named.globalMatch(QString::fromStdString(all)); match.hasNext();)
            commands << match.next().captured(1);
        QVERIFY(commands.contains("tune"));
        commands.removeDuplicates();
        for (const char* plain : {"help", "version"})
            commands.removeAll(plain);
        for (const QString& command : commands) {
            const QString page = QString::fromStdString(runProgram(program, {"--man", command}).out);
            for (const char* title : {"DESCRIPTION", "EXAMPLES", "ENVIRONMENT", "FILES", "SEE ALSO", "EXIT STATUS"})
                QVERIFY2(page.contains(QString(".SH %1\n").arg(title)), qPrintable(command + " " + title));
        }
    }

    void unknown() {
        QCOMPARE(runProgram(program, {"--completion", "tcsh"}).code, 2);
        QCOMPARE(runProgram(program, {"--man", "frobnicate"}).code, 2);
    }
};

Test test() {
    return {makes<TestCommandTexts>};
}

} // namespace lathe::testing::test_command_texts

#include "test_command_texts.moc"
