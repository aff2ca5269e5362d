/// How many letters must be put in, taken out or changed to make one text of the other (Levenshtein).
func editDistance(_ left: String, _ right: String) -> Int {
  let right = Array(right.utf8)
  var row = Array(0...right.count)
  for (i, letter) in left.utf8.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for j in right.indices {
      let changed = diagonal + (letter == right[j] ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(changed, row[j] + 1, diagonal + 1)
    }
  }
  return row[right.count]
}
