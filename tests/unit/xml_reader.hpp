// Reads as much XML as a test needs, strictly: elements, quoted attributes, text, the predefined
// and numeric entities. Throws std::runtime_error on what is not well-formed.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gpubench::test {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;
  std::vector<XmlElement> children;

  // The first child of that name; null where there is none.
  const XmlElement* child(std::string_view wanted) const {
    for (const XmlElement& element : children)
      if (element.name == wanted) return &element;
    return nullptr;
  }
  std::vector<const XmlElement*> all(std::string_view wanted) const {
    std::vector<const XmlElement*> found;
    for (const XmlElement& element : children)
      if (element.name == wanted) found.push_back(&element);
    return found;
  }
};

class XmlReader {
 public:
  // The root of a document that starts with an XML declaration.
  static XmlElement read(std::string_view text) {
    XmlReader reader(text);
    reader.expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    reader.expect("<");
    XmlElement root = reader.element();
    reader.expect("\n");
    if (!reader.rest_.empty()) throw std::runtime_error("something after the root");
    return root;
  }

 private:
  explicit XmlReader(std::string_view text) : rest_(text) {}

  bool take(std::string_view wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  void expect(std::string_view wanted) {
    if (!take(wanted))
      throw std::runtime_error("no '" + std::string(wanted) + "' at '" +
                               std::string(rest_.substr(0, 40)) + "'");
  }
  std::string until(std::string_view ends) {
    const std::size_t end = rest_.find_first_of(ends);
    if (end == rest_.npos) throw std::runtime_error("no end");
    const std::string taken(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return taken;
  }
  static std::string decoded(const std::string& raw) {
    static const std::map<std::string, char> entities = {
        {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    std::string out;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const auto byte = static_cast<unsigned char>(raw[i]);
      if (byte < 0x20 && raw[i] != '\n') throw std::runtime_error("a control character");
      if (raw[i] != '&') {
        out += raw[i];
        continue;
      }
      const std::size_t end = raw.find(';', i);
      if (end == raw.npos) throw std::runtime_error("a bare ampersand");
      const std::string entity = raw.substr(i + 1, end - i - 1);
      out += entity.starts_with('#') ? static_cast<char>(std::stoi(entity.substr(1)))
                                     : entities.at(entity);
      i = end;
    }
    return out;
  }
  // After the '<' of its start tag.
  XmlElement element() {
    XmlElement element;
    element.name = until(" >/");
    while (take(" ")) {
      const std::string attribute = until("=");
      expect("=\"");
      const std::string value = until("\"<");
      expect("\"");
      if (!element.attributes.emplace(attribute, decoded(value)).second)
        throw std::runtime_error("an attribute given twice");
    }
    if (take("/>")) return element;
    expect(">");
    while (true) {
      element.text += decoded(until("<"));
      expect("<");
      if (take("/")) {
        expect(element.name + ">");
        return element;
      }
      element.children.push_back(this->element());
    }
  }

  std::string_view rest_;
};

}  // namespace gpubench::test
