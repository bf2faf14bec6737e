// A strict little XML reader for tests: tags must nest, attributes must be quoted, entities must be the five known
// ones.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::chart {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // its own, without that of elements inside

  double number(const std::string& attribute) const { return std::stod(attributes.at(attribute)); }
  bool is_of_class(std::string_view word) const {
    const auto found = attributes.find("class");
    return found != attributes.end() && (' ' + found->second + ' ').contains(' ' + std::string(word) + ' ');
  }
};

class XmlReader {
 public:
  // All elements in document order; adds test failures where the text is not XML.
  static std::vector<XmlElement> read(std::string_view text) {
    XmlReader reader(text);
    reader.run();
    return reader.elements_;
  }

 private:
  explicit XmlReader(std::string_view text) : text_(text) {}

  void run() {
    std::vector<std::size_t> open;
    while (at_ < text_.size()) {
      if (text_[at_] != '<') {
        const std::size_t end = std::min(text_.find('<', at_), text_.size());
        const std::string words = unescaped(text_.substr(at_, end - at_));
        if (!open.empty()) elements_[open.back()].text += words;
        at_ = end;
        continue;
      }
      const std::size_t end = text_.find('>', at_);
      ASSERT_NE(end, std::string_view::npos) << "an open tag";
      std::string_view tag = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      if (tag.starts_with('/')) {
        ASSERT_FALSE(open.empty());
        ASSERT_EQ(elements_[open.back()].name, tag.substr(1));
        open.pop_back();
        continue;
      }
      const bool closed = tag.ends_with('/');
      if (closed) tag.remove_suffix(1);
      elements_.push_back(element(tag));
      if (!closed) open.push_back(elements_.size() - 1);
    }
    EXPECT_TRUE(open.empty());
  }

  XmlElement element(std::string_view tag) {
    XmlElement found;
    std::size_t at = std::min(tag.find(' '), tag.size());
    found.name = tag.substr(0, at);
    while (at < tag.size()) {
      at = tag.find_first_not_of(' ', at);
      if (at == std::string_view::npos) break;
      const std::size_t equal = tag.find("=\"", at);
      EXPECT_NE(equal, std::string_view::npos) << tag;
      if (equal == std::string_view::npos) break;
      const std::size_t quote = tag.find('"', equal + 2);
      EXPECT_NE(quote, std::string_view::npos) << tag;
      if (quote == std::string_view::npos) break;
      found.attributes[std::string(tag.substr(at, equal - at))] = unescaped(tag.substr(equal + 2, quote - equal - 2));
      at = quote + 1;
    }
    return found;
  }

  static std::string unescaped(std::string_view text) {
    static const std::map<std::string_view, char> known = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] != '&') {
        out += text[at++];
        continue;
      }
      const std::string_view entity = text.substr(at, text.find(';', at) + 1 - at);
      const auto found = known.find(entity);
      EXPECT_NE(found, known.end()) << entity;
      if (found == known.end()) return out;
      out += found->second;
      at += entity.size();
    }
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<XmlElement> elements_;
};

}  // namespace cairn::chart
