import { linkCodePattern, resolveLink } from '@gangan/contracts';
import {
  FairSlots,
  halfOfAvailable,
  notFound,
  SlotTimeoutError,
  unavailable,
  parseUrl,
} from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { NegativeCache } from '../negative-cache.js';

/** A link never changes. The time only bounds how long a link works after retention has removed it. */
const ttlMs = 300_000;
const maxLinks = 20_000;
/** How long a request waits until its address may look up a link. */
const maxWaitMs = 3_000;

export interface Destination {
  readonly url: string;
  /** Whether a test organisation sent the message. */
  readonly isTest: boolean;
}

/** Finds the destination of tracked links, and caches also that a link does not exist. */
@Injectable()
export class LinkResolver {
  private readonly cache = new NegativeCache<Destination>(ttlMs, maxLinks);
  /** Bounds the share of the queue that requests with invented codes can use, in total and from one address. */
  private readonly lookups = new FairSlots({ total: 128, perKey: halfOfAvailable });

  constructor(private readonly queue: QueueClient) {}

  /** @throws AppError 404, or 503 when the link cannot be looked up */
  async resolve(code: string, address: string): Promise<Destination> {
    const found = linkCodePattern.test(code)
      ? await this.cache.get(code, () => this.lookUp(code, address))
      : undefined;
    if (found === undefined) throw notFound('The link');
    return found;
  }

  private lookUp(code: string, address: string): Promise<Destination | undefined> {
    return this.lookups
      .run(address, () => this.ask(code), { timeoutMs: maxWaitMs })
      .catch((error: unknown) => {
        throw error instanceof SlotTimeoutError
          ? unavailable('Too many links are being looked up. Retry shortly.')
          : error;
      });
  }

  private async ask(code: string): Promise<Destination | undefined> {
    try {
      const { url, isTest = false } = await firstValueFrom(this.queue.send(resolveLink, { code }));
      const encoded = url === undefined ? undefined : encodedUrl(url);
      return encoded === undefined ? undefined : { url: encoded, isTest };
    } catch (error) {
      throw unavailable('The link cannot be looked up now. Retry shortly.', error);
    }
  }
}

/** Encodes characters beyond ASCII, so that a header can hold the URL. */
function encodedUrl(url: string): string | undefined {
  const parsed = parseUrl(url);
  return parsed && ['http:', 'https:'].includes(parsed.protocol) ? parsed.href : undefined;
}
