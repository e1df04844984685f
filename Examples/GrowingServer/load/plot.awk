# Draws the recorder's memory over the rounds of scripts/bench-server as SVG.
$1 != "plain" {
  value[$1, $2] = $8 / 1024
  if ($2 > rounds) rounds = $2
  if (value[$1, $2] > top) top = value[$1, $2]
}

function x(round) { return 60 + (rounds > 1 ? (round - 1) / (rounds - 1) : 0) * 560 }

function y(megabytes) { return 260 - megabytes / top * 230 }

END {
  split("#4269d0 #efb118 #ff725c #3ca951", colors, " ")
  top = top * 1.1 + 1
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 300\" font-family=\"sans-serif\" font-size=\"12\">"
  print "<rect width=\"760\" height=\"300\" fill=\"white\"/>"
  for (i = 0; i <= 4; i++) {
    printf "<path d=\"M60 %.0fH620\" stroke=\"#ddd\"/>", y(top * i / 4)
    printf "<text x=\"52\" y=\"%.0f\" text-anchor=\"end\">%.1f</text>\n", y(top * i / 4) + 4, top * i / 4
  }
  print "<text x=\"60\" y=\"16\">memory of the recorder (MB)</text>"
  print "<text x=\"620\" y=\"290\" text-anchor=\"end\">round " rounds "</text><text x=\"60\" y=\"290\">round 1</text>"
  count = split(names, list, " ")
  for (i = 1; i <= count; i++) {
    name = list[i]
    if (name == "plain") continue
    line = ""
    for (round = 1; round <= rounds; round++) line = line sprintf("%.1f,%.1f ", x(round), y(value[name, round]))
    printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", line, colors[i - 1]
    printf "<text x=\"628\" y=\"%.0f\" fill=\"%s\">%s</text>\n", 30 + 16 * i, colors[i - 1], name
  }
  print "</svg>"
}
