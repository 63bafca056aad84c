// SPDX-License-Identifier: Apache-2.0
//
// A runner that says what it was told beforehand, whatever it is asked: what a client must not believe.
#pragma once

#include "runtime/runner/protocol.h"

#include <QFile>
#include <QString>

namespace lathe::testing {

using runtime::protocol::Writer;

/// Ok replies, one after the other.
class ToldAnswers {
public:
    /// After those to start, to take limits, and to load a model that has one output of float32, and one call.
    ToldAnswers() {
        Writer ping, model;
        ping.number(runtime::protocol::protocolVersion);
        ping.string("told");
        reply(ping);
        reply({});
        for (const char* text : {"model", "{}"})
            model.string(text);
        model.number(uint32_t{0}); // symbols
        model.number(uint32_t{0}); // inputs
        model.number(uint32_t{1});
        model.string("y");
        float32(model);
        dims(model, {4});
        model.string("");          // form
        model.number(uint32_t{0}); // states
        model.number(uint32_t{1});
        model.string("f");
        model.string("k");
        model.number(uint32_t{0}); // nodes
        model.number(0.0);
        model.number(0.0);
        reply(model);
    }
    void reply(const Writer& payload) {
        const runtime::protocol::FrameHeader header{.kind = runtime::protocol::Kind::Ok,
                                                    .bytes = payload.bytes().size()};
        all_.raw(&header, sizeof header);
        all_.raw(payload.bytes().data(), payload.bytes().size());
    }
    static void float32(Writer& to) {
        to.number(uint8_t{2}); // DLPack's code
        to.number(uint8_t{32});
    }
    static void dims(Writer& to, std::initializer_list<int64_t> all) {
        to.number(static_cast<uint32_t>(all.size()));
        for (const int64_t dim : all)
            to.number(dim);
    }
    /// The program, at this path.
    void write(const QString& path) const {
        QFile answers(path + ".answers"), program(path);
        (void)answers.open(QFile::WriteOnly);
        answers.write(reinterpret_cast<const char*>(all_.bytes().data()), qsizetype(all_.bytes().size()));
        (void)program.open(QFile::WriteOnly);
        program.write("#!/bin/sh\ncat '" + answers.fileName().toUtf8() + "'\ncat > /dev/null\n");
        program.close();
        program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

private:
    Writer all_;
};

} // namespace lathe::testing
