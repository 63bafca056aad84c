// SPDX-License-Identifier: Apache-2.0
//
// Image files against what Pillow reads in them, and, where Pillow writes none of the kind, against pixels by hand; in all
// formats of pixels; and files that are cut off, changed or lie about their size.
// Links: lathe_images
#include "abi/images.h"
#include "support/program_of_tests.h"
#include "tests/images/samples.h"

#include <QtTest>

#include <array>
#include <climits>
#include <cstdlib>
#include <memory>
#include <vector>

namespace lathe::testing::test_decode {

namespace {

struct Decoded {
    bool good = false;
    int64_t height = 0, width = 0;
    std::vector<int> pixels;
};

Decoded decode(const QByteArray& file, int32_t format = LATHE_PIXELS_RGB) {
    // A copy of just these bytes: what is read beyond them is found.
    const std::vector<uint8_t> bytes(file.begin(), file.end());
    lathe_image image{};
    Decoded result;
    result.good = lathe_decode_image(bytes.data(), int64_t(bytes.size()), format, &image) == 0;
    if (result.good) {
        const std::unique_ptr<uint8_t, void (*)(void*)> owner(image.pixels, std::free);
        result.height = image.height;
        result.width = image.width;
        const int channels = format == LATHE_PIXELS_GRAYSCALE ? 1 : 3;
        result.pixels.assign(image.pixels, image.pixels + image.height * image.width * channels);
    }
    return result;
}

QByteArray fileOf(const samples::Sample& sample) {
    return QByteArray::fromBase64(sample.file);
}

/// The three channels of the sample's pixel (y, x) of 3 by 5.
std::array<int, 3> expectedAt(const samples::Sample& sample, int y, int x) {
    const QByteArray pixels = QByteArray::fromBase64(sample.pixels);
    const auto at = [&](int c) { return int(uint8_t(pixels[(y * 5 + x) * 3 + c])); };
    return {at(0), at(1), at(2)};
}

QByteArray little(std::initializer_list<std::pair<uint32_t, int>> numbers) {
    QByteArray bytes;
    for (const auto& [value, count] : numbers)
        for (int i = 0; i < count; ++i)
            bytes.append(char(value >> (8 * i)));
    return bytes;
}

/// A BMP with a header of 40 bytes and what stands behind it.
QByteArray bitmap(int width, int height, int bits, int compression, const QByteArray& palette,
                  const QByteArray& pixels) {
    const auto offset = uint32_t(54 + palette.size());
    return "BM" + little({{offset + uint32_t(pixels.size()), 4}, {0, 4}, {offset, 4}, {40, 4}, {uint32_t(width), 4}}) +
           little({{uint32_t(height), 4}, {1, 2}, {uint32_t(bits), 2}, {uint32_t(compression), 4}, {0, 4}, {0, 4}}) +
           little({{0, 4}, {uint32_t(palette.size() / 4), 4}, {0, 4}}) + palette + pixels;
}

const QByteArray threeColours("\x00\x00\xff\x00\x00\xff\x00\x00\xff\x00\x00\x00", 12); // red, green, blue

} // namespace

class TestDecode : public QObject {
    Q_OBJECT
private slots:
    void agreesWithPillow_data() {
        QTest::addColumn<int>("which");
        for (size_t i = 0; i < std::size(samples::images); ++i)
            QTest::newRow(samples::images[i].name) << int(i);
    }
    void agreesWithPillow() {
        QFETCH(int, which);
        const samples::Sample& sample = samples::images[which];
        const Decoded rgb = decode(fileOf(sample)), bgr = decode(fileOf(sample), LATHE_PIXELS_BGR),
                      gray = decode(fileOf(sample), LATHE_PIXELS_GRAYSCALE);
        QVERIFY(rgb.good && bgr.good && gray.good);
        QCOMPARE(rgb.height, sample.height);
        QCOMPARE(rgb.width, sample.width);
        const int each = sample.height / 3;
        for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 5; ++x) {
                const size_t at = size_t(y * each + each / 2) * size_t(sample.width) + size_t(x * each + each / 2);
                const auto [r, g, b] = expectedAt(sample, y, x);
                const int light = (r * 19595 + g * 38470 + b * 7471 + 0x8000) >> 16;
                const int expected[] = {r, g, b, r, g, b, light};
                const int got[] = {rgb.pixels[3 * at],     rgb.pixels[3 * at + 1], rgb.pixels[3 * at + 2],
                                   bgr.pixels[3 * at + 2], bgr.pixels[3 * at + 1], bgr.pixels[3 * at],
                                   gray.pixels[at]};
                for (int i = 0; i < 7; ++i)
                    QVERIFY2(std::abs(got[i] - expected[i]) <= sample.tolerance,
                             qPrintable(QString("%1, %2: %3, not %4").arg(y).arg(x).arg(got[i]).arg(expected[i])));
            }
    }

