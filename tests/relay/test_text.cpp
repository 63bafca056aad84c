// SPDX-License-Identifier: Apache-2.0
//
// Text of the graph IR: read, print, read again; broken rules are found; mutated text never crashes.
#include "relay/element.h"
#include "relay/text.h"
#include "samples.h"
#include "support/program_of_tests.h"

#include <QtTest>
#include <random>

namespace lathe::testing::test_text {

using namespace lathe::relay;

class TestText : public QObject {
    Q_OBJECT

private slots:
    void printsWhatItRead_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("network") << samples::network;
        QTest::newRow("control") << samples::control;
        QTest::newRow("states") << samples::states;
        QTest::newRow("lists") << samples::lists;
    }

    void printsWhatItRead() {
        QFETCH(QString, text);
        Result<Module> module = parse(text.toStdString(), {});
        QVERIFY2(module, module ? "" : toString(module.error()).c_str());
        std::string printed = print(*module);
        QCOMPARE(QString::fromStdString(printed), text);
        Result<Module> again = parse(printed, constantsOf(*module));
        QVERIFY(again);
        QVERIFY(identical(*module, *again));
    }

    void constantsComeFromThePool() {
        auto bytes = std::make_shared<std::vector<std::byte>>(400);
        ConstantPtr constant = makeConstant(types::Float32, {100}, {bytes, std::span<const std::byte>(*bytes)});
        std::string text = "module next %3\n\nfn main() -> float32[100] {\n  %2 = const float32[100] #" +
                           toString(constant->hash) + " @{0}\n  -> %2\n}\n";
        Result<Module> missing = parse(text, {});
        QVERIFY(!missing);
        QVERIFY(missing.error().what.find("pool") != std::string::npos);
        QCOMPARE(missing.error().line, 4);
        Result<Module> module = parse(text, {{constant->hash, constant}});
        QVERIFY(module);
        QCOMPARE(print(*module), text);
    }

    void linesNameBindings() {
        Result<Module> module = parse(samples::network, {});
        QVERIFY(module);
        std::vector<const Binding*> lines;
        PrintOptions options;
        options.lines = &lines;
        std::string text = print(*module, options);
        QCOMPARE(lines.size(), static_cast<size_t>(std::ranges::count(text, '\n')));
        QVERIFY(!lines[2]);
        QCOMPARE(lines[4]->var.id, 3u);
    }

    void brokenRulesAreFound_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("what");
        QTest::addColumn<int>("line");
        QTest::newRow("type") << "relu(%3) : float32[n, 2, 4, 4]" << "relu(%3) : float32[n, 2, 4, 5]" << "stated as"
                              << 6;
        QTest::newRow("use before definition") << "relu(%3)" << "relu(%7)" << "not visible" << 6;
        QTest::newRow("span") << "@{6,8}" << "@{}" << "empty Span" << 9;
        QTest::newRow("bound twice") << "%4 = relu" << "%3 = relu" << "bound twice" << 6;
        QTest::newRow("operator") << "relu(%3)" << "relux(%3)" << "unknown operator" << 6;
        QTest::newRow("shapes") << "splat [0.5]" << "[0.5]" << "elements" << 8;
        QTest::newRow("beyond next") << "next %20" << "next %5" << "next" << 7;
    }

    void brokenRulesAreFound() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, what);
        QFETCH(int, line);
        QString text = QString(samples::network).replace(from, to);
        Result<Module> module = parse(text.toStdString(), {});
        QVERIFY(!module);
        QVERIFY2(QString::fromStdString(module.error().what).contains(what), toString(module.error()).c_str());
        QCOMPARE(module.error().line, line);
    }

    void statesThatDoNotFitAreFound_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("what");
        QTest::newRow("more than parameters")
            << "states [" << "states [\"a\" = const int8[] [0], \"b\" = const int8[] [0], "
            << "5 states of 4 parameters";
        QTest::newRow("parameter") << "\"calls\": int64[]" << "\"calls\": int64[1]" << "state 'calls' is int64[]";
        QTest::newRow("result") << "int64[], int8[20]) outputs" << "int64[], int8[21]) outputs" << "would become";
        QTest::newRow("one name for two") << "\"sum\" = " << "\"kept\" = " << "no name of its own";
        QTest::newRow("no name") << "\"sum\" = " << "\"\" = " << "no name of its own";
        QTest::newRow("text") << "const int64[] [5]" << "const string[] [\"5\"]" << "no tensor of numbers";
        QTest::newRow("not in main") << "fn main" << "fn other" << "only main";
    }

    void statesThatDoNotFitAreFound() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, what);
        const QString text = QString(samples::states).replace(from, to);
        const Result<Module> module = parse(text.toStdString(), {});
        QVERIFY(!module);
        QVERIFY2(QString::fromStdString(module.error().what).contains(what), toString(module.error()).c_str());
    }

    void undefinedSymbolsAreFound() {
        QString text = QString(samples::control).replace("captures(%24)", "captures()");
        QVERIFY(!parse(text.toStdString(), {}));
    }

    void mutatedTextNeverCrashes() {
        std::mt19937 random(7);
        const std::string_view tokens[] = {"%1", "{", "}", "(", ")",       "->", "fn", "n", "9999999999999999999",
                                           "-1", "[", "]", ",", "float32", "@{", "\"", "0"};
        for (int round = 0; round < 1000; ++round) {
            std::string text = round % 3 == 0 ? samples::states : round % 3 == 1 ? samples::network : samples::control;
            for (unsigned edit = 0; edit <= random() % 4; ++edit) {
                size_t at = random() % text.size();
                switch (random() % 4) {
                case 0:
                    text[at] = static_cast<char>(32 + random() % 95);
                    break;
                case 1:
                    text.erase(at, random() % 20);
                    break;
                case 2:
                    text.insert(at, tokens[random() % std::size(tokens)]);
                    break;
                default:
                    text.insert(at, text.substr(random() % text.size(), random() % 60));
                    break;
                }
                if (text.empty())
                    text = "m";
            }
            if (Result<Module> module = parse(text, {}))
                QVERIFY(parse(print(*module), constantsOf(*module)));
        }
    }

    void deepTextIsRefused() {
        std::string deep(100000, '(');
        QVERIFY(!parse("module next %2\nfn main(%1: float32[" + deep + "n{0..1}]) -> float32[] {", {}));
        QVERIFY(!parse("module next %2\nfn main(%1: " + deep, {}));
    }
};

Test test() {
    return {makes<TestText>};
}

} // namespace lathe::testing::test_text

#include "test_text.moc"
