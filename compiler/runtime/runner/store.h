// SPDX-License-Identifier: Apache-2.0
//
// Artifacts that a client on another machine sends, in files without names: whatever ends the runner, the system takes them
// back.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>

namespace lathe::runtime::runner {

class Store {
public:
    /// Files lie on the disk of this folder.
    explicit Store(std::string folder) : folder_(std::move(folder)) {}
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    /// How many bytes of it there are.
    uint64_t held(const std::string& name) const;
    /// Appends to it; `offset` is what is held of it. With a new name the oldest goes, so that there are a few at most. Gives
    /// errno: EINVAL for other offsets and for more than `total`, ENOSPC if that many cannot be kept.
    int put(const std::string& name, uint64_t total, uint64_t offset, std::span<const std::byte> bytes);
    /// By which it can be opened, once all of it is there; empty: it is not.
    std::string path(const std::string& name) const;

private:
    struct File {
        std::string name;
        uint64_t total = 0, held = 0;
        int descriptor = -1;
    };
    const File* find(const std::string& name) const;
    int open() const;

    std::string folder_;
    std::deque<File> files_; // oldest first
};

} // namespace lathe::runtime::runner
