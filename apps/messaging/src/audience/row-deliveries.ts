import type { PriceList } from '@gangan/billing';
import { parsePhone, type SmartlistRow } from '@gangan/contracts';
import type { MessageBody, MessageTexts } from '../text/message-text.js';
import type { OrderedDelivery } from '../messages/order.js';
import { type Measure, measureOf } from '../messages/pricing.js';
import { inSlices } from '../text/in-slices.js';
import { newLinkCode } from '../text/link-codes.js';
import type { Substitutions } from '../text/rendering.js';
import type { Channel } from '@gangan/database';
import { namesIn } from './column-names.js';
import { deliveryIdFor } from '../recipient-ids.js';

/** As much of a message as its deliveries are made of. */
export interface ListedMessage {
  readonly id: string;
  readonly channel: Channel;
  readonly trackable: boolean;
  readonly body: MessageBody;
}

export interface ListedDelivery extends OrderedDelivery {
  /** Nothing where the text is the same for all. */
  readonly substitutions: Substitutions | null;
}

/** What rows come to: each is in one of these. */
export interface Outcome {
  /** Each number once; whether it was there on an earlier page is not known here. */
  readonly deliveries: readonly ListedDelivery[];
  readonly duplicates: number;
  readonly withoutNumber: number;
  readonly unsendable: number;
}

/** Makes deliveries of rows: priced with the very text that will be sent. */
export async function deliveriesOf(
  rows: readonly SmartlistRow[],
  message: ListedMessage,
  texts: MessageTexts,
  prices: PriceList,
): Promise<Outcome> {
  const names = namesIn(message.body);
  const measure = measuring(message, texts, names.length === 0);
  const deliveries = new Map<string, ListedDelivery>();
  const counts = { duplicates: 0, withoutNumber: 0, unsendable: 0 };
  await inSlices(rows, ({ phone = '', cells }) => {
    const recipient = parsePhone(phone)?.e164;
    const substitutions = Object.fromEntries(names.map((name) => [name, cells[name] ?? '']));
    const { paging, urls, fault } = measure(substitutions);
    // Duplicates last: those of earlier pages are known only to who stores them.
    if (recipient === undefined) counts.withoutNumber += 1;
    else if (fault !== undefined) counts.unsendable += 1;
    else if (deliveries.has(recipient)) counts.duplicates += 1;
    else
      deliveries.set(recipient, {
        id: deliveryIdFor(message.id, recipient),
        ...{ recipient, recipientGiven: phone, pages: paging.pages },
        kobo: BigInt(paging.pages) * prices.priceOf(message.channel, recipient),
        links: urls.map((url) => ({ code: newLinkCode(), url })),
        substitutions: names.length === 0 ? null : substitutions,
      });
  });
  return { deliveries: [...deliveries.values()], ...counts };
}

/** A text that is the same for all is measured once. */
function measuring(
  message: ListedMessage,
  texts: MessageTexts,
  sameForAll: boolean,
): (substitutions: Substitutions) => Measure {
  const measure = (substitutions: Substitutions): Measure =>
    measureOf(message, substitutions, message.trackable, texts);
  const once = sameForAll ? measure({}) : undefined;
  return (substitutions) => once ?? measure(substitutions);
}
