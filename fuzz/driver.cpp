// Runs the fuzz target on generated inputs, or on saved ones: all that is needed is a compiler.
//
//     driver SEED INPUTS SECONDS CURRENT     generated inputs; CURRENT always holds the one at work
//     driver FILE...                         saved inputs, once each
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "generator.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// No input needs a hundredth of this: whatever takes so long hangs, and the alarm ends it.
constexpr unsigned patience_seconds = 60;
constexpr std::size_t room = std::size_t{1} << 20;

void run(const std::string& input) {
    alarm(patience_seconds);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

// A mapped file outlives the process, however it ends: the input that ended it is there to be read.
class Current {
public:
    explicit Current(const char* path) {
        const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
        if (file < 0 || ftruncate(file, room) != 0) std::perror(path), std::exit(2);
        at_ = static_cast<char*>(mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
        close(file);
        if (at_ == MAP_FAILED) std::perror(path), std::exit(2);
    }
    void hold(const std::string& input) {
        const std::uint64_t size = std::min(input.size(), room - 8);
        std::memcpy(at_, &size, 8);
        std::memcpy(at_ + 8, input.data(), size);
    }

private:
    char* at_;
};

int replay(int count, char** paths) {
    for (int i = 0; i < count; ++i) {
        std::ifstream file(paths[i], std::ios::binary);
        if (!file) return std::fprintf(stderr, "%s cannot be read\n", paths[i]), 2;
        // Said before it runs: the last name is the one that failed.
        std::fprintf(stderr, "%s\n", paths[i]);
        run({std::istreambuf_iterator<char>(file), {}});
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5 || argv[1][0] < '0' || argv[1][0] > '9') return replay(argc - 1, argv + 1);
    const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10), inputs = std::strtoull(argv[2], nullptr, 10);
    const double seconds = std::strtod(argv[3], nullptr);
    Current current(argv[4]);
    fuzz::Generator generator(seed);
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t done = 0, bytes = 0;
    // `seconds` is the least time, `inputs` the least number: the run ends when both are reached.
    while (done < inputs || std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds) {
        const std::string input = generator.next();
        current.hold(input);
        run(input);
        ++done;
        bytes += input.size();
    }
    std::printf("%llu %llu\n", static_cast<unsigned long long>(done), static_cast<unsigned long long>(bytes));
    return 0;
}
