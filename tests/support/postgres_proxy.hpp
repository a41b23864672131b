#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace pawl::test {

/// Stands between libpq and the server's unix socket and cuts the connection at the next COMMIT:
/// the one moment at which a client can't know what became of it.
class postgres_proxy {
 public:
  enum class cut { none, before_sending, before_answer };

  /// Forwards to the server in the directory `host` of `url`.
  explicit postgres_proxy(const std::string& url);
  ~postgres_proxy();
  postgres_proxy(const postgres_proxy&) = delete;
  postgres_proxy& operator=(const postgres_proxy&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }
  /// What happens to the next COMMIT; later ones pass.
  void cut_next(cut where) { next_ = where; }

 private:
  void accept_all();
  void forward(int client, int server);

  std::string directory_;
  std::string target_;
  std::string url_;
  int listener_ = -1;
  std::atomic<cut> next_{cut::none};
  std::atomic<bool> stop_{false};
  std::thread acceptor_;
  std::vector<std::thread> forwarders_;
};

}  // namespace pawl::test
