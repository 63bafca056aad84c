// SPDX-License-Identifier: Apache-2.0
//
// SHA-1 against the examples of NIST's "Secure Hash Standard" (FIPS 180-4) for it.
#include "base/sha1.h"
#include "support/program_of_tests.h"

#include <QtTest>

namespace lathe::testing::test_sha1 {

class TestSha1 : public QObject {
    Q_OBJECT

private slots:
    void knownValues() {
        QCOMPARE(sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        QCOMPARE(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        QCOMPARE(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                 "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    }

    void partsOfAnyLengthMakeTheSame() {
        const std::string text(1'000'000, 'a');
        for (const size_t part : {1, 55, 56, 63, 64, 65, 119, 4096}) {
            Sha1 hash;
            for (size_t at = 0; at < text.size(); at += part)
                hash.add(std::as_bytes(std::span(text).subspan(at, std::min(part, text.size() - at))));
            QCOMPARE(hash.finish(), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
        }
    }
};

Test test() {
    return {makes<TestSha1>};
}

} // namespace lathe::testing::test_sha1

#include "test_sha1.moc"
