# shellcheck shell=bash
# How the tests of a run came out, one line a test: name, outcome. Sourced, never run.

# outcomes_of_xctest LOG: tests print too, so a line may begin with something else.
outcomes_of_xctest() {
  grep --text -oE "Test Case '[^']+' (passed|failed|skipped)" "$1" |
    sed -E "s/^Test Case '(.*)' (.*)/\1\t\2/" | sort || true
}

# outcomes_of_testing XUNIT
outcomes_of_testing() {
  [[ -f $1 ]] || return 0
  awk '
    /<testcase / {
      match($0, /classname="[^"]*"/); suite = substr($0, RSTART + 11, RLENGTH - 12)
      match($0, / name="[^"]*"/); test = suite "/" substr($0, RSTART + 7, RLENGTH - 8)
      outcome[test] = "passed"
    }
    /<failure/ { outcome[test] = "failed" }
    /<skipped/ { outcome[test] = "skipped" }
    END { for (test in outcome) print test "\t" outcome[test] }' "$1" | sort
}

# different_outcomes ONE OTHER: the names of the tests that did not come out alike.
different_outcomes() {
  comm -3 "$1" "$2" | sed 's/^\t//' | cut -f 1 | sort -u
}
