import { editDistance } from '@gangan/contracts';

const mostLetters = 3;
const longest = 100;

/** The route that was most likely meant, as people write it: `/otp/{id}`. */
export function nearestPath(path: string, routes: Iterable<string>): string | undefined {
  if (path.length > longest) return undefined;
  let [best, least]: [string | undefined, number] = [undefined, Infinity];
  for (const route of routes) {
    const distance = editDistance(withParameters(path, route).toLowerCase(), route.toLowerCase());
    const near = distance <= Math.min(mostLetters, route.length / 3);
    if (near && distance < least) [best, least] = [route, distance];
  }
  return best?.replace(/:(\w+)/g, '{$1}');
}

/** Whatever stands where the route has a parameter is no mistake. */
function withParameters(path: string, route: string): string {
  const [given, declared] = [path.split('/'), route.split('/')];
  if (given.length !== declared.length) return path;
  return declared.map((segment, index) => (segment.startsWith(':') ? segment : given[index])).join('/');
}
