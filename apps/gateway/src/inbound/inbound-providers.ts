import { createHash } from 'node:crypto';
import { type InboundProvider, listInboundProviders } from '@gangan/contracts';
import { isSameSecret, networkMatcher, unavailable } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';

const refreshAfterMs = 2_000;
/** Changes apply within this time. The call has a deadline of 2 s. */
const appliedWithinMs = 5_000;

/** A provider that may send requests. */
export interface KnownProvider extends InboundProvider {
  isAllowedAddress(ip: string): boolean;
}

/**
 * The providers that may send requests, as the messaging worker lists them. A request that finds an old list starts one
 * call that reads it again. Requests with unknown names cause no further calls.
 */
@Injectable()
export class InboundProviders {
  private providers: ReadonlyMap<string, KnownProvider> = new Map();
  private readAt = -Infinity;
  private triedAt = -Infinity;
  private reading: Promise<void> | undefined;
  private failure: unknown;

  constructor(private readonly queue: QueueClient) {}

  /**
   * Answers from the last list while it is read again. If the list is older than 5 s, waits for the new one, unless the
   * last call failed: while no worker answers, every request would wait until the deadline of a call. Then the last list is
   * used, however old: a worker verifies each request later.
   * @throws AppError 503 if the providers are not known
   */
  async find(name: string): Promise<KnownProvider | undefined> {
    const age = performance.now() - this.readAt;
    if (age > refreshAfterMs) this.refresh();
    if (!this.areKnown || (age > appliedWithinMs && this.answers)) await this.reading;
    if (!this.areKnown) throw unavailable(undefined, this.failure);
    return this.providers.get(name);
  }

  /** Whether a worker has answered the last call. */
  get answers(): boolean {
    return this.failure === undefined;
  }

  /** Whether a request has the token of a provider, by the last list. Before the first one, every token may be right. */
  isKnown(name: string, token: string): boolean {
    const provider = this.providers.get(name);
    return !this.areKnown || hasToken(provider, token);
  }

  private get areKnown(): boolean {
    return this.readAt !== -Infinity;
  }

  private refresh(): void {
    if (performance.now() - this.triedAt <= refreshAfterMs) return;
    this.reading ??= this.read().finally(() => {
      this.triedAt = performance.now();
      this.reading = undefined;
    });
  }

  private async read(): Promise<void> {
    try {
      const { providers } = await firstValueFrom(this.queue.send(listInboundProviders, { all: true }));
      this.providers = new Map(providers.map((provider) => [provider.name, known(provider)]));
      this.readAt = performance.now();
      this.failure = undefined;
    } catch (error) {
      this.failure = error;
    }
  }
}

/** Takes the same time whether the provider exists or not. */
export function hasToken(provider: InboundProvider | undefined, token: string): boolean {
  const given = createHash('sha256').update(token).digest('base64');
  const [current = '', former = current] = provider?.tokenDigests ?? [];
  const matches = [current, former].filter((digest) => isSameSecret(given, digest));
  return matches.length > 0;
}

const known = ({ addresses, ...provider }: InboundProvider): KnownProvider => ({
  ...provider,
  isAllowedAddress: addresses ? networkMatcher(addresses) : () => true,
});
