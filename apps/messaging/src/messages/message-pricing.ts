import { noPriceFault, type PriceTable } from '@gangan/billing';
import { measureText, type TextSize } from '@gangan/contracts';
import { type FieldError, mapInSlices } from '@gangan/protocol';
import { deliveryIdsOf } from '../delivery-ids.js';
import { type Measure, measureMessage, type Price, textFault } from '../text/measure-message.js';
import type { MessageTexts } from '../text/message-text.js';
import type { Substitutions } from '../text/rendering.js';
import { newLinkCode } from '../text/tracked-text.js';
import type { Draft } from './draft.js';

/** Prices each text as it will be sent. Recipients with the same substitutions share one measurement. */
export async function priceDraft(
  messageId: string,
  draft: Draft,
  trackable: boolean,
  texts: MessageTexts,
  prices: PriceTable,
): Promise<Price> {
  const ids = deliveryIdsOf(messageId, draft.recipients.length);
  const measured = new Map<Substitutions, Measure>();
  const faults = new Map<string, FieldError>();
  const unpriced: FieldError[] = [];
  let size: TextSize | undefined;
  const deliveries = await mapInSlices(draft.recipients, ({ to, values }, index) => {
    let measure = measured.get(values.substitutions);
    if (!measure) {
      measure = measureMessage(draft, values.substitutions, trackable, texts);
      measured.set(values.substitutions, measure);
      size = longer(size, measure.size);
      const field = values.field ?? draft.source;
      if (measure.fault !== undefined) faults.set(field, textFault(field, measure.fault));
    }
    const { pages } = measure.size;
    const price = prices.priceOf(to.recipient);
    if (price === undefined) unpriced.push(noPriceFault(`recipients.${to.index}`, draft.channel, to.country));
    return {
      id: ids[index] ?? '',
      recipient: to.recipient,
      recipientGiven: to.recipientGiven,
      pages,
      kobo: BigInt(pages) * (price ?? 0n),
      links: measure.urls.map((url) => ({ code: newLinkCode(), url })),
    };
  });
  return {
    deliveries,
    size: size ?? measureText(''),
    kobo: sumOf(deliveries),
    faults: [...draft.faults, ...faults.values(), ...unpriced],
  };
}

export const sumOf = (deliveries: readonly { readonly kobo: bigint }[]): bigint =>
  deliveries.reduce((sum, { kobo }) => sum + kobo, 0n);

const longer = (one: TextSize | undefined, other: TextSize): TextSize =>
  !one || other.pages > one.pages || (other.pages === one.pages && other.length > one.length) ? other : one;
