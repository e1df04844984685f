/// The script of a report's page, and its hash in Base64, for the page's policy.
enum HTMLScript {
  static let hash = "0B+NnOSW8mS8IyJ0ilGyUh6F/N6d4canmYSzjuJxBTw="
  static let text = String(decoding: PackageResources.report_js, as: UTF8.self)
}

/// The style sheet of all pages, and its hash.
enum HTMLStyle {
  static let hash = "GfXbo3QO4yDEVHYBUcvm7OnEAFijcf95qnGdUe5F6I0="
  static let text = String(decoding: PackageResources.report_css, as: UTF8.self)
}
