import { declaredAccess } from './access.js';
import type { RouteOptions } from 'fastify';
import { nearestPath } from './nearest-path.js';
import { methodNotAllowed, noSuchPath, undecodablePath } from './refusals.js';
import { isDecodable } from './usable-url.js';

interface KnownRoute {
  readonly url: string;
  readonly pattern: RegExp;
  readonly methods: readonly string[];
}

/** Every route of the app, written down as it is registered: a route that does not say who may use it stops the start. */
export class RouteTable {
  private readonly routes: KnownRoute[] = [];

  /** For Fastify's `onRoute`. */
  readonly register = (route: RouteOptions): void => {
    const methods = [route.method].flat();
    const access = declaredAccess(route.config);
    if (!access) {
      throw new Error(
        `${methods.join(', ')} ${route.url} declares neither @Scope nor @Public: say who may use it`,
      );
    }
    if (access.bodyLimit !== undefined) route.bodyLimit = access.bodyLimit;
    this.routes.push({ url: pathOf(route.url), pattern: patternOf(route.url), methods });
  };

  /** Why the router found nothing: no such path, none at all, or not with this method. `allowed` is what `Allow` says. */
  refusal(method: string, url: string): { readonly error: Error; readonly allowed?: string } {
    const path = pathOf(url);
    const allowed = this.methodsOf(path);
    if (allowed.length === 0) {
      return { error: isDecodable(path) ? noSuchPath(method, path, this.nearest(path)) : undecodablePath() };
    }
    return { error: methodNotAllowed(method, path, allowed), allowed: allowed.join(', ') };
  }

  private nearest(path: string): string | undefined {
    return nearestPath(
      path,
      this.routes.map(({ url }) => url),
    );
  }

  /** `/otp/verify` is not meant as the `/otp/:id` of an id called verify. */
  private methodsOf(path: string): string[] {
    const fitting = this.routes.filter(({ pattern }) => pattern.test(path));
    const exact = fitting.filter(({ url }) => url === path);
    return [...new Set((exact.length > 0 ? exact : fitting).flatMap(({ methods }) => methods))].sort();
  }
}

/** Without query and trailing slash. */
export const pathOf = (url: string): string => {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
};

/** `/otp/:id` fits `/otp/x`, and `/files/*` fits whatever is below. */
const patternOf = (url: string): RegExp => {
  const segments = pathOf(url)
    .split('/')
    .map((segment) =>
      segment === '*'
        ? '.*'
        : segment.startsWith(':')
          ? '[^/]+'
          : segment.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'),
    );
  return new RegExp(`^${segments.join('/')}$`);
};
