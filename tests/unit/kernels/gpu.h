// The few functions of the CUDA driver that gpu_test.cpp needs, found at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace stepccl::kernels {

// One GPU with its primary context current in this thread. Any failure of the driver later on ends the test program.
class TestGpu {
  public:
    // Why there is no GPU here; empty when there is one.
    static const std::string& missing();
    static TestGpu& instance();

    uint64_t allocate(size_t bytes);
    void upload(uint64_t to, const void* from, size_t bytes);
    void download(void* to, uint64_t from, size_t bytes);
    void* load(const unsigned char* image);          // a CUmodule
    void* function(void* module, const char* name);  // a CUfunction
    void launch(void* function, unsigned grid, unsigned block, void** args);
    void write_flag(uint64_t address, uint32_t value);  // by a stream of its own
    void wait();                                        // until launches and writes are done

  private:
    TestGpu();
    void* launches_ = nullptr;
    void* writes_ = nullptr;
};

}  // namespace stepccl::kernels
