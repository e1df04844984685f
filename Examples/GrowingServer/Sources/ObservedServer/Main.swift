import CoreMetrics
import Hummingbird
import LiveObjects
import LiveObjectsMetrics
import ServiceLifecycle
import Shop

/// `ObservedServer [PORT]`: the same server, which tracks its own objects. The next port is for its operators:
/// `/metrics` and `/debug/pprof/heap`.
@main struct ObservedServer {
  static func main() async throws {
    try LiveObjects.start()
    let metrics = PrometheusMetrics()
    MetricsSystem.bootstrap(metrics)
    let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
    let operators = Shop.application(Router().adding(metrics), port: port + 1)
    try await Shop.application(Router().adding(Shop()), port: port, services: [operators, Gauges()])
      .runService()
  }
}

/// Publishes the live objects by type until the server stops.
struct Gauges: Service {
  func run() async {
    await cancelWhenGracefulShutdown { await LiveTypeGauges(interval: .seconds(2)).run() }
  }
}

extension Router<BasicRequestContext> {
  func adding(_ shop: Shop) -> Self {
    shop.addRoutes(to: self)
    return self
  }

  func adding(_ metrics: PrometheusMetrics) -> Self {
    get("metrics") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
    }
    get("debug/pprof/heap") { request, _ in
      let answer = await LiveObjects.heapProfile(query: request.uri.query)
      var response = Response(
        status: .init(code: answer.status), body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
      for (name, value) in answer.headers { response.headers[.init(name)!] = value }
      return response
    }
    return self
  }
}
