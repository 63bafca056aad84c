// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
//
// A detector of voices that remembers what it heard, over a hundred frames of speech: the TorchScript program keeps its state
// itself, the same network as ONNX takes and gives it. Both say the same of each frame.
#include "support/fixtures.h"
#include "support/host_tensor.h"
#include "support/model_in_runner.h"
#include "support/program_of_tests.h"

#include <QDataStream>
#include <QFile>
#include <QTest>
#include <cmath>

namespace lathe::testing::test_voice_detector {

using model::HostTensor;

namespace {

constexpr int64_t rate = 16'000, frames = 100, samples = 512; // of a frame
constexpr int64_t context = 64;                               // samples before a frame that ONNX is given again

/// Mono, 16 bits a sample; what lies before the chunk with the samples is of no interest.
std::vector<float> readSound(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    QDataStream stream(bytes.mid(bytes.indexOf("data") + 8));
    stream.setByteOrder(QDataStream::LittleEndian);
    std::vector<float> sound;
    for (qint16 sample = 0; !stream.atEnd();) {
        stream >> sample;
        sound.push_back(float(sample) / 32768);
    }
    return sound;
}

ModelInRunner compiled(const std::filesystem::path& model, const driver::Options& options) {
    return ModelInRunner([&](const std::filesystem::path& out, driver::Trace& trace) {
        return driver::compileFile(model, out, {}, options, trace);
    });
}

HostTensor floats(std::vector<int64_t> shape, const std::vector<float>& values) {
    return tensorOf<float>(types::Float32, std::move(shape), values);
}

} // namespace

class TestVoiceDetector : public QObject {
    Q_OBJECT

private slots:
    void scriptAndOnnxHearTheSame() {
        const auto script = fixture("models/silero-vad-torchscript/silero_vad.jit"),
                   onnx = fixture("models/silero-vad/silero_vad.onnx"), wave = fixture("models/silero-vad/test.wav");
        if (script.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        const std::vector<float> sound = readSound(wave);
        QVERIFY(sound.size() >= size_t(frames * samples));

        driver::Options options;
        options.threads = 1;
        ModelInRunner given = compiled(onnx, options);
        options.arguments = {{"sr", std::to_string(rate)}};
        options.shapes = {{"x", {1, samples}}};
        ModelInRunner keeping = compiled(script, options);

        HostTensor state = floats({2, 1, 128}, std::vector<float>(256));
        float least = 1, most = 0;
        for (int64_t frame = 0; frame < frames; ++frame) {
            const auto at = sound.begin() + frame * samples;
            std::vector<float> longer(context);
            if (frame > 0)
                longer.assign(at - context, at);
            longer.insert(longer.end(), at, at + samples);
            const auto expected = given.run({{"input", floats({1, context + samples}, longer)},
                                             {"state", state},
                                             {"sr", tensorOf<int64_t>(types::Int64, {}, {rate})}});
            QVERIFY2(expected.size() == 2, given.problem.c_str());
            state = expected[1];
            const auto heard = keeping.run({{"x", floats({1, samples}, std::vector<float>(at, at + samples))}});
            QVERIFY2(heard.size() == 1, keeping.problem.c_str());
            const float voice = valuesOf<float>(heard[0]).front(), other = valuesOf<float>(expected[0]).front();
            QVERIFY2(std::abs(voice - other) <= 1e-5F, qPrintable(QStringLiteral("frame %1").arg(frame)));
            least = std::min(least, voice);
            most = std::max(most, voice);
        }
        QVERIFY(least < 0.1F && most > 0.9F); // there is speech in it, and silence
    }
};

Test test() {
    return {makes<TestVoiceDetector>};
}

} // namespace lathe::testing::test_voice_detector

#include "test_voice_detector.moc"
