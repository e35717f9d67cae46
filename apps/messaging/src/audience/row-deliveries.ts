import {
  type AllowedCountries,
  isAllowedCountry,
  parsePhone,
  type Reason,
  type SmartlistRow,
} from '@gangan/contracts';
import type { Channel } from '@gangan/database';
import { mapInSlices } from '@gangan/protocol';
import { deliveryIdFor } from '../delivery-ids.js';
import { countryNotAllowed, noPrice } from '../outcome/reasons.js';
import { type Measure, measureMessage, type PricedDelivery } from '../text/measure-message.js';
import type { MessageContent, MessageTexts } from '../text/message-text.js';
import type { Substitutions } from '../text/rendering.js';
import { newLinkCode } from '../text/tracked-text.js';
import type { RowPrices } from './row-prices.js';
import { columnNames } from './text-bound.js';

export interface ListedMessage {
  readonly id: string;
  readonly channel: Channel;
  readonly trackable: boolean;
  readonly body: MessageContent;
}

export interface ListedDelivery extends PricedDelivery {
  /** Null if the text is the same for all recipients. */
  readonly substitutions: Substitutions | null;
}

/** What became of rows. Each row is counted once. */
export interface RowResults {
  /** Has no duplicates of its own; duplicates on earlier pages are found when the deliveries are stored. */
  readonly deliveries: readonly ListedDelivery[];
  readonly duplicates: number;
  readonly withoutNumber: number;
  readonly unsendable: number;
  /** The deliveries that are not sent and cost nothing, with the reason. */
  readonly rejected: ReadonlyMap<ListedDelivery, Reason>;
}

/** Makes deliveries of rows, priced with the text that will be sent. @param rowsBefore the rows of earlier pages */
export async function deliveriesOfRows(
  rows: readonly SmartlistRow[],
  message: ListedMessage,
  texts: MessageTexts,
  prices: RowPrices,
  countries: AllowedCountries,
  rowsBefore: number,
): Promise<RowResults> {
  const names = columnNames(message.body);
  const measure = (substitutions: Substitutions): Measure =>
    measureMessage(message, substitutions, message.trackable, texts);
  const common = names.length === 0 ? measure({}) : undefined;
  const deliveries = new Map<string, ListedDelivery>();
  const rejected = new Map<ListedDelivery, Reason>();
  const counts = { duplicates: 0, withoutNumber: 0, unsendable: 0 };
  await mapInSlices(rows, ({ phone = '', cells }, index) => {
    const parsed = parsePhone(phone, texts.region);
    const recipient = parsed?.e164;
    const substitutions = Object.fromEntries(names.map((name) => [name, cells[name] ?? '']));
    const { size, urls, fault } = common ?? measure(substitutions);
    // Check for duplicates last: those of earlier pages are counted later, after the same checks.
    if (recipient === undefined) counts.withoutNumber += 1;
    else if (fault !== undefined) counts.unsendable += 1;
    else if (deliveries.has(recipient)) counts.duplicates += 1;
    else {
      const price = prices.priceOf(rowsBefore + index, recipient);
      const delivery = {
        id: deliveryIdFor(message.id, recipient),
        recipient,
        recipientGiven: phone,
        pages: size.pages,
        kobo: BigInt(size.pages) * (price ?? 0n),
        links: urls.map((url) => ({ code: newLinkCode(), url })),
        substitutions: names.length === 0 ? null : substitutions,
      };
      deliveries.set(recipient, delivery);
      if (!isAllowedCountry(countries, parsed?.country)) rejected.set(delivery, countryNotAllowed);
      else if (price === undefined) rejected.set(delivery, noPrice);
    }
  });
  return { deliveries: [...deliveries.values()], rejected, ...counts };
}
