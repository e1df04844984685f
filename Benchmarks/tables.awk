# Reads lines `program configuration way round wall cpu memory`, and prints for wall time, CPU time and peak
# memory one Markdown table: the plain run's median, and each other way's median ratio to it.
# Variable: ways, a list of names that begins with `plain`.

{
  row = $1 ", " $2
  if (!(row in seen)) { seen[row] = 1; rows[++row_count] = row }
  for (metric = 1; metric <= 3; metric++) value[row, $3, $4, metric] = $(metric + 4)
  if ($4 > rounds) rounds = $4
}

END {
  way_count = split(ways, way)
  split("Wall time|CPU time|Peak memory", title, "|")
  split("%.2f s|%.2f s|%.0f KiB", unit, "|")
  for (metric = 1; metric <= 3; metric++) print_table(metric)
}

function print_table(metric,    r, w) {
  printf "\n%s\n\n| program |", title[metric]
  for (w = 1; w <= way_count; w++) printf " %s |", way[w]
  printf "\n|---|"
  for (w = 1; w <= way_count; w++) printf "---:|"
  print ""
  for (r = 1; r <= row_count; r++) {
    printf "| %s | " unit[metric] " |", rows[r], median(rows[r], "plain", metric, 0)
    for (w = 2; w <= way_count; w++) printf " %.2fx |", median(rows[r], way[w], metric, 1)
    print ""
  }
}

# The median over the rounds, of the values or of their ratios to the plain run of the same round.
function median(row, name, metric, as_ratio,    round, count, sample, i, swap) {
  for (round = 1; round <= rounds; round++) {
    if (!((row, name, round, metric) in value)) continue
    sample[++count] = value[row, name, round, metric]
    if (as_ratio) sample[count] /= value[row, "plain", round, metric]
    for (i = count; i > 1 && sample[i] < sample[i - 1]; i--) {
      swap = sample[i]; sample[i] = sample[i - 1]; sample[i - 1] = swap
    }
  }
  return count % 2 ? sample[(count + 1) / 2] : (sample[count / 2] + sample[count / 2 + 1]) / 2
}
