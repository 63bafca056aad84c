// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 against the examples of NIST's "Secure Hash Standard" (FIPS 180-4) for it.
#include "base/sha256.h"
#include "support/program_of_tests.h"

#include <QtTest>

namespace lathe::testing::test_sha256 {

class TestSha256 : public QObject {
    Q_OBJECT

private slots:
    void knownValues() {
        QCOMPARE(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        QCOMPARE(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        QCOMPARE(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        QCOMPARE(sha256(std::string(1'000'000, 'a')),
                 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    void partsOfAnyLengthMakeTheSame() {
        const std::string text(1'000'000, 'a');
        for (const size_t part : {1, 55, 56, 63, 64, 65, 119, 4096}) {
            Sha256 hash;
            for (size_t at = 0; at < text.size(); at += part)
                hash.add(std::as_bytes(std::span(text).subspan(at, std::min(part, text.size() - at))));
            QCOMPARE(hash.finish(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        }
    }
};

Test test() {
    return {makes<TestSha256>};
}

} // namespace lathe::testing::test_sha256

#include "test_sha256.moc"
