// Tables for people: columns sized to their contents, and the least important ones left out where
// the terminal is too narrow.
#pragma once

#include <string>
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

// Columns of the terminal on standard output; 160 where it is not a terminal.
std::size_t output_width();

// Whether colour may be used on this file descriptor: a terminal, no non-empty NO_COLOR, TERM not
// dumb.
bool color_allowed(int descriptor);

}  // namespace gpubench
