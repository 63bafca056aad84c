// SPDX-License-Identifier: Apache-2.0
#include "base/file_hash.h"

#include <fstream>
#include <vector>

namespace lathe {

std::optional<Hash128> hashFile(const std::filesystem::path& path, const std::function<bool()>& cancelled) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) // a pipe would be waited for
        return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    std::vector<char> part(size_t{1} << 20);
    while (file.read(part.data(), static_cast<std::streamsize>(part.size())) || file.gcount() > 0) {
        if (cancelled && cancelled())
            return std::nullopt;
        XXH3_128bits_update(&state, part.data(), static_cast<size_t>(file.gcount()));
    }
    if (!file.eof())
        return std::nullopt;
    const XXH128_hash_t hash = XXH3_128bits_digest(&state);
    return Hash128{hash.high64, hash.low64};
}

} // namespace lathe
