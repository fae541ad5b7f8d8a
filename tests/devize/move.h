// The buffers of one call on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "describe.h"
#include "layout.h"
#include "process.h"

namespace devize {

// Device memory that stands for a host buffer, with a guard before and behind it. It lies as the host buffer does with
// respect to multiples of 256 bytes.
class Image {
  public:
    Image(const void* buffer, Layout touched, Layout written);
    ~Image();
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;

    // What MPI gets in the place of the buffer: the same displacements lead to the same data.
    void* address() const;
    // Copies the data to the device; guards and the gaps between the data get a pattern.
    void in();
    // Copies back what the call may have written. Everything else must be as it was: null, or else what has changed.
    const char* out();
    const Layout& layout() const { return touched_; }

  private:
    static constexpr size_t kGuard = 256;
    static constexpr uint8_t kPattern = 0xB7;

    char* host(ptrdiff_t offset) const { return reinterpret_cast<char*>(reinterpret_cast<intptr_t>(buffer_) + offset); }
    uint8_t* at(std::vector<uint8_t>& bytes, ptrdiff_t offset) const {
        return bytes.data() + begin_ + static_cast<size_t>(offset - touched_.low);
    }

    const void* buffer_;
    Layout touched_, written_;
    size_t begin_;                 // of the data in the block
    std::vector<uint8_t> before_;  // the block's contents when the call begins
    char* block_ = nullptr;
};

class Move {
  public:
    Move(Kind kind, Form form, const Call& call);

    // Puts device addresses in the place of those that were moved; bcast has one buffer, which is sent or received.
    void replace(const void*& send, void*& recv) const {
        if (send_) send = send_->address();
        if (recv_) recv = recv_->address();
    }
    void replace(void*& buffer) const {
        if (moved()) buffer = (send_ ? send_ : recv_)->address();
    }

    bool moved() const { return send_ || recv_; }
    void in();
    // After the call is complete. Ends the job when what must not change has changed.
    void out(int rc);
    // in() has been called; returns `rc` for the caller's comfort.
    int complete(int rc) { return out(rc), rc; }

  private:
    std::unique_ptr<Image> image_of(const Side& side, Counter& counter) const;

    Kind kind_;
    std::unique_ptr<Image> send_, recv_;
};

}  // namespace devize
