#include "cli/key_page.h"

#include <qrencode.h>

#include <cerrno>
#include <memory>

#include <fmt/format.h>

#include "cli/html_text.h"
#include "crypt/paper_key.h"

namespace cairn::cli {
namespace {

// One path with a run of dark modules per step; the margin of four modules is what readers ask for.
Result<std::string> qr_svg(std::string_view text) {
  constexpr int kMargin = 4;
  constexpr int kSmallestThatFits = 0;
  const std::unique_ptr<QRcode, void (*)(QRcode*)> code(
      QRcode_encodeData(static_cast<int>(text.size()), reinterpret_cast<const unsigned char*>(text.data()),
                        kSmallestThatFits, QR_ECLEVEL_M),
      QRcode_free);
  if (!code) return fail(Code::Error, fmt::format("The QR code can not be made: {}", os_error(errno, "").message()));
  std::string path;
  for (int y = 0; y < code->width; ++y) {
    for (int x = 0; x < code->width;) {
      int end = x;
      while (end < code->width && (code->data[y * code->width + end] & 1) != 0) ++end;
      if (end > x) path += fmt::format("M{} {}h{}v1h-{}z", x + kMargin, y + kMargin, end - x, end - x);
      x = end > x ? end : x + 1;
    }
  }
  const int side = code->width + 2 * kMargin;
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {0}\" shape-rendering=\"crispEdges\"><rect width=\"{0}\" height=\"{0}\" "
      "fill=\"#fff\"/><path d=\"{1}\"/></svg>\n",
      side, path);
}

}  // namespace

Result<std::string> key_page(std::string_view key_text, const RepositoryId& repository, std::string_view location) {
  CAIRN_TRY(const std::string paper, crypt::paper_key(key_text, repository));
  CAIRN_TRY(const std::string svg, qr_svg(key_text));
  return fmt::format(
      "<!doctype html>\n"
      "<html lang=\"en\">\n"
      "<head>\n"
      "<meta charset=\"utf-8\">\n"
      "<title>Key of backup repository {0}</title>\n"
      "<style>\n"
      "body {{ font: 10pt sans-serif; margin: 1cm; color: #000; background: #fff; }}\n"
      "pre {{ font: 9pt monospace; margin: 0; }}\n"
      "svg {{ width: 9cm; height: 9cm; }}\n"
      "section {{ break-inside: avoid; margin-bottom: 5mm; }}\n"
      "h1 {{ font-size: 13pt; }} h2 {{ font-size: 11pt; margin: 0 0 2mm 0; }}\n"
      "</style>\n"
      "</head>\n"
      "<body>\n"
      "<h1>Key of a backup repository</h1>\n"
      "<p>Repository {0}<br>at {1}</p>\n"
      "<p>The key is protected by its passphrase, which is not on this page: both are needed.</p>\n"
      "<section><h2>To scan</h2>\n"
      "<p>The code holds the text at the end of this page. Save it to a file, then: <code>borg key import "
      "FILE</code></p>\n"
      "{2}</section>\n"
      "<section><h2>To type in</h2>\n"
      "<pre>{3}</pre></section>\n"
      "<section><h2>Text</h2>\n"
      "<pre>{4}</pre></section>\n"
      "</body>\n"
      "</html>\n",
      repository.hex(), html_text(location), svg, html_text(paper), html_text(key_text));
}

}  // namespace cairn::cli
