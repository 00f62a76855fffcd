// Tables for people: columns sized to their contents, and the least important ones left out where
// the terminal is too narrow.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpubench {

struct Column {
  std::string title;
  bool right = true;   // numbers stand right
  int importance = 0;  // columns of lowest importance go first; 0 always stays
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // As many cells as columns; missing ones are empty. `note` is printed behind the row.
  void add(std::vector<std::string> cells, std::string note = {});
  // Lines with a line feed each, no wider than `width` where leaving out columns can achieve it.
  std::string text(std::size_t width) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string note;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Code points, which is what a terminal shows of the text used here.
std::size_t display_width(std::string_view text);

// Columns of the terminal on this file descriptor; empty where it is none, or does not tell.
std::optional<std::size_t> terminal_width(int descriptor);
// Columns of the terminal on standard output; 160 where it is not a terminal.
std::size_t output_width();

}  // namespace gpubench
