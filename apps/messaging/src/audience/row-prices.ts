import { PriceTable } from '@gangan/billing';
import type { Price } from '../text/measure-message.js';

/** What a scheduled message was charged for when it was accepted. */
export interface ChargedRows {
  readonly rows: number;
  /** The prices of its channel and category in kobo, by prefix. */
  readonly prices: Readonly<Record<string, string>>;
}

export const chargedRows = ({
  listRows = 0,
  listPrices,
}: Pick<Price, 'listRows' | 'listPrices'>): ChargedRows => ({
  rows: listRows,
  prices: Object.fromEntries([...(listPrices?.prices ?? [])].map(([prefix, kobo]) => [prefix, String(kobo)])),
});

/**
 * The prices of the rows of a smartlist. As many rows as a scheduled message was charged for cost what they cost then, so
 * that a new price changes nothing; further rows cost what they cost now.
 */
export class RowPrices {
  private readonly chargedRows: number;
  private readonly charged: PriceTable;

  constructor(
    readonly current: PriceTable,
    { rows, prices }: ChargedRows = { rows: 0, prices: {} },
  ) {
    this.chargedRows = rows;
    this.charged = new PriceTable(
      new Map(Object.entries(prices).map(([prefix, kobo]) => [prefix, BigInt(kobo)])),
    );
  }

  /** Whether no row can have a price. */
  get isEmpty(): boolean {
    return this.charged.highest === undefined && this.current.highest === undefined;
  }

  /**
   * @param row the position in the list, from 0
   * @returns undefined if the recipient has no price
   */
  priceOf(row: number, recipient: string): bigint | undefined {
    return (row < this.chargedRows ? this.charged : this.current).priceOf(recipient);
  }

  /** The highest possible cost of `rows` rows with `pages` pages each. */
  highestOf(rows: number, pages: number): bigint {
    const charged = Math.min(rows, this.chargedRows);
    const perPage =
      BigInt(charged) * (this.charged.highest ?? 0n) + BigInt(rows - charged) * (this.current.highest ?? 0n);
    return BigInt(pages) * perPage;
  }
}
