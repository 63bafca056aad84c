// SPDX-License-Identifier: Apache-2.0
// What the cache keeps, what it gives back, how much room it takes, and that nothing it meets on disk hurts.
#include "driver/kernel_cache.h"

#include "codegen/build_id.h"
#include "support/program_of_tests.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <chrono>
#include <csignal>
#include <sys/resource.h>

namespace lathe::testing::test_kernel_cache {

namespace fs = std::filesystem;

namespace {

using Bytes = std::vector<std::byte>;

tir::PrimFunc function(const std::string& name) {
    tir::PrimFunc made;
    made.name = name;
    made.body = tir::seq({}, 0);
    return made;
}

Bytes object(size_t size, int fill) {
    return Bytes(size, static_cast<std::byte>(fill));
}

/// The note that readelf finds in a file.
std::string buildIdOf(const QString& path) {
    QProcess readelf;
    readelf.start("readelf", {"-n", path});
    readelf.waitForFinished();
    const auto match = QRegularExpression("Build ID: ([0-9a-f]+)").match(readelf.readAllStandardOutput());
    return match.captured(1).toStdString();
}

} // namespace

class TestKernelCache : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;

    fs::path kernels() const { return fs::path(folder_->path().toStdString()) / "kernels"; }
    int64_t bytesKept() const {
        int64_t total = 0;
        for (const auto& entry : fs::directory_iterator(kernels()))
            total += entry.path().extension() == ".o" ? static_cast<int64_t>(entry.file_size()) : 0;
        return total;
    }
    int partsLeft() const {
        int parts = 0;
        for (const auto& entry : fs::directory_iterator(kernels()))
            parts += entry.path().extension() == ".part";
        return parts;
    }

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        qputenv("LATHE_CACHE", folder_->path().toUtf8());
        qunsetenv("LATHE_CACHE_SIZE");
    }

    void buildIdsAreTheLinkers() {
        QString llvm;
        QFile maps("/proc/self/maps");
        QVERIFY(maps.open(QIODevice::ReadOnly));
        for (const QByteArray& line : maps.readAll().split('\n'))
            if (line.contains("libLLVM"))
                llvm = QString::fromUtf8(line.mid(line.indexOf('/')));
        QVERIFY(!llvm.isEmpty());
        const std::string own = buildIdOf(QCoreApplication::applicationFilePath()), its = buildIdOf(llvm);
        QCOMPARE(own.size(), size_t{40}); // SHA-1
        QCOMPARE(codegen::buildId(), own + "-" + its);
    }

    void keepsObjectsByTextAndOptions() {
        driver::KernelCache cache(true);
        Target other;
        other.l2Bytes *= 2;
        const std::string a = cache.key(function("a"), {});
        QVERIFY(a != cache.key(function("b"), {}) && a != cache.key(function("a"), {.target = other}));
        QVERIFY(a != cache.key(function("a"), {.target = {}, .contract = false}));
        QVERIFY(!cache.find(a));
        cache.store(a, object(1000, 1));
        QVERIFY(cache.find(a) == object(1000, 1));
        QVERIFY(driver::KernelCache(true).find(a) == object(1000, 1));
        QVERIFY(!driver::KernelCache(false).find(a));
    }

    void isSeenAndCleared() {
        QCOMPARE(driver::cacheContent().kernels, 0);
        driver::KernelCache cache(true);
        for (const char* name : {"a", "b", "c"})
            cache.store(cache.key(function(name), {}), object(1000, 1));
        QCOMPARE(driver::cacheContent().kernels, 3);
        QCOMPARE(driver::cacheContent().bytes, bytesKept());
        QVERIFY(driver::cacheContent().bytes >= 3000);
        QFile other(QString::fromStdString((kernels() / "notes.txt").string()));
        QVERIFY(other.open(QIODevice::WriteOnly));
        QCOMPARE(driver::clearCache().kernels, 0);
        QVERIFY(other.exists()); // it is nothing of ours
        QVERIFY(!cache.find(cache.key(function("a"), {})));
        cache.store(cache.key(function("a"), {}), object(1000, 1));
        QCOMPARE(driver::cacheContent().kernels, 1);
    }

    void damageIsNoticedAndMended() {
        driver::KernelCache cache(true);
        const std::string key = cache.key(function("a"), {});
        cache.store(key, object(500, 1));
        const fs::path path = kernels() / (key + ".o");
        const auto size = static_cast<int64_t>(fs::file_size(path));
        for (int64_t at = 0; at < size; at += 5) {
            QFile file(QString::fromStdString(path.string()));
            QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(at) && file.write("x") == 1);
            file.close();
            QVERIFY(!cache.find(key));
            cache.store(key, object(500, 1));
            QVERIFY(cache.find(key) == object(500, 1));
        }
        for (const int64_t length : {size - 1, int64_t{16}, int64_t{15}, int64_t{0}}) {
            fs::resize_file(path, static_cast<uintmax_t>(length));
            QVERIFY(!cache.find(key));
        }
        fs::remove(path);
        fs::create_directory(path);
        QVERIFY(!cache.find(key));
        cache.store(key, object(500, 1));
        QCOMPARE(partsLeft(), 0);
    }

    void theOldestGoFirst() {
        qputenv("LATHE_CACHE_SIZE", "64K");
        driver::KernelCache cache(true);
        const std::string used = cache.key(function("used"), {});
        cache.store(used, object(1000, 1));
        for (int i = 0; i < 200; ++i) {
            cache.store(cache.key(function("k" + std::to_string(i)), {}), object(1000, i));
            QVERIFY2(cache.find(used), std::to_string(i).c_str());
            QVERIFY(bytesKept() <= (64 + 4) * 1024 + 2000); // swept after each sixteenth of the limit
            QTest::qSleep(2);                               // so that times differ
        }
        QVERIFY(bytesKept() > 32 * 1024);
        QVERIFY(!cache.find(cache.key(function("k0"), {})));
        QVERIFY(cache.find(cache.key(function("k199"), {})) == object(1000, 199));
        // An object that is larger than all room is not kept.
        cache.store("large", object(65 * 1024, 1));
        QVERIFY(!cache.find("large"));
    }

    void whatKilledProcessesLeftIsSwept() {
        fs::create_directories(kernels());
        const auto leave = [&](const char* name, std::chrono::minutes age) {
            QFile file(QString::fromStdString((kernels() / name).string()));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("half") == 4);
            file.close();
            fs::last_write_time(kernels() / name, fs::file_time_type::clock::now() - age);
        };
        leave("old.1.1.part", std::chrono::minutes(30));
        leave("young.1.1.part", std::chrono::minutes(1)); // perhaps being written
        leave("swept", std::chrono::minutes(30));
        driver::KernelCache cache(true);
        QVERIFY(!fs::exists(kernels() / "old.1.1.part"));
        QVERIFY(fs::exists(kernels() / "young.1.1.part"));
        // Swept just now: the next one does not look.
        leave("old.1.1.part", std::chrono::minutes(30));
        driver::KernelCache again(true);
        QVERIFY(fs::exists(kernels() / "old.1.1.part"));
    }

    void foldersThatCannotBeWritten() {
        QFile file(folder_->filePath("file"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (const QByteArray& path : {file.fileName().toUtf8(), QByteArray("/proc/self"), QByteArray("/dev/null/x")}) {
            qputenv("LATHE_CACHE", path);
            driver::KernelCache cache(true);
            const std::string key = cache.key(function("a"), {});
            cache.store(key, object(10, 1));
            QVERIFY(!cache.find(key));
        }
    }

    void aFullDisk() {
        driver::KernelCache cache(true);
        const std::string key = cache.key(function("a"), {});
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        const rlimit small{4096, before.rlim_max};
        signal(SIGXFSZ, SIG_IGN); // writing then fails, as on a full disk
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        cache.store(key, object(100'000, 1));
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &before), 0);
        QVERIFY(!cache.find(key));
        QCOMPARE(partsLeft(), 0);
    }

    void sizesThatMakeNoSense() {
        for (const char* size : {"", "much", "-1", "99999999999999999999", "12Q", "9999999999G"}) {
            qputenv("LATHE_CACHE_SIZE", size);
            driver::KernelCache cache(true);
            const std::string key = cache.key(function(size), {});
            cache.store(key, object(10, 1));
            QVERIFY2(cache.find(key), size); // the usual size
        }
    }
};

Test test() {
    return {makes<TestKernelCache>};
}

} // namespace lathe::testing::test_kernel_cache

#include "test_kernel_cache.moc"
