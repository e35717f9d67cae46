import { isPublicAddress } from '@gangan/contracts';
import { guardedDial } from './dial.js';
import { exchange } from './exchange.js';
import { failed, type Outcome } from './outcome.js';
import { Origins } from './origins.js';
import { askNameServers, askSystem, type ResolveName } from './resolve-name.js';

export interface GuardedPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface GuardedClientOptions {
  /** Lifts the guard: private and local addresses are called too. */
  readonly allowPrivate: boolean;
  readonly resolve?: ResolveName;
  /** Certificate authorities to trust instead of the public ones, in PEM. */
  readonly authorities?: string;
  readonly timeoutMs?: number;
  readonly answerBytes?: number;
  readonly origins?: number;
  readonly idleMs?: number;
}

/**
 * Posts to addresses that strangers chose. Every connection leads to a public address that was looked at first;
 * redirects are answers like any other; no proxy is used, whatever the environment says.
 */
export class GuardedClient {
  private readonly limits: { readonly timeoutMs: number; readonly answerBytes: number };
  private readonly origins: Origins;

  constructor(options: GuardedClientOptions) {
    const { allowPrivate, authorities, timeoutMs = 15_000, answerBytes = 16 * 1_024 } = options;
    const { origins = 500, idleMs = 4_000 } = options;
    const resolve = options.resolve ?? (allowPrivate ? askSystem : askNameServers());
    const isAllowed = allowPrivate ? () => true : isPublicAddress;
    this.limits = { timeoutMs, answerBytes };
    this.origins = new Origins(guardedDial({ resolve, isAllowed, timeoutMs, authorities }), {
      origins,
      idleMs,
    });
  }

  async post({ url, headers, body }: GuardedPost): Promise<Outcome> {
    const target = URL.canParse(url) ? new URL(url) : undefined;
    if (!target || !['http:', 'https:'].includes(target.protocol)) return failed('invalid_url');
    const { origin, pathname, search } = target;
    return exchange(
      this.origins.of(origin),
      { method: 'POST', path: pathname + search, headers, body },
      this.limits,
    );
  }

  /** For the end of the process: what is still under way is cut off. */
  close(): Promise<void> {
    return this.origins.close();
  }
}
