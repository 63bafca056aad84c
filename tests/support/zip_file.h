// SPDX-License-Identifier: Apache-2.0
//
// Zip archives for tests.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <string>
#include <utility>
#include <vector>

namespace lathe::testing {

using ZipFiles = std::vector<std::pair<std::string, std::string>>;

/// Of a few megabytes at most. A name that ends with / is a folder.
inline std::string zipOf(const ZipFiles& files) {
    std::string bytes(size_t{1} << 22, '\0');
    size_t used = 0;
    archive* writer = archive_write_new();
    archive_write_set_format_zip(writer);
    archive_write_open_memory(writer, bytes.data(), bytes.size(), &used);
    archive_entry* entry = archive_entry_new();
    for (const auto& [name, content] : files) {
        archive_entry_clear(entry);
        archive_entry_set_pathname(entry, name.c_str());
        archive_entry_set_filetype(entry, name.ends_with('/') ? AE_IFDIR : AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
        archive_write_header(writer, entry);
        archive_write_data(writer, content.data(), content.size());
    }
    archive_entry_free(entry);
    archive_write_close(writer);
    archive_write_free(writer);
    bytes.resize(used);
    return bytes;
}

} // namespace lathe::testing
