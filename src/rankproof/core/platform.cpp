#include "platform.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <new>
#include <string>
#include <system_error>

#if defined(_WIN32)
#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#if !defined(__cpp_lib_to_chars)
#include <cstdlib>
#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

namespace rankproof::platform {

// ---- numbers ----------------------------------------------------------------------------------------

#if defined(__cpp_lib_to_chars)

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether a number that is not zero is 1 or more: all doubles but the ones in reach lie on one side.
bool is_large(std::string_view decimal) {
    std::int64_t place = 0;  // of the first digit that is not 0; 1 for the one before the point
    bool fraction = false, found = false;
    std::size_t i = 0;
    for (; i < decimal.size() && (is_digit(decimal[i]) || decimal[i] == '.'); ++i) {
        found = found || (decimal[i] != '0' && decimal[i] != '.');
        if (decimal[i] == '.') fraction = true;
        else if (!fraction && found) ++place;
        else if (fraction && !found) --place;
    }
    std::int64_t exponent = 0;
    const bool negative = i + 1 < decimal.size() && decimal[i + 1] == '-';
    for (; i < decimal.size(); ++i)
        if (is_digit(decimal[i])) exponent = std::min(exponent * 10 + (decimal[i] - '0'), std::int64_t{1} << 56);
    return place + (negative ? -exponent : exponent) > 0;
}

}  // namespace

double nearest_double(std::string_view decimal) {
    double value = 0;
    const auto done = std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
    if (done.ec == std::errc()) return value;
    if (done.ec != std::errc::result_out_of_range) throw std::bad_alloc();  // a library that copies long numbers
    return is_large(decimal) ? std::numeric_limits<double>::infinity() : 0.0;
}

#else

double nearest_double(std::string_view decimal) {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    return strtod_l(std::string(decimal).c_str(), nullptr, plain);
}

#endif

// ---- files ------------------------------------------------------------------------------------------

namespace {

[[noreturn]] void fail(int code) { throw std::system_error(code, std::generic_category()); }

// The most that one call to the system is asked for.
constexpr std::size_t at_once = std::size_t{1} << 30;

}  // namespace

#if defined(_WIN32)

namespace {

HANDLE handle_of(std::intptr_t file) { return reinterpret_cast<HANDLE>(file); }

// The few reasons that a person can do something about.
[[noreturn]] void fail_with_last() {
    switch (GetLastError()) {
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND: fail(ENOENT);
        case ERROR_ACCESS_DENIED:
        case ERROR_SHARING_VIOLATION:
        case ERROR_LOCK_VIOLATION: fail(EACCES);
        case ERROR_TOO_MANY_OPEN_FILES: fail(EMFILE);
        default: fail(EIO);
    }
}

std::uint64_t joined(DWORD high, DWORD low) { return std::uint64_t{high} << 32 | low; }

}  // namespace

// Others may write, rename and delete while we read, as on other systems: that a file changed is told by its stamp.
File::File(const std::filesystem::path& path)
    : handle_(reinterpret_cast<std::intptr_t>(
          CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                      OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL | FILE_FLAG_SEQUENTIAL_SCAN, nullptr))) {
    if (handle_ == closed) fail_with_last();
}

File::~File() {
    if (handle_ != closed) CloseHandle(handle_of(handle_));
}

Stamp File::stamp() const {
    BY_HANDLE_FILE_INFORMATION about{};
    if (!GetFileInformationByHandle(handle_of(handle_), &about)) fail_with_last();
    const FILETIME& time = about.ftLastWriteTime;
    return {about.dwVolumeSerialNumber, joined(about.nFileIndexHigh, about.nFileIndexLow),
            joined(about.nFileSizeHigh, about.nFileSizeLow),
            static_cast<std::int64_t>(joined(time.dwHighDateTime, time.dwLowDateTime))};
}

std::size_t File::read(std::uint64_t from, char* into, std::size_t size) const {
    std::size_t done = 0;
    while (done < size) {
        OVERLAPPED place{};
        place.Offset = static_cast<DWORD>(from + done);
        place.OffsetHigh = static_cast<DWORD>((from + done) >> 32);
        DWORD count = 0;
        const auto wanted = static_cast<DWORD>(std::min(size - done, at_once));
        if (!ReadFile(handle_of(handle_), into + done, wanted, &count, &place)) {
            if (GetLastError() == ERROR_HANDLE_EOF) break;
            fail_with_last();
        }
        if (count == 0) break;
        done += count;
    }
    return done;
}

#else

File::File(const std::filesystem::path& path) : handle_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (handle_ == closed) fail(errno);
}

File::~File() {
    if (handle_ != closed) close(static_cast<int>(handle_));
}

Stamp File::stamp() const {
    struct stat about {};
    if (fstat(static_cast<int>(handle_), &about) != 0) fail(errno);
#if defined(__APPLE__)
    const timespec& time = about.st_mtimespec;
#else
    const timespec& time = about.st_mtim;
#endif
    return {static_cast<std::uint64_t>(about.st_dev), static_cast<std::uint64_t>(about.st_ino),
            static_cast<std::uint64_t>(about.st_size), std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec};
}

std::size_t File::read(std::uint64_t from, char* into, std::size_t size) const {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t count = pread(static_cast<int>(handle_), into + done, std::min(size - done, at_once),
                                    static_cast<off_t>(from + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(errno);
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

#endif

}  // namespace rankproof::platform
