#include "base/table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace gpubench {

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

void Table::add(std::vector<std::string> cells, std::string note) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), std::move(note)});
}

std::string Table::text(std::size_t width) const {
  std::vector<std::size_t> widths;
  std::vector<bool> shown;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = 0;
    for (const Row& row : rows_) widest = std::max(widest, display_width(row.cells[c]));
    shown.push_back(widest > 0);  // a column with nothing in it says nothing
    widths.push_back(std::max(widest, display_width(columns_[c].title)));
  }
  const auto total = [&] {
    std::size_t sum = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (shown[c]) sum += widths[c] + 2;
    return sum;
  };
  while (total() > width + 2) {
    std::size_t least = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (shown[c] && columns_[c].importance > 0 &&
          (least == columns_.size() || columns_[c].importance < columns_[least].importance))
        least = c;
    if (least == columns_.size()) break;
    shown[least] = false;
  }

  std::string out;
  const auto line = [&](const auto& cell_of, const std::string& note) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (!shown[c]) continue;
      const std::string& cell = cell_of(c);
      const std::string padding(widths[c] - std::min(widths[c], display_width(cell)), ' ');
      if (!text.empty()) text += "  ";
      text += columns_[c].right ? padding + cell : cell + padding;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    // A note that does not fit behind its row stands below it.
    if (!note.empty())
      text += (display_width(text) + 2 + display_width(note) > width ? "\n    " : "  ") + note;
    out += text + "\n";
  };
  line([&](std::size_t c) -> const std::string& { return columns_[c].title; }, "");
  for (const Row& row : rows_)
    line([&](std::size_t c) -> const std::string& { return row.cells[c]; }, row.note);
  return out;
}

std::optional<std::size_t> terminal_width(int descriptor) {
  winsize size{};
  if (!isatty(descriptor) || ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return std::nullopt;
  return size.ws_col;
}

std::size_t output_width() {
  return terminal_width(STDOUT_FILENO).value_or(160);
}

}  // namespace gpubench
