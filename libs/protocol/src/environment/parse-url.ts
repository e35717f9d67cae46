/**
 * Parses a URL; `undefined` if it is not one. `URL.canParse` is not used: after some thousand calls, Node 20 rejects URLs
 * with characters such as "ü".
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
