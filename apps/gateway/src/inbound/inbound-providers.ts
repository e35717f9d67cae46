import { type InboundProvider, listInboundProviders, networkMatcher } from '@gangan/contracts';
import { unavailable } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';

/** Changes apply within 5 s. */
const maxAgeMs = 2_000;

/** A provider that may send requests, and how they are verified. */
export interface KnownProvider extends InboundProvider {
  isAllowedAddress(ip: string): boolean;
}

/**
 * The providers that may send requests, as the messaging worker lists them. They are read when a request arrives and the
 * list is old, by one call at a time, so requests with invented names cost no call of their own.
 */
@Injectable()
export class InboundProviders {
  private providers: ReadonlyMap<string, KnownProvider> | undefined;
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(private readonly queue: QueueClient) {}

  /** @throws AppError 503 if the providers are not known yet */
  async find(name: string): Promise<KnownProvider | undefined> {
    if (performance.now() - this.readAt > maxAgeMs) await (this.reading ??= this.read());
    if (!this.providers) throw unavailable();
    return this.providers.get(name);
  }

  /** If they cannot be read, the last list stays in use. */
  private async read(): Promise<void> {
    try {
      const { providers } = await firstValueFrom(this.queue.send(listInboundProviders, { all: true }));
      this.providers = new Map(providers.map((provider) => [provider.name, known(provider)]));
    } catch (error) {
      if (!this.providers) throw unavailable(undefined, error);
    } finally {
      this.readAt = performance.now();
      this.reading = undefined;
    }
  }
}

function known({ name, token, settings, secrets }: InboundProvider): KnownProvider {
  const { addresses } = settings;
  const isAllowedAddress = addresses ? networkMatcher(addresses) : () => true;
  return { name, token, settings, secrets, isAllowedAddress };
}
