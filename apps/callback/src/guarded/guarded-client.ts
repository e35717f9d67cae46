import { parseUrl } from '@gangan/protocol';
import { isPublicAddress } from '@gangan/contracts';
import { ConnectionPools } from './connection-pools.js';
import { guardedConnector } from './connector.js';
import { exchange, type ExchangeLimits, failed, type PostResult } from './exchange.js';
import { resolveByNameServers, resolveBySystem, type ResolveName } from './resolve-name.js';

export interface GuardedClientOptions {
  /** Disables the guard: private and local addresses are called too. */
  readonly allowPrivate: boolean;
  readonly resolve?: ResolveName;
  /** Certificate authorities in PEM that replace the public ones. */
  readonly authorities?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly maxOrigins?: number;
  readonly idleMs?: number;
}

/**
 * Posts to URLs of customers. Every connection leads to a public address that was checked first. Redirects are not
 * followed, and proxies of the environment are not used.
 */
export class GuardedClient {
  private readonly limits: ExchangeLimits;
  private readonly pools: ConnectionPools;

  constructor(options: GuardedClientOptions) {
    const { allowPrivate, authorities, timeoutMs = 15_000, maxBytes = 16 * 1_024 } = options;
    const { maxOrigins = 500, idleMs = 4_000 } = options;
    const resolve = options.resolve ?? (allowPrivate ? resolveBySystem : resolveByNameServers());
    const isAllowed = allowPrivate ? () => true : isPublicAddress;
    const connector = guardedConnector({ resolve, isAllowed, timeoutMs, authorities });
    this.limits = { timeoutMs, maxBytes };
    this.pools = new ConnectionPools(connector, { maxOrigins, idleMs });
  }

  async post(post: { url: string; headers: Record<string, string>; body: string }): Promise<PostResult> {
    const { url, headers, body } = post;
    const target = parseUrl(url);
    if (!target || !['http:', 'https:'].includes(target.protocol)) return failed('invalid_url');
    const { origin, pathname, search } = target;
    const request = { method: 'POST', path: pathname + search, headers, body } as const;
    return exchange(this.pools.forOrigin(origin), request, this.limits);
  }

  /** For the end of the process: cuts off what is in flight. */
  close(): Promise<void> {
    return this.pools.close();
  }
}
