import { NameSearch } from '@gangan/contracts';
import { work } from '@gangan/protocol';

/** A longer path is not compared with routes, nor is a shorter one, which would be similar to `/`. */
export const minComparedLength = 3;
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

/** In front of the paths of other APIs. */
const versionPrefix = /^\/(?:api(?:\/v\d{1,2})?|v\d{1,2})(?=\/)/;

/** The route that was probably meant, in the notation `/otp/{id}`. @param routes each once */
export function nearestPath(
  given: string,
  routes: Iterable<string>,
  names = new NameSearch(),
): string | undefined {
  if (given.length > maxComparedLength) return undefined;
  const path = given.replace(versionPrefix, '');
  if (path.length < minComparedLength) return undefined;
  const segments = path.split('/');
  const nearest = names.closest(path, routes, (route) => {
    work.routesVisited += 1;
    return withParameters(path, segments, route);
  });
  return nearest === undefined ? undefined : withBraces(nearest);
}

/** In the notation of the documentation: `/otp/{id}`. */
export const withBraces = (route: string): string => route.replace(/:(\w+)/g, '{$1}');

/** Replaces the segments at the positions of the route's parameters, so that their values do not count as a difference. */
function withParameters(path: string, segments: readonly string[], route: string): string {
  if (!route.includes(':')) return path;
  const declared = route.split('/');
  if (segments.length !== declared.length) return path;
  return declared.map((segment, index) => (segment.startsWith(':') ? segment : segments[index])).join('/');
}
