import Testing
import Wire

/// Five tests whose requests get no response.
@Suite struct RequestTests {
  private func send() {
    #expect(makeRequest().status == 0)
  }

  @Test func request01() { send() }
  @Test func request02() { send() }
  @Test func request03() { send() }
  @Test func request04() { send() }
  @Test func request05() { send() }

  @Test func isAnswered() {
    let request = makeRequest()
    request.respond(200)
    #expect(request.status == 200)
  }
}

@inline(never)
private func makeRequest() -> Request { Request() }
