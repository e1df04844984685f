/// The script of a report's page, and its hash in Base64, for the page's policy.
enum HTMLScript {
  static let hash = "k8wT+dn0VAbtyvNhzza1zbYN8FD1ZUHuplhxnVRLmNM="
  static let text = String(decoding: PackageResources.report_js, as: UTF8.self)
}

/// The style sheet of all pages, and its hash.
enum HTMLStyle {
  static let hash = "oAebppxSK7vUQVkAFk4gq7YJSljDwitJPc0v9hBEAm0="
  static let text = String(decoding: PackageResources.report_css, as: UTF8.self)
}
