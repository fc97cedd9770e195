// Runs the fuzz target on generated inputs, or on saved ones: all that is needed is a compiler.
//
//     driver SEED INPUTS SECONDS CURRENT     generated inputs; CURRENT always holds the one at work
//     driver FILE...                         saved inputs, once each
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "generator.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// No input needs a hundredth of this: whatever takes so long hangs, and the watch ends it.
constexpr int patience_seconds = 60;
constexpr int status_of_a_hang = 124;

std::atomic<std::uint64_t> finished{0};

// Ends the process when an input takes too long.
void watch() {
    std::thread([] {
        std::uint64_t before = 0;
        for (int waited = 0; waited < patience_seconds; ++waited) {
            std::this_thread::sleep_for(std::chrono::seconds(1));
            if (const std::uint64_t now = finished; now != before) before = now, waited = 0;
        }
        std::fprintf(stderr, "an input takes more than %d seconds\n", patience_seconds);
        std::_Exit(status_of_a_hang);
    }).detach();
}

void run(const std::string& input) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    ++finished;
}

// What was handed to the system outlives the process, however it ends: the input that ended it is there to be read.
class Current {
public:
    explicit Current(const char* path) : file_(std::fopen(path, "wb")) {
        if (file_ == nullptr) std::perror(path), std::exit(2);
    }
    void hold(const std::string& input) {
        const std::uint64_t size = input.size();
        std::rewind(file_);
        std::fwrite(&size, 8, 1, file_);
        std::fwrite(input.data(), 1, input.size(), file_);
        if (std::fflush(file_) != 0) std::perror("the current input"), std::exit(2);
    }

private:
    std::FILE* file_;
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
    watch();
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
