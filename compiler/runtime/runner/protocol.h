// SPDX-License-Identifier: Apache-2.0
//
// The protocol of lathe-runner: frames over a byte stream, one reply for each request, in order. Also used by clients;
// needs the standard library and the limits alone. All numbers little-endian, as all machines are that the runner is made for.
//
// A frame is a FrameHeader and `bytes` bytes of payload. Strings are u32 length and bytes; lists are u32 count and
// items.
//
//   request           payload                                    payload of the Ok reply
//   Ping              –                                          u32 protocolVersion, string runtime version
//   Load              string path                                model: string name, string metadata, list of symbol
//                                                                strings, list of inputs, list of outputs, list of states
//                                                                (each: string name, type, u32 rank, i64 dims and string
//                                                                form as in lathe_value_desc; of one that can only be
//                                                                empty a type of 0 bits), list of calls (string function,
//                                                                string kernel, list of node strings, f64 flops, f64
//                                                                bytes)
//   Limits            i32 threads (0: all), i64 bytes of a       –
//                     context's memory (0: none), i64 bytes of
//                     the process' writable memory (0: none),
//                     u32 Guard, u32 pinned (1: to as many CPUs
//                     as threads, if those are not all)
//   Seed              u64                                        –
//   Input             string name, type, u32 rank, i64 dims,     –
//                     u64 bytes, bytes
//   InputValue        string name, value                         –
//   ResetStates       –                                          –; the states, which runs hand on, are what they were
//   SetState          as Input                                   –; the next run goes on from it
//   State             u32 index                                  as of Output: what the next run goes on from
//   Run               u32 times                                  list of i64 ns, i64 arena peak, i64 arena reserved,
//                                                                i64 outputs' bytes, i64 inputs' bytes, i64 peak
//                                                                resident bytes of the process
//   Output            u32 index                                  type, u32 rank, i64 dims, u64 bytes, bytes
//   OutputValue       u32 index                                  value
//   Profile           u32 on, u32 timeline events a thread       –
//   ReadProfile       –                                          list of (i64 count, total ns, min ns, max ns) by call,
//                                                                list of threads: list of (i32 call, i32 chunks,
//                                                                i64 begin ns, i64 end ns)
//
//   Count             u32 runs                                   i32 errno of why the processor counts nothing (0: it does),
//                                                                list of (string name, f64 over all of the runs)
//   Bench             string artifact's name, i64 which of its   i64 calls in a sample, list of (f64 ns of a call, f64 share
//                     kernels, list of i64 sizes, u32 warm-up    of the sample in which the thread had no CPU, i64 how often
//                     calls, i64 calls in a sample (0: as many   the process was put off one against its will), one a sample.
//                     as needed), i64 ns that a sample takes at  Of a kernels' artifact (driver/kernel_artifact.h) whose
//                     least, u32 samples, u64 bytes to flush     other inputs are set.
//                     before each call (0: none)
//   Probe             –                                          f64 ns of some work on registers, f64 ns of some reads
//   Facts             –                                          list of (string name, string value): runner/facts.h
//   Bye               –                                          –; then the runner ends
//
// For a client on another machine, of a runner that was started for one (refused by others):
//
//   Deadline          u64 milliseconds that each later request   –
//                     may take (0: any time): the runner ends
//                     with exit code 5 when one takes longer
//   Put               string name, u64 bytes of the whole file,  u64 how many bytes of it are held now
//                     u64 offset, list of u8: at most putBytes;
//                     none: to ask what is held
//   LoadPut           string name of what was put                as Load
//   Lease             string who wants to measure                string who measures already; empty: nobody, and it is this
//                                                                client's turn until it asks for another
//   Release           –                                          –; ends that
//
// Such a runner also says Alive, without payload and unasked, every aliveEvery, between its replies.
//
// A value is u8 lathe_form and, of a tensor, type, u32 rank, i64 dims, u64 bytes, bytes, else a list of values.
// A type is u8 DLPack code and u8 bits. The bytes of a tensor of strings (runtime/lathe_rt.h) are abi/packed_strings.h's.
// Limits and Seed hold for models loaded after; Load replaces the model. An Error
// reply has u32 lathe_status, string node ("" if none), string message; the runner goes on. A malformed frame ends it
// with exit code 2, the end of the stream at a frame's border with 0; under a Guard a kernel that touches memory outside its
// buffers with 3, one that writes into memory that can only be read, such as an input, with 4.
#pragma once

#include "runtime/limits.h"

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::runtime::protocol {

static_assert(std::endian::native == std::endian::little, "numbers of the protocol would have to be swapped");

inline constexpr uint32_t protocolVersion = 9;
inline constexpr uint32_t frameMagic = 0x5254484c; // "LHTR" as it stands in the stream
inline constexpr int exitMalformed = 2, exitOutside = 3, exitReadOnly = 4, exitDeadline = 5,
                     exitNoMemory = 6; // for what it is sent
inline constexpr uint64_t putBytes = uint64_t{1} << 20;
inline constexpr std::chrono::milliseconds aliveEvery{2000};

/// Whether buffers lie between pages that nobody may touch, and which end of them meets these.
enum class Guard : uint32_t { None, End, Start };

enum class Kind : uint32_t {
    Ping = 1,
    Load,
    Limits,
    Seed,
    Input,
    Run,
    Output,
    Profile,
    ReadProfile,
    Bench,
    Count,
    Probe,
    Facts,
    Bye,
    Deadline,
    Put,
    LoadPut,
    Lease,
    Release,
    SetState,
    State,
    ResetStates,
    InputValue,
    OutputValue,
    Ok = 100,
    Error,
    Alive,
};

struct FrameHeader {
    uint32_t magic = frameMagic;
    Kind kind = Kind::Ping;
    uint64_t bytes = 0;
};
static_assert(sizeof(FrameHeader) == 16);

/// Appends to a payload.
class Writer {
public:
    template <class T>
    void number(T value) {
        raw(&value, sizeof value);
    }
    void string(std::string_view text) {
        number(static_cast<uint32_t>(text.size()));
        raw(text.data(), text.size());
    }
    void raw(const void* data, size_t bytes) {
        const auto* from = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), from, from + bytes);
    }
    void reserve(size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

/// Reads a payload. Reading past the end gives zeros and makes good() false for ever.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

    template <class T>
    T number() {
        T value{};
        const auto from = raw(sizeof value);
        if (good_)
            std::memcpy(&value, from.data(), sizeof value);
        return value;
    }
    std::string string() {
        const auto text = raw(number<uint32_t>());
        return {reinterpret_cast<const char*>(text.data()), text.size()};
    }
    std::span<const std::byte> raw(uint64_t bytes) {
        if (bytes > left_.size()) {
            good_ = false;
            left_ = {};
            return {};
        }
        const auto result = left_.first(bytes);
        left_ = left_.subspan(bytes);
        return result;
    }
    /// Count of a list whose items take at least `itemBytes` each; 0 and not good if that many cannot follow.
    uint32_t count(size_t itemBytes) {
        const auto items = number<uint32_t>();
        if (items > left_.size() / itemBytes)
            good_ = false;
        return good_ ? items : 0;
    }
    bool good() const { return good_; }
    /// True if all was read, and no more.
    bool finished() const { return good_ && left_.empty(); }

private:
    std::span<const std::byte> left_;
    bool good_ = true;
};

} // namespace lathe::runtime::protocol
