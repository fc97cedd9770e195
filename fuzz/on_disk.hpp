// Text in a file, which the core reads in parts.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "require.hpp"
#include "text_source.hpp"

namespace fuzz {

class OnDisk {
public:
    OnDisk(rankproof::string_view text, std::size_t window)
        : path_(written(text)), file_(path_), text_(file_, text.size(), 0, window) {
        REQUIRE(file_.stamp().size == text.size() && file_.stamp() == file_.stamp(), "the stamp of a file");
    }
    OnDisk(const OnDisk&) = delete;
    ~OnDisk() {
        // Where a file that is open can be removed, its name goes now; its bytes go with it.
        std::error_code kept;
        std::filesystem::remove(path_, kept);
    }
    const rankproof::TextSource& text() const { return text_; }

private:
    static std::filesystem::path written(rankproof::string_view text) {
        static const auto process = std::random_device()();
        static std::size_t number = 0;
        const auto path = std::filesystem::temp_directory_path() /
                          ("fuzz-" + std::to_string(process) + "-" + std::to_string(number++ % 8));
        std::ofstream file(path, std::ios::binary);
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
        REQUIRE(file.flush().good(), "a temporary file");
        return path;
    }

    std::filesystem::path path_;
    rankproof::platform::File file_;
    rankproof::TextSource text_;
};

}  // namespace fuzz
