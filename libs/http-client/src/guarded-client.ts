import { parseUrl } from '@gangan/protocol';
import { isPublicAddress } from '@gangan/contracts';
import { ConnectionPools } from './connection-pools.js';
import { guardedConnector } from './connector.js';
import { exchange, type ExchangeLimits, failed, type HttpResult } from './exchange.js';
import { resolveByNameServers, resolveBySystem, type ResolveName } from './resolve-name.js';

export interface GuardedClientOptions {
  /** Disables the guard: private and local addresses are called too. */
  readonly allowPrivate: boolean;
  readonly resolve?: ResolveName;
  /** Certificate authorities in PEM that replace the public ones. */
  readonly authorities?: string;
  readonly timeoutMs?: number;
  /** A connection that takes longer counts as refused: nothing was sent. By default as long as the whole request. */
  readonly connectTimeoutMs?: number;
  readonly maxBytes?: number;
  readonly maxOrigins?: number;
  readonly idleMs?: number;
}

export interface HttpRequest {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Overrides the client's default. */
  readonly timeoutMs?: number;
  /** Overrides the client's default. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/**
 * Calls URLs of customers and providers. Every connection leads to a public address that was checked first. Redirects are not
 * followed, and proxies of the environment are not used.
 */
export class GuardedClient {
  private readonly limits: ExchangeLimits;
  private readonly pools: ConnectionPools;

  constructor(options: GuardedClientOptions) {
    const { allowPrivate, authorities, timeoutMs = 15_000, maxBytes = 16 * 1_024 } = options;
    const { connectTimeoutMs = Infinity, maxOrigins = 500, idleMs = 4_000 } = options;
    const resolve = options.resolve ?? (allowPrivate ? resolveBySystem : resolveByNameServers());
    const isAllowed = allowPrivate ? () => true : isPublicAddress;
    const connector = guardedConnector({ resolve, isAllowed, timeoutMs, connectTimeoutMs, authorities });
    this.limits = { timeoutMs, maxBytes };
    this.pools = new ConnectionPools(connector, { maxOrigins, idleMs });
  }

  async send(given: HttpRequest): Promise<HttpResult> {
    const { method = 'POST', url, headers, body, timeoutMs, maxBytes, signal } = given;
    const target = parseUrl(url);
    if (!target || !['http:', 'https:'].includes(target.protocol)) return failed('invalid_url');
    const { origin, pathname, search } = target;
    const request = { method, path: pathname + search, headers, body: body ?? null };
    const limits = {
      timeoutMs: timeoutMs ?? this.limits.timeoutMs,
      maxBytes: maxBytes ?? this.limits.maxBytes,
    };
    return exchange(this.pools.forOrigin(origin), request, limits, signal);
  }

  /** Cuts off what is in flight. Call it when the process ends. */
  close(): Promise<void> {
    return this.pools.close();
  }
}
