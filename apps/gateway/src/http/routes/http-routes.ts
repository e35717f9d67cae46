import { NameSearch } from '@gangan/contracts';
import { type AppError, work } from '@gangan/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { badRequest, methodNotAllowed, noSuchPath, undecodablePath } from '../errors/http.errors.js';
import { declaredAccess } from './access.js';
import { isDecodable, minComparedLength, nearestPath, pathOf, withBraces } from './paths.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** See `HttpRoutes.nearestSibling`. */
    nearestSibling(route: string, url: string): string | undefined;
  }
}

interface KnownRoute {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/**
 * Rejects requests without Host, and those whose path or method does not exist.
 * @param maySuggest whether the error may suggest another path, which takes time; rejects if the key is not valid
 */
export function rejectUnknownRoutes(
  fastify: FastifyInstance,
  maySuggest: (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>,
): void {
  const routes = new HttpRoutes();
  fastify.decorate('nearestSibling', (route: string, url: string) => routes.nearestSibling(route, url));
  fastify.addHook('onRoute', routes.register);
  fastify.addHook('onRequest', (request, reply, done) => {
    const { method, originalUrl } = request;
    if (lacksHost(request)) {
      done(badRequest('The Host header is missing'));
    } else if (!request.is404 && !routes.isShadowed(method, originalUrl)) {
      done();
    } else {
      const { error, allowed } = routes.errorForUnmatched(method, originalUrl);
      if (allowed !== undefined) reply.header('allow', allowed);
      if (error.status === 400 || routes.isPath(originalUrl)) {
        done(error);
        return;
      }
      maySuggest(request, reply).then(
        (suggests) => {
          done(suggests ? routes.errorWithSuggestion(method, originalUrl, allowed) : error);
        },
        () => {
          done(error);
        },
      );
    }
  });
}

const lacksHost = ({ raw }: FastifyRequest): boolean =>
  raw.httpVersion === '1.1' && raw.headers.host === undefined;

/** Every route of the app. The app does not start if a route does not declare who may call it. */
export class HttpRoutes {
  /** Routes by path. */
  private readonly routes = new Map<string, KnownRoute>();
  /** The last segments of routes without parameters, by what precedes them. Found when they are first needed. */
  private readonly words = new Map<string, readonly string[]>();

  /** Fastify's `onRoute` hook. */
  readonly register = (route: RouteOptions): void => {
    const methods = [route.method].flat();
    const access = declaredAccess(route.config);
    if (!access) {
      throw new Error(
        `${methods.join(', ')} ${route.url} declares neither @Scope nor @Public; add one of them`,
      );
    }
    if (access.bodyLimit !== undefined) route.bodyLimit = access.bodyLimit;
    const url = pathOf(route.url);
    const known = this.routes.get(url);
    if (known) for (const method of methods) known.methods.add(method);
    else this.routes.set(url, { pattern: patternOf(url), methods: new Set(methods) });
  };

  /** Whether the path exists with other methods only: the router takes `GET /otp/verify` as `/otp/:id`. */
  isShadowed(method: string, url: string): boolean {
    const methods = this.routes.get(pathOf(url))?.methods;
    return methods !== undefined && !methods.has(method);
  }

  /** Why the router found no route. `allowed` is the value of the `Allow` header. */
  errorForUnmatched(method: string, url: string): { readonly error: AppError; readonly allowed?: string } {
    const path = pathOf(url);
    const allowed = this.methodsOf(path);
    if (allowed.length > 0) {
      return { error: methodNotAllowed(method, path, allowed), allowed: allowed.join(', ') };
    }
    if (!isDecodable(path)) return { error: undecodablePath() };
    return { error: noSuchPath(method, path) };
  }

  /** @param allowed as returned by `errorForUnmatched` */
  errorWithSuggestion(method: string, url: string, allowed?: string): AppError {
    const path = pathOf(url);
    if (allowed === undefined) return noSuchPath(method, path, nearestPath(path, this.routes.keys()));
    return methodNotAllowed(method, path, allowed.split(', '), this.findAlternative(method, path));
  }

  /** Whether the path is that of a route, and not only the value of a parameter. */
  isPath(url: string): boolean {
    return this.routes.has(pathOf(url));
  }

  /** The path that was probably meant by the value of a parameter at the end of a route: `POST /sms/send` for `/sms/sent`. */
  nearestSibling(route: string, url: string): string | undefined {
    const parent = route.replace(/:\w+$/, '');
    const value = pathOf(url).slice(parent.length);
    if (parent === route || parent.includes(':') || value.length < minComparedLength) return undefined;
    const nearest = new NameSearch().closest(value, this.wordsBelow(parent));
    if (nearest === undefined) return undefined;
    const methods = [...(this.routes.get(parent + nearest)?.methods ?? [])].filter((name) => name !== 'HEAD');
    return `${methods.join(' or ')} ${parent}${nearest}`;
  }

  private wordsBelow(parent: string): readonly string[] {
    const words =
      this.words.get(parent) ?? [...this.routes.keys()].flatMap((route) => wordBelow(parent, route));
    this.words.set(parent, words);
    return words;
  }

  /** For a DELETE, the route that cancels; otherwise a similar path with this method. */
  private findAlternative(method: string, path: string): string | undefined {
    const [found] = [...this.routes].find(([, { pattern }]) => pattern.test(path)) ?? [];
    const cancel = `${found}/cancel`;
    if (method === 'DELETE' && this.routes.has(cancel)) return `POST ${withBraces(cancel)}`;
    const others = [...this.routes].filter(([, { methods }]) => methods.has(method));
    const nearest = nearestPath(
      path,
      others.map(([route]) => route),
    );
    return nearest === undefined ? undefined : `${method} ${nearest}`;
  }

  /** An exact match wins: `/otp/verify` is not the `/otp/:id` of an id called verify. */
  private methodsOf(path: string): string[] {
    const exact = this.routes.get(path);
    const matching = exact ? [exact] : [...this.routes.values()].filter(({ pattern }) => pattern.test(path));
    work.routesVisited += exact ? 1 : this.routes.size;
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
  }
}

const wordBelow = (parent: string, route: string): string[] => {
  const word = route.startsWith(parent) ? route.slice(parent.length) : '';
  return /^[^/:*]+$/.test(word) ? [word] : [];
};

/** `/otp/:id` matches `/otp/x`, and `/files/*` matches every path below `/files`. */
function patternOf(url: string): RegExp {
  const segments = pathOf(url)
    .split('/')
    .map((segment) => {
      if (segment === '*') return '.*';
      return segment.startsWith(':') ? '[^/]+' : segment.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
    });
  return new RegExp(`^${segments.join('/')}$`);
}
