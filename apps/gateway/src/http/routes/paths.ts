import { NameSearch } from '@gangan/contracts';
import { work } from '@gangan/protocol';

/** Shorter paths and routes are not compared: most are similar. */
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

/** A prefix of the paths of other APIs, such as `/api/v1`. */
const versionPrefix = /^\/(?:api(?:\/v\d{1,2})?|v\d{1,2})(?=\/)/i;

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
  // Parameters are compared as empty, so that neither their names nor their values make paths similar or different.
  const compared = [...routes].map((route) => [route.replaceAll(parameter, ''), route] as const);
  const byFixedParts = new Map(compared.filter(([fixed]) => fixed.length > minComparedLength));
  const nearest = names.closest(path, byFixedParts.keys(), (fixed) => {
    work.routesVisited += 1;
    return withoutValues(segments, fixed.split('/'));
  });
  const route = nearest === undefined ? undefined : byFixedParts.get(nearest);
  return route === undefined ? undefined : withBraces(route);
}

const parameter = /:(\w+)/g;

/** In the notation of the documentation: `/otp/{id}`. */
export const withBraces = (route: string): string => route.replace(parameter, '{$1}');

/** The path without the segments at the positions of parameters, which are empty in the route. */
const withoutValues = (path: readonly string[], route: readonly string[]): string =>
  (path.length === route.length
    ? path.map((segment, index) => (route[index] === '' ? '' : segment))
    : path
  ).join('/');
