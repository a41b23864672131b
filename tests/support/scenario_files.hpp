#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace pawl {

/// A temporary folder for the files of one test, removed at its end.
class scenario_files {
 public:
  scenario_files() {
    std::string name = (std::filesystem::temp_directory_path() / "pawl-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  scenario_files(const scenario_files&) = delete;
  scenario_files& operator=(const scenario_files&) = delete;
  ~scenario_files() { std::filesystem::remove_all(path_); }

  /// Writes a file and gives its path.
  std::string write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace pawl
