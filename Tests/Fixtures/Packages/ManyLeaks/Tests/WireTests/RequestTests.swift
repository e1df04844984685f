import Testing
import Wire

/// Fifty tests whose requests get no response.
@Suite struct RequestTests {
  private func send() {
    #expect(makeRequest().status == 0)
  }

  @Test func request01() { send() }
  @Test func request02() { send() }
  @Test func request03() { send() }
  @Test func request04() { send() }
  @Test func request05() { send() }
  @Test func request06() { send() }
  @Test func request07() { send() }
  @Test func request08() { send() }
  @Test func request09() { send() }
  @Test func request10() { send() }
  @Test func request11() { send() }
  @Test func request12() { send() }
  @Test func request13() { send() }
  @Test func request14() { send() }
  @Test func request15() { send() }
  @Test func request16() { send() }
  @Test func request17() { send() }
  @Test func request18() { send() }
  @Test func request19() { send() }
  @Test func request20() { send() }
  @Test func request21() { send() }
  @Test func request22() { send() }
  @Test func request23() { send() }
  @Test func request24() { send() }
  @Test func request25() { send() }
  @Test func request26() { send() }
  @Test func request27() { send() }
  @Test func request28() { send() }
  @Test func request29() { send() }
  @Test func request30() { send() }
  @Test func request31() { send() }
  @Test func request32() { send() }
  @Test func request33() { send() }
  @Test func request34() { send() }
  @Test func request35() { send() }
  @Test func request36() { send() }
  @Test func request37() { send() }
  @Test func request38() { send() }
  @Test func request39() { send() }
  @Test func request40() { send() }
  @Test func request41() { send() }
  @Test func request42() { send() }
  @Test func request43() { send() }
  @Test func request44() { send() }
  @Test func request45() { send() }
  @Test func request46() { send() }
  @Test func request47() { send() }
  @Test func request48() { send() }
  @Test func request49() { send() }
  @Test func request50() { send() }

  @Test func isAnswered() {
    let request = makeRequest()
    request.respond(200)
    #expect(request.status == 200)
  }
}

@inline(never)
private func makeRequest() -> Request { Request() }
