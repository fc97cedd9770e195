// Text as the mapped view of a file, which the core may give back page by page while it reads.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "require.hpp"
#include "text.hpp"

namespace fuzz {

class Mapped {
public:
    explicit Mapped(rankproof::string_view text) : size_(text.size()) {
        std::FILE* file = std::tmpfile();
        REQUIRE(file != nullptr && std::fwrite(text.data(), 1, size_, file) == size_ && std::fflush(file) == 0,
                "a temporary file");
        at_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fileno(file), 0);
        std::fclose(file);
        REQUIRE(at_ != MAP_FAILED, "a mapped file");
    }
    Mapped(const Mapped&) = delete;
    ~Mapped() { munmap(at_, size_); }
    rankproof::string_view text() const { return {static_cast<const char*>(at_), size_}; }

private:
    void* at_;
    std::size_t size_;
};

}  // namespace fuzz