    void byHand_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<int>("width");
        QTest::addColumn<QList<int>>("expected");
        const QList<int> redGreenBlue{255, 0, 0, 0, 255, 0, 0, 0, 255};
        QTest::newRow("text") << QByteArray("P3 # colours\n1 2\n15\n0 5 15\n15 10 # end\n3\n") << 1
                              << QList<int>{0, 85, 255, 255, 170, 51};
        QTest::newRow("bits without blanks")
            << QByteArray("P1\n3 1\n101") << 3 << QList<int>{0, 0, 0, 255, 255, 255, 0, 0, 0};
        QTest::newRow("two bytes a sample") << QByteArray("P5\n2 1\n1000\n") + QByteArray("\x01\xf4\x03\xe8", 4) << 2
                                            << QList<int>{128, 128, 128, 255, 255, 255};
        // Once the first colour, then two as they stand, then the end.
        QTest::newRow("runs") << bitmap(3, 1, 8, 1, threeColours, QByteArray("\1\0\0\3\1\2\2\0\0\1", 10)) << 3
                              << redGreenBlue;
        QTest::newRow("runs of half bytes")
            << bitmap(3, 1, 4, 2, threeColours, QByteArray("\2\x01\1\x20\0\1", 6)) << 3 << redGreenBlue;
        QTest::newRow("rows from the top")
            << bitmap(1, -2, 24, 0, {}, QByteArray("\1\2\3\0\4\5\6\0", 8)) << 1 << QList<int>{3, 2, 1, 6, 5, 4};
        QTest::newRow("rows from the bottom")
            << bitmap(1, 2, 24, 0, {}, QByteArray("\1\2\3\0\4\5\6\0", 8)) << 1 << QList<int>{6, 5, 4, 3, 2, 1};
        QTest::newRow("five bits a colour")
            << bitmap(3, 1, 16, 0, {}, QByteArray("\x00\x7c\xe0\x03\x1f\x00\0\0", 8)) << 3 << redGreenBlue;
        QTest::newRow("four bits an index")
            << bitmap(3, 1, 4, 0, threeColours, QByteArray("\x01\x20\0\0", 4)) << 3 << redGreenBlue;
    }
    void byHand() {
        QFETCH(QByteArray, file);
        QFETCH(int, width);
        QFETCH(QList<int>, expected);
        const Decoded decoded = decode(file);
        QVERIFY(decoded.good);
        QCOMPARE(decoded.width, width);
        QCOMPARE(QList<int>(decoded.pixels.begin(), decoded.pixels.end()), expected);
    }

    /// Of a part there is no image, or, where only what ends a file is missing, the whole one.
    void cutOff() {
        for (const samples::Sample& sample : samples::images) {
            const QByteArray file = fileOf(sample);
            const Decoded whole = decode(file);
            for (qsizetype size = 0; size < file.size(); ++size) {
                const Decoded part = decode(file.first(size));
                QVERIFY2(!part.good || (size > file.size() / 2 && part.pixels == whole.pixels),
                         qPrintable(QString("%1, %2 bytes").arg(sample.name).arg(size)));
            }
        }
    }

    /// Whatever a byte becomes, there is an image or there is none.
    void changed() {
        for (const samples::Sample& sample : samples::images) {
            const QByteArray file = fileOf(sample);
            for (qsizetype i = 0; i < file.size(); ++i)
                for (const int change : {0x01, 0x80, 0xff}) {
                    QByteArray other = file;
                    other[i] = char(other[i] ^ change);
                    (void)decode(other);
                }
        }
    }

    void noImages() {
        QVERIFY(!decode("").good);
        QVERIFY(!decode("P").good);
        QVERIFY(!decode("GIF89a").good);
        QVERIFY(!decode("P6 1 1 255\n12").good); // a byte too few
        QVERIFY(!decode("P5 0 1 255\n").good);
        QVERIFY(!decode("P5 99999999999999999999 1 255\n1").good);
        QVERIFY(!decode("P4 1048577 1\n" + QByteArray(200'000, '\0')).good); // beyond the limit
        QVERIFY(!decode(bitmap(1 << 20, 1 << 20, 24, 0, {}, "1")).good);
        QVERIFY(!decode(bitmap(1, INT_MIN, 24, 0, {}, "1234")).good);
        QVERIFY(!decode(bitmap(2, 1, 8, 1, threeColours, QByteArray("\0\2", 2))).good);
    }
};

Test test() {
    return {makes<TestDecode>};
}

} // namespace lathe::testing::test_decode

#include "test_decode.moc"
