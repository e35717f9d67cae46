import type { Dto, FieldError } from '@gangan/protocol';
import { fieldsOf } from './rules.js';

/** Longer names are not compared: the cost grows with the square of the length. */
const maxNameLength = 40;
const maxNamesCompared = 50;

/** Unknown fields are ignored. If one is similar to a missing field, the error names it: it may be a typo. */
export function withTypoHint(
  error: FieldError,
  dto: Dto<object>,
  property: string,
  plain: object,
): FieldError {
  if (error.type !== 'missing' || Object.hasOwn(plain, property)) return error;
  const declared = fieldsOf(dto);
  const unknown = Object.keys(plain)
    .filter((name) => !declared.includes(name))
    .slice(0, maxNamesCompared);
  const given = findClosest(property, unknown);
  if (given === undefined) return error;
  return { ...error, message: `${error.message} (${given} is not a field of this request)` };
}

/** The candidate that is most similar to `word`, if one is similar enough. */
export function findClosest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxNameLength) return undefined;
  const written = normalise(word);
  let [best, least]: [string | undefined, number] = [undefined, Infinity];
  for (const candidate of candidates) {
    if (candidate.length > maxNameLength) continue;
    const meant = normalise(candidate);
    const distance = editDistance(written, meant);
    if (distance < least && distance <= tolerance(meant)) [best, least] = [candidate, distance];
  }
  return best;
}

/** `senderId`, `Sender-Id` and `sender_id` are equal. */
const normalise = (word: string): string => word.toLowerCase().replace(/[_-]/g, '');

const tolerance = (word: string): number => Math.min(3, Math.max(1, Math.floor(word.length / 3)));

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
