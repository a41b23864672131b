#include "tests/support/postgres_proxy.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace pawl::test {

namespace {

constexpr const char* socket_name = "/.s.PGSQL.5432";
constexpr int poll_ms = 20;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    throw std::runtime_error("the path of a socket is too long: " + path);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

int open_socket() { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

const sockaddr* as_generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

/// Moves what is there; false at the end of the stream.
bool move_bytes(int from, int to) {
  std::array<char, 65536> buffer;
  const auto got = ::recv(from, buffer.data(), buffer.size(), 0);
  if (got <= 0) {
    return false;
  }
  return ::send(to, buffer.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
}

/// A simple query message of just this text, as libpq sends it in one piece.
bool is_commit(int socket) {
  std::array<char, 16> head{};
  const auto got = ::recv(socket, head.data(), head.size(), MSG_PEEK);
  return got > 0 && std::string_view(head.data(), static_cast<std::size_t>(got))
                            .find(std::string_view("COMMIT\0", 7)) != std::string_view::npos;
}

}  // namespace

postgres_proxy::postgres_proxy(const std::string& url) {
  std::array<char, 32> pattern{"/tmp/pawl-proxy.XXXXXX"};
  directory_ = ::mkdtemp(pattern.data());
  const auto host = url.find("host=") + 5;
  target_ = url.substr(host, url.find(' ', host) - host) + socket_name;
  url_ = url + " host=" + directory_;
  listener_ = open_socket();
  const sockaddr_un own = address_of(directory_ + socket_name);
  if (::bind(listener_, as_generic(own), sizeof own) != 0 || ::listen(listener_, 8) != 0) {
    throw std::runtime_error("the proxy can't listen in " + directory_);
  }
  acceptor_ = std::thread([this] { accept_all(); });
}

postgres_proxy::~postgres_proxy() {
  stop_ = true;
  acceptor_.join();
  for (std::thread& forwarder : forwarders_) {
    forwarder.join();
  }
  ::close(listener_);
  ::unlink((directory_ + socket_name).c_str());
  ::rmdir(directory_.c_str());
}

void postgres_proxy::accept_all() {
  while (!stop_) {
    pollfd ready{listener_, POLLIN, 0};
    if (::poll(&ready, 1, poll_ms) != 1) {
      continue;
    }
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = open_socket();
    const sockaddr_un there = address_of(target_);
    if (::connect(server, as_generic(there), sizeof there) != 0) {
      ::close(client);
      ::close(server);
      continue;
    }
    forwarders_.emplace_back([this, client, server] { forward(client, server); });
  }
}

void postgres_proxy::forward(int client, int server) {
  while (!stop_) {
    std::array<pollfd, 2> ready{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    if (::poll(ready.data(), ready.size(), poll_ms) <= 0) {
      continue;
    }
    if (ready[0].revents != 0) {
      const cut where = is_commit(client) ? next_.exchange(cut::none) : cut::none;
      if (where == cut::before_sending || !move_bytes(client, server)) {
        break;
      }
      if (where == cut::before_answer) {
        break;
      }
    }
    if (ready[1].revents != 0 && !move_bytes(server, client)) {
      break;
    }
  }
  ::close(client);
  ::close(server);
}

}  // namespace pawl::test
