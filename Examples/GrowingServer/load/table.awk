# Makes the table of scripts/bench-server from its lines: name, round, requests, µs, failed, p50, p99 (µs), recorder,
# resident (KiB), snapshot (ms).
{
  throughput[$1, $2] = $3 / $4 * 1e6
  failed[$1] += $5
  p50[$1, $2] = $6
  p99[$1, $2] = $7
  recorder[$1, $2] = $8 / 1024
  resident[$1, $2] = $9 / 1024
  snapshot[$1, $2] = $10
  if ($2 > rounds) rounds = $2
}

# The median of a figure over the rounds, as a ratio to the plain server's in the same round if `ratio`.
function median(figures, name, ratio,    sorted, round, value, i) {
  for (round = 1; round <= rounds; round++) {
    value = figures[name, round] / (ratio ? figures["plain", round] : 1)
    for (i = round - 1; i >= 1 && sorted[i] > value; i--) sorted[i + 1] = sorted[i]
    sorted[i + 1] = value
  }
  return (sorted[int((rounds + 1) / 2)] + sorted[int(rounds / 2) + 1]) / 2
}

END {
  print "| server | requests/s | ratio | p50 (ms) | p99 (ms) | ratio | failed requests | recorder, first and last round (MB) | resident (MB) | snapshot (ms) |"
  print "|---|---|---|---|---|---|---|---|---|---|"
  count = split(names, list, " ")
  for (i = 1; i <= count; i++) {
    name = list[i]
    printf "| %s | %.0f | %.2f | %.2f | %.2f | %.2f | %d | %.0f, %.0f | %.0f, %.0f | %.0f |\n", name, median(throughput, name),
      median(throughput, name, 1), median(p50, name) / 1000, median(p99, name) / 1000, median(p99, name, 1), failed[name],
      recorder[name, 1], recorder[name, rounds], resident[name, 1], resident[name, rounds], median(snapshot, name)
  }
}
