import { linkCodePattern, resolveLink } from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { Recent } from '../recent.js';
import { cannotLookUp, noSuchLink, tooManyStrangeLinks } from './links.errors.js';

/** A link never changes, so this only bounds for how long one is followed that was removed for its age. */
const memoryMs = 300_000;
const room = 20_000;
/** Whoever makes codes up shares these, and takes none of the room that messages have on their way. */
const mostLookUps = 128;

interface Destination {
  readonly url: string;
}

/** Where tracked links lead. Asked of the worker once, then known for a while; also that there is no such link. */
@Injectable()
export class Destinations {
  private readonly recent = new Recent<Destination>(memoryMs, room);
  private lookUps = 0;

  constructor(private readonly queue: QueueClient) {}

  /** @throws AppError 404, or 503 when nobody can be asked */
  async of(code: string): Promise<string> {
    const found = linkCodePattern.test(code)
      ? await this.recent.get(code, () => this.lookUp(code))
      : undefined;
    if (!found) throw noSuchLink();
    return found.url;
  }

  private async lookUp(code: string): Promise<Destination | undefined> {
    if (this.lookUps >= mostLookUps) throw tooManyStrangeLinks();
    this.lookUps += 1;
    try {
      const { url } = await firstValueFrom(this.queue.send(resolveLink, { code }));
      return url === undefined ? undefined : destinationOf(url);
    } catch (error) {
      throw cannotLookUp(error);
    } finally {
      this.lookUps -= 1;
    }
  }
}

/** As a header can hold it: everything beyond ASCII is encoded. */
function destinationOf(url: string): Destination | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed && ['http:', 'https:'].includes(parsed.protocol) ? { url: parsed.href } : undefined;
}
