// SPDX-License-Identifier: Apache-2.0
//
// A real sshd on loopback with keys of its own, as the user who tests, and an ssh that knows it: a script of that name goes
// before the system's in PATH. Both read no configuration of the user's or the system's.
#pragma once

#include "support/processes.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <arpa/inet.h>
#include <csignal>
#include <netinet/in.h>
#include <pwd.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace lathe::testing {

struct SshServerOptions {
    bool withPasswords = false;
    QString command = {};   // by which each session runs what it was asked for, $SSH_ORIGINAL_COMMAND; empty: as it is
    QString temporary = {}; // mount options: $TMPDIR of sessions is a file system of its own; needs root
};

class SshServer {
public:
    explicit SshServer(const SshServerOptions& options = {}) {
        QDir().mkpath(temporary());
        for (const char* key : {"host_key", "user_key", "other_key"})
            require(run("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", at(key)}), "ssh-keygen");
        QFile::copy(at("user_key.pub"), at("authorized_keys"));
        if (geteuid() == 0)
            QDir().mkpath("/run/sshd"); // where sshd of Debian locks itself in
        port_ = freePort();
        write("sshd_config",
              QString("Port %1\nListenAddress 127.0.0.1\nHostKey %2\nAuthorizedKeysFile %3\nPidFile none\n"
                      "StrictModes no\nUsePAM no\nKbdInteractiveAuthentication no\n"
                      "PasswordAuthentication %4\nPermitRootLogin yes\nSetEnv TMPDIR=%5\n%6")
                  .arg(port_)
                  .arg(at("host_key"), at("authorized_keys"), options.withPasswords ? "yes" : "no", temporary(),
                       options.command.isEmpty() ? "" : "ForceCommand " + options.command + "\n"));
        const auto known = [&](const char* file, const char* key) {
            QFile publicKey(at(key));
            require(publicKey.open(QFile::ReadOnly), "the host's key");
            write(file, QString("[127.0.0.1]:%1 %2").arg(port_).arg(QString::fromUtf8(publicKey.readAll())));
        };
        known("known_hosts", "host_key.pub");
        known("other_hosts", "other_key.pub");
        const QString common = QString("  HostName 127.0.0.1\n  Port %1\n  User %2\n  IdentitiesOnly yes\n"
                                       "  IdentityAgent none\n  GlobalKnownHostsFile /dev/null\n")
                                   .arg(port_)
                                   .arg(getpwuid(geteuid())->pw_name);
        const auto host = [&](const char* name, const QString& key, const QString& hosts) {
            return QString("Host %1\n%2  IdentityFile %3\n  UserKnownHostsFile %4\n").arg(name, common, key, hosts);
        };
        write("ssh_config",
              host("device", at("user_key"), at("known_hosts")) + host("stranger", at("user_key"), "/dev/null") +
                  host("locked", at("other_key"), at("known_hosts")) +
                  host("changed", at("user_key"), at("other_hosts")) + "Host closed\n  HostName 127.0.0.1\n  Port 1\n");
        setClient("exec /usr/bin/ssh -F \"" + at("ssh_config") + "\" \"$@\"");
        qputenv("PATH", (folder_.filePath("bin") + ":" + QString::fromLocal8Bit(path_)).toLocal8Bit());

        server_.setProcessChannelMode(QProcess::MergedChannels);
        server_.setStandardOutputFile(at("sshd.log"));
        const QStringList sshd = {"/usr/sbin/sshd", "-D", "-e", "-f", at("sshd_config")};
        if (options.temporary.isEmpty())
            server_.start(sshd.first(), sshd.mid(1));
        else
            server_.start("unshare", QStringList{"-m", "sh", "-c",
                                                 "mount -t tmpfs -o " + options.temporary + " tmpfs '" + temporary() +
                                                     "' && exec \"$@\"",
                                                 "sh"} +
                                         sshd);
        require(QTest::qWaitFor(
                    [this] {
                        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
                        sockaddr_in address = loopback(port_);
                        const bool there = connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
                        close(socket);
                        return there;
                    },
                    20'000),
                "sshd");
    }
    ~SshServer() {
        stop();
        qputenv("PATH", path_);
    }
    SshServer(const SshServer&) = delete;
    SshServer& operator=(const SshServer&) = delete;

    /// It ends, with all that runs there; the client stays.
    void stop() {
        if (server_.state() == QProcess::NotRunning) // then it has no number, and all processes would be its own
            return;
        for (const qint64 process : descendantsOf(server_.processId()))
            ::kill(static_cast<pid_t>(process), SIGKILL);
        server_.kill();
        server_.waitForFinished();
    }
    /// $TMPDIR of its sessions.
    QString temporary() const { return at("device"); }
    QStringList left() const {
        return QDir(temporary()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }
    /// What goes for ssh: a script.
    void setClient(const QString& text) {
        QDir().mkpath(folder_.filePath("bin"));
        write("bin/ssh", "#!/bin/sh\n" + text + "\n");
        QFile::setPermissions(at("bin/ssh"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    QString at(const char* name) const { return folder_.filePath(name); }

    /// The processes of sessions by the name that the system knows them by.
    std::set<qint64> sessions(const QByteArray& name) const {
        std::set<qint64> found;
        for (const qint64 process : descendantsOf(server_.processId())) {
            QFile file(QString("/proc/%1/comm").arg(process));
            if (file.open(QFile::ReadOnly) && file.readAll().trimmed() == name)
                found.insert(process);
        }
        return found;
    }

private:
    static bool run(const char* program, const QStringList& arguments) {
        return QProcess::execute(program, arguments) == 0;
    }
    static void require(bool good, const char* what) {
        if (!good)
            throw std::runtime_error(std::string(what) + " cannot be used: is openssh-server installed?");
    }
    static sockaddr_in loopback(quint16 port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }
    static quint16 freePort() {
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address = loopback(0);
        socklen_t bytes = sizeof address;
        require(bind(socket, reinterpret_cast<sockaddr*>(&address), bytes) == 0 &&
                    getsockname(socket, reinterpret_cast<sockaddr*>(&address), &bytes) == 0,
                "a port");
        close(socket);
        return ntohs(address.sin_port);
    }
    void write(const char* name, const QString& text) const {
        QFile file(at(name));
        require(file.open(QFile::WriteOnly) && file.write(text.toUtf8()) >= 0, name);
    }

    QTemporaryDir folder_;
    QByteArray path_ = qgetenv("PATH");
    quint16 port_ = 0;
    QProcess server_;
};

} // namespace lathe::testing
