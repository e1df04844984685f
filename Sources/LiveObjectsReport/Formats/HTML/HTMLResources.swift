/// The script of a report's page, and its hash in Base64, for the page's policy.
enum HTMLScript {
  static let hash = "uytAN9TU2cIHuaiCyWBYX227g1beKGUrexKHVaKzuIQ="
  static let text = String(decoding: PackageResources.report_js, as: UTF8.self)
}

/// The style sheet of all pages, and its hash.
enum HTMLStyle {
  static let hash = "H1j/1+9NvTVtQY/aldYgjX/8SZv3tikXTP1VcXDpVt0="
  static let text = String(decoding: PackageResources.report_css, as: UTF8.self)
}
