import { linkCodePattern, resolveLink } from '@gangan/contracts';
import { notFound, unavailable, parseUrl } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { NegativeCache } from '../negative-cache.js';

/** A link never changes. The time only bounds how long a link works after retention has removed it. */
const ttlMs = 300_000;
const maxLinks = 20_000;
/** Bounds the share of the queue that requests with invented codes can use. */
const maxLookupsInFlight = 128;

/** Finds the destination of tracked links, and caches also that a link does not exist. */
@Injectable()
export class LinkResolver {
  private readonly cache = new NegativeCache<string>(ttlMs, maxLinks);
  private inFlight = 0;

  constructor(private readonly queue: QueueClient) {}

  /** @throws AppError 404, or 503 when the link cannot be looked up */
  async resolve(code: string): Promise<string> {
    const found = linkCodePattern.test(code)
      ? await this.cache.get(code, () => this.lookUp(code))
      : undefined;
    if (found === undefined) throw notFound('The link');
    return found;
  }

  private async lookUp(code: string): Promise<string | undefined> {
    if (this.inFlight >= maxLookupsInFlight) {
      throw unavailable('Too many links are being looked up. Retry shortly.');
    }
    this.inFlight += 1;
    try {
      const { url } = await firstValueFrom(this.queue.send(resolveLink, { code }));
      return url === undefined ? undefined : destinationOf(url);
    } catch (error) {
      throw unavailable('The link cannot be looked up now. Retry shortly.', error);
    } finally {
      this.inFlight -= 1;
    }
  }
}

/** As a header can hold it: characters beyond ASCII are encoded. */
function destinationOf(url: string): string | undefined {
  const parsed = parseUrl(url);
  return parsed && ['http:', 'https:'].includes(parsed.protocol) ? parsed.href : undefined;
}
