/** Longer words are not compared: nobody mistypes a name of that length, and the work grows with its square. */
const longest = 40;

/** The candidate that somebody who wrote `word` most likely meant, if any is near enough. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longest) return undefined;
  const written = plain(word);
  let [best, least]: [string | undefined, number] = [undefined, Infinity];
  for (const candidate of candidates) {
    if (candidate.length > longest) continue;
    const meant = plain(candidate);
    const distance = editDistance(written, meant);
    if (distance < least && distance <= tolerance(meant)) [best, least] = [candidate, distance];
  }
  return best;
}

/** `senderId`, `Sender-Id` and `sender_id` are the same to a person. */
const plain = (word: string): string => word.toLowerCase().replace(/[_-]/g, '');

const tolerance = (word: string): number => Math.min(3, Math.max(1, Math.floor(word.length / 3)));

/** How many letters are added, left out, replaced or swapped with their neighbour. */
export function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const [letter, counterpart] = [one[row - 1], other[column - 1]];
      const swapped = letter === other[column - 2] && one[row - 2] === counterpart;
      current.push(
        Math.min(
          at(above, column) + 1,
          at(current, column - 1) + 1,
          at(above, column - 1) + (letter === counterpart ? 0 : 1),
          swapped ? at(before, column - 2) + 1 : Infinity,
        ),
      );
    }
    [before, above] = [above, current];
  }
  return at(above, other.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity;
