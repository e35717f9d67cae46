/**
 * The URL to look for a route with. A path that cannot be decoded, or not into text that can be stored, is taken as it
 * stands: an id in it is text like any other, and names nothing.
 */
export function usableUrl(url: string): string {
  if (!url.includes('%')) return url;
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const isUsable = decoded(path)?.includes('\0') === false;
  return isUsable ? url : path.replaceAll('%', '%25') + url.slice(path.length);
}

export const isDecodable = (path: string): boolean => decoded(path) !== undefined;

function decoded(path: string): string | undefined {
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}
