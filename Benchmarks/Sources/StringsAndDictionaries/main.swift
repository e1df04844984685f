// The standard library's own allocations: strings too long to be stored inline, dictionaries that grow,
// arrays that are sorted.

/// A sentence of words from a vocabulary of 5,000, the same at every run.
func makeSentence(_ seed: Int) -> String {
  (0..<12).map { "vocabulary word \((seed &* 7_919 &+ $0 &* 104_729) % 5_000)" }.joined(separator: ", ")
}

func countWords(in sentences: [String]) -> [String: Int] {
  var counts: [String: Int] = [:]
  for sentence in sentences {
    for word in sentence.split(separator: ", ") {
      counts[String(word), default: 0] += 1
    }
  }
  return counts
}

var total = 0
for pass in 0..<5 {
  let counts = countWords(in: (0..<4_000).map { makeSentence(pass * 4_000 + $0) })
  total += counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.first?.value ?? 0
}
print(total)
