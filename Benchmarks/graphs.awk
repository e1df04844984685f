# Reads lines `shape objects way round wall cpu memory` with the ways off, on and report, and prints one Markdown
# table: what reading the references adds to a capture, and what the report takes. Medians over the rounds.

{
  row = $1 " | " $2
  if (!(row in seen)) { seen[row] = 1; rows[++row_count] = row }
  wall[row, $3, $4] = $5
  memory[row, $3, $4] = $7
  if ($4 > rounds) rounds = $4
}

END {
  print "\n| heap | objects | graph | report | both | peak of the report |"
  print "|---|---:|---:|---:|---:|---:|"
  for (r = 1; r <= row_count; r++) print_row(rows[r])
}

function print_row(row,    round, graph, report, peak) {
  for (round = 1; round <= rounds; round++) {
    graph[round] = wall[row, "on", round] - wall[row, "off", round]
    report[round] = wall[row, "report", round]
    peak[round] = memory[row, "report", round] / 1024
  }
  printf "| %s | %.2f s | %.2f s | %.2f s | %.0f MiB |\n", row, median(graph), median(report),
    median(graph) + median(report), median(peak)
}

function median(sample,    i, k, swap) {
  for (k = 2; k <= rounds; k++)
    for (i = k; i > 1 && sample[i] < sample[i - 1]; i--) {
      swap = sample[i]; sample[i] = sample[i - 1]; sample[i - 1] = swap
    }
  return rounds % 2 ? sample[(rounds + 1) / 2] : (sample[rounds / 2] + sample[rounds / 2 + 1]) / 2
}
