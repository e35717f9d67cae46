/** Levels of objects and lists inside each other. */
export const maxJsonDepth = 20;
/** Values of a body: texts, numbers, objects, lists and so on. A route may declare another limit. */
export const defaultMaxJsonValues = 5_000;

const [quote, backslash, comma, openBrace, closeBrace, openBracket, closeBracket] = [
  ...Buffer.from('"\\,{}[]'),
] as [number, number, number, number, number, number, number];

/**
 * Whether JSON is too deep or has too many values, found without parsing it: parsing and validation cost far more per
 * byte. Stops at the first excess. The count is exact, except that empty lists and objects may count twice.
 */
export function findJsonExcess(json: Uint8Array, maxValues: number): 'depth' | 'values' | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) {
      at = endOfText(json, at);
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
