/** `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The strings and the numbers of a JSON document. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const longInteger = /^-?\d{16,}$/;

/** Long integers become texts, because `JSON.parse` rounds them. `undefined` if it is not JSON. */
export function parseExactJson(text: string): unknown {
  const document = parseJson(text);
  if (document === undefined || !/\d{16}/.test(text)) return document;
  return parseJson(text.replaceAll(tokens, (token) => (longInteger.test(token) ? `"${token}"` : token)));
}

/** The value at a JSON pointer (RFC 6901), `undefined` if there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const name of pointerParts(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The list at a JSON pointer. With `*` for every element of a list, all elements at that place, which may be none. */
export function listAt(document: unknown, pointer: string): unknown {
  const [first = '', ...further] = pointer.split('/*/');
  if (further.length === 0) return valueAt(document, pointer);
  return [first, ...further.map((part) => `/${part}`)].reduce(
    (found: readonly unknown[], part) =>
      found.flatMap((value) => {
        const list = valueAt(value, part);
        return Array.isArray(list) ? (list as unknown[]) : [];
      }),
    [document],
  );
}

/** The names in a JSON pointer. */
export const pointerParts = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The text, number or boolean at a JSON pointer, as a text. */
export function textAt(document: unknown, pointer: string): string | undefined {
  const value = valueAt(document, pointer);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
