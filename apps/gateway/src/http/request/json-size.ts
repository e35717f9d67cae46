import { randomInt } from 'node:crypto';

/** Levels of objects and lists inside each other. */
export const maxJsonDepth = 20;
/** Values of a body: texts, numbers, objects, lists and so on. A route may declare another limit. */
export const defaultMaxJsonValues = 5_000;
/**
 * Different field names of a body. A contact table has at most 100 columns, and no other request has so many. V8 keeps each
 * name that it parses until its next full garbage collection, so many new names per second cause many collections.
 */
export const maxJsonNames = 150;

const [quote, backslash, comma, colon, space, openBrace, closeBrace, openBracket, closeBracket] = [
  ...Buffer.from('"\\,: {}[]'),
] as [number, number, number, number, number, number, number, number, number];

/**
 * Whether JSON is too deep or has too many values or field names, found without parsing it: parsing and validation cost far more per
 * byte. Stops at the first excess. Empty lists and objects may count as two values.
 */
export function findJsonExcess(
  json: Uint8Array,
  maxValues: number,
): 'depth' | 'values' | 'names' | undefined {
  let depth = 0;
  let values = 1;
  const names = new Set<number>();
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) {
      const start = at;
      at = endOfText(json, start);
      if (isName(json, at)) names.add(hashOf(json, start, at));
      if (names.size > maxJsonNames) return 'names';
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      values += 1;
      if (depth > maxJsonDepth) return 'depth';
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
    } else if (byte === comma) {
      values += 1;
    }
    if (values > maxValues) return 'values';
  }
  return undefined;
}

/** The position of the closing quotation mark, or the end of the input. */
function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}

/** Whether a colon follows the text that ends here. */
function isName(json: Uint8Array, end: number): boolean {
  let at = end + 1;
  while (at < json.length && (json[at] ?? 0) <= space) at += 1;
  return json[at] === colon;
}

/** Random, so that a sender cannot choose names with equal hashes. */
const hashBasis = randomInt(2 ** 32);

/** FNV-1a: a string for each name would cost more than the rest of the search. */
function hashOf(json: Uint8Array, start: number, end: number): number {
  let hash = hashBasis;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (json[at] ?? 0), 0x01000193);
  return hash;
}
