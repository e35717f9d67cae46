import { editDistance } from '@gangan/contracts';

const maxDistance = 3;
const maxComparedLength = 100;

/** The path of a URL, without query and trailing slash. */
export const pathOf = (url: string): string => {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
};

/** Escapes the `%` of a path that cannot be decoded or contains U+0000, so that the router takes it literally. */
export function routableUrl(url: string): string {
  if (!url.includes('%')) return url;
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const isUsable = decode(path)?.includes('\0') === false;
  return isUsable ? url : path.replaceAll('%', '%25') + url.slice(path.length);
}

export const isDecodable = (path: string): boolean => decode(path) !== undefined;

function decode(path: string): string | undefined {
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}

/** The route that was most likely meant, in the notation `/otp/{id}`. */
export function nearestPath(path: string, routes: Iterable<string>): string | undefined {
  if (path.length > maxComparedLength) return undefined;
  let [best, least]: [string | undefined, number] = [undefined, Infinity];
  for (const route of routes) {
    const distance = editDistance(withParameters(path, route).toLowerCase(), route.toLowerCase());
    const isNear = distance <= Math.min(maxDistance, route.length / 3);
    if (isNear && distance < least) [best, least] = [route, distance];
  }
  return best?.replace(/:(\w+)/g, '{$1}');
}

/** Replaces the segments at the positions of the route's parameters, so that their values do not count as a difference. */
function withParameters(path: string, route: string): string {
  const [given, declared] = [path.split('/'), route.split('/')];
  if (given.length !== declared.length) return path;
  return declared.map((segment, index) => (segment.startsWith(':') ? segment : given[index])).join('/');
}
