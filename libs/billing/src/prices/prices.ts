import { Database, type PricedService, sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { PriceList, type PriceRow } from './price-list.js';

/** A changed price holds everywhere after this time. */
const memoryMs = 30_000;

/** What things cost. All who ask at the same time, and for a while after, share one reading of the table. */
@Injectable()
export class Prices {
  private list: Promise<PriceList> | undefined;
  private readAt = 0;

  constructor(private readonly database: Database) {}

  /** Of one page, message or look-up to this number, in kobo. */
  async priceOf(service: PricedService, e164: string): Promise<bigint> {
    return (await this.current()).priceOf(service, e164);
  }

  /** For many numbers at once: await the list, then ask it. */
  current(): Promise<PriceList> {
    if (this.list && performance.now() - this.readAt < memoryMs) return this.list;
    this.readAt = performance.now();
    const list = this.read();
    list.catch(() => {
      if (this.list === list) this.list = undefined;
    });
    this.list = list;
    return list;
  }

  private async read(): Promise<PriceList> {
    return new PriceList(await this.database.query<PriceRow>(sql`SELECT service, prefix, kobo FROM price`));
  }
}
