import { PriceList } from '@gangan/billing';
import type { Channel } from '@gangan/database';
import type { Price } from '../text/measure-message.js';

/** What a scheduled message was charged for when it was accepted. */
export interface ChargedRows {
  readonly rows: number;
  /** The prices of its channel in kobo, by prefix. */
  readonly prices: Readonly<Record<string, string>>;
}

export const chargedRows = (
  { listRows = 0, listPrices }: Pick<Price, 'listRows' | 'listPrices'>,
  channel: Channel,
): ChargedRows => ({
  rows: listRows,
  prices: Object.fromEntries(
    (listPrices?.rows ?? []).flatMap(({ service, prefix, kobo }) =>
      service === channel ? [[prefix, String(kobo)]] : [],
    ),
  ),
});

/**
 * The prices of the rows of a smartlist. As many rows as a scheduled message was charged for cost what they cost then, so
 * that a new price changes nothing; further rows cost what they cost now.
 */
export class RowPrices {
  private readonly chargedRows: number;
  private readonly chargedPrices: PriceList;

  constructor(
    private readonly channel: Channel,
    private readonly current: PriceList,
    { rows, prices }: ChargedRows = { rows: 0, prices: {} },
  ) {
    this.chargedRows = rows;
    this.chargedPrices = new PriceList(
      Object.entries(prices).map(([prefix, kobo]) => ({ service: channel, prefix, kobo: BigInt(kobo) })),
    );
  }

  /** @param row its position in the list, from 0 */
  priceOf(row: number, recipient: string): bigint {
    const prices = row < this.chargedRows ? this.chargedPrices : this.current;
    return prices.priceOf(this.channel, recipient);
  }

  /** What so many rows cost at most, if each has so many pages. */
  highestOf(rows: number, pages: number): bigint {
    const charged = Math.min(rows, this.chargedRows);
    const perPage =
      BigInt(charged) * this.chargedPrices.highestOf(this.channel) +
      BigInt(rows - charged) * this.current.highestOf(this.channel);
    return BigInt(pages) * perPage;
  }
}
