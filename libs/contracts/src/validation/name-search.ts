import { work } from '@gangan/protocol';

/** The cost of a comparison grows with the square of the length. */
const maxLength = 40;
const maxDistance = 3;
const maxComparisons = 50;

/** A word longer than this is similar to none of these. */
export const maxSimilarLength = (words: readonly string[]): number =>
  Math.max(0, ...words.map(({ length }) => length)) + maxDistance;

/**
 * Finds the name that was probably meant by a misspelt one. A request has one search, which compares at most 50 pairs of
 * short names of similar length: thousands of unknown names cost no more than a few.
 */
export class NameSearch {
  /** How many pairs were compared. */
  comparisons = 0;

  get isOver(): boolean {
    return this.comparisons >= maxComparisons;
  }

  /**
   * The candidate that is most similar to a word, if one is similar enough.
   * @param spelling the word as it is compared with a candidate
   */
  closest(
    word: string,
    candidates: Iterable<string>,
    spelling: (candidate: string) => string = () => word,
  ): string | undefined {
    let [best, least]: [string | undefined, number] = [undefined, Infinity];
    for (const candidate of candidates) {
      if (this.isOver) break;
      const distance = this.distance(spelling(candidate), candidate);
      if (distance < least) [best, least] = [candidate, distance];
    }
    return best;
  }

  /** Infinity if the words are not similar enough. */
  private distance(given: string, candidate: string): number {
    if (given.length > maxLength || candidate.length > maxLength) return Infinity;
    if (Math.abs(given.length - candidate.length) > maxDistance) return Infinity;
    this.comparisons += 1;
    work.namesCompared += 1;
    const [written, meant] = [normalise(given), normalise(candidate)];
    const tolerance = Math.min(maxDistance, Math.max(1, Math.floor(meant.length / 3)));
    const distance = editDistance(written, meant);
    return distance <= tolerance ? distance : Infinity;
  }
}

/** `senderId`, `Sender-Id` and `sender_id` are equal. */
const normalise = (word: string): string => word.toLowerCase().replace(/[_-]/g, '');

/** The number of insertions, deletions, replacements and swaps of neighbours between two words. */
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
