import FixtureSupport

final class Passing { var number = 0 }
final class Survivor {}
final class ChildSurvivor {}

@inline(never) @_optimize(none)
func pass(_ count: Int) {
  for number in 0..<count { Passing().number = number }
}

@inline(never) @_optimize(none)
func leaveSurvivors(_ count: Int) {
  for _ in 0..<count { leak(Survivor()) }
}
