import { mapInSlices } from '@gangan/protocol';
import { type CountPages, oncePerText, type PortedNumbers } from '@gangan/providers';
import { Injectable } from '@nestjs/common';
import { Providers } from '../providers/providers.js';
import type { PricedDelivery } from '../text/measure-message.js';
import { type MessageContent, MessageTexts } from '../text/message-text.js';
import { type Routable, Router } from './routing.js';

/** A message that has not been stored. */
interface RoutedMessage
  extends MessageContent, Pick<Routable, 'organisationId' | 'mode' | 'channel' | 'sender' | 'category'> {
  readonly deliveries: readonly PricedDelivery[];
  readonly ported?: PortedNumbers;
}

/** Pages of messages as the providers of their recipients count them. */
@Injectable()
export class ProviderPages {
  constructor(
    private readonly providers: Providers,
    private readonly router: Router,
    private readonly texts: MessageTexts,
  ) {}

  /** The most pages that a provider counts for one of the texts; undefined if none counts more pages than we do. */
  async find(message: RoutedMessage): Promise<number | undefined> {
    if (!this.providers.countsPages) return undefined;
    const counters = new Map<CountPages, CountPages>();
    const counterOf = (count: CountPages): CountPages => {
      const known = counters.get(count) ?? oncePerText(count);
      counters.set(count, known);
      return known;
    };
    const counted = await mapInSlices(message.deliveries, (delivery) => {
      const { id, recipient, links, pages: ours } = delivery;
      const portedTo = message.ported?.get(recipient) ?? null;
      const { round } = this.router.resolveRoute({
        ...message,
        id,
        recipient,
        portedTo,
        trafficClass: 'sms',
      });
      const { text } = this.texts.textFor(
        message,
        delivery,
        links.map(({ code }) => code),
      );
      const theirs = round.flatMap(({ countPages }) => (countPages ? counterOf(countPages)(text, ours) : []));
      return { most: Math.max(0, ...theirs), isMore: theirs.some((pages) => pages > ours) };
    });
    return counted.some(({ isMore }) => isMore) ? Math.max(...counted.map(({ most }) => most)) : undefined;
  }
}
