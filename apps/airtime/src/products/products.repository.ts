import type { Network } from '@gangan/contracts';
import { command, Database, type RowOf, shareStatement, sql, statement, t } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { AirtimeConfig } from '../airtime.config.js';
import type { ProviderProduct } from '../providers/airtime-provider.js';

/** Who sells products for a network. */
export interface Seller {
  readonly provider: string;
  readonly network: Network;
}

const productShape = {
  id: t.uuid,
  provider: t.text,
  network: t.textOf<Network>(),
  name: t.text,
  kobo: t.bigint,
  /** Whether it is listed, and its list was read lately. */
  sold: t.bool,
};

export type Product = RowOf<{ shape: typeof productShape }>;

const isSold = (maxAgeMinutes: number) =>
  sql`(active AND synced_at > now() - ${maxAgeMinutes}::int * interval '1 minute')`;

const productColumns = (maxAgeMinutes: number) =>
  sql`id, provider, network, name, price_kobo AS kobo, ${isSold(maxAgeMinutes)} AS sold`;

/** Ordered by network and price. An unknown `after` returns an empty page. */
const listSold = statement(
  productShape,
  (sellers: readonly Seller[], after: string | undefined, limit: number, maxAgeMinutes: number) => sql`
    SELECT ${productColumns(maxAgeMinutes)} FROM airtime_product
    WHERE ${isSold(maxAgeMinutes)} AND provider = ANY (${sellers.map(({ provider }) => provider)}::text[]) AND (provider, network) IN (
      SELECT * FROM unnest(${sellers.map(({ provider }) => provider)}::text[], ${sellers.map(({ network }) => network)}::text[]))
      AND (${after ?? null}::uuid IS NULL OR (network, price_kobo, id) > (
        SELECT network, price_kobo, id FROM airtime_product WHERE id = ${after ?? null}::uuid))
    ORDER BY network, price_kobo, id LIMIT ${limit}`,
);

const findById = statement(
  productShape,
  (ids: readonly string[], maxAgeMinutes: number) => sql`
    SELECT ${productColumns(maxAgeMinutes)} FROM airtime_product WHERE id = ANY (${ids}::uuid[])`,
);

const findSeller = statement(
  { provider: t.text },
  (provider: string, maxAgeMinutes: number) => sql`
    SELECT provider FROM airtime_product WHERE provider = ${provider} AND ${isSold(maxAgeMinutes)} LIMIT 1`,
);

/** While a provider does not answer, it is asked again after this time. Longer than a read can take. */
export const retryMinutes = 5;

/** The products of a provider that a worker reads. */
export interface ClaimedCatalogue {
  readonly provider: string;
  /** Identifies the claim. */
  readonly dueAt: Date;
}

/** Claims the providers whose products are due, so that one worker reads those of each. */
const claimDue = statement(
  { provider: t.text, dueAt: t.timestamp },
  (providers: readonly string[]) => sql`
    INSERT INTO airtime_catalogue AS known (provider, due_at)
    SELECT name, now() + ${retryMinutes}::int * interval '1 minute'
    FROM unnest(${providers}::text[]) AS given (name) ORDER BY name
    ON CONFLICT (provider) DO UPDATE SET due_at = excluded.due_at WHERE known.due_at <= now()
    RETURNING known.provider, known.due_at AS "dueAt"`,
);

/** Changes nothing if there is a later claim. Also locks the products of the provider for other workers. */
const markSynced = command(
  ({ provider, dueAt }: ClaimedCatalogue, everyMinutes: number) => sql`
    UPDATE airtime_catalogue SET due_at = now() + ${everyMinutes}::int * interval '1 minute', synced_at = now()
    WHERE provider = ${provider} AND due_at = ${dueAt}`,
);

const deactivateOthers = command(
  ({ provider, network }: Seller, listed: readonly ProviderProduct[]) => sql`
    UPDATE airtime_product SET active = false
    WHERE provider = ${provider} AND network = ${network} AND active AND NOT EXISTS (
      SELECT FROM unnest(${listed.map(({ code }) => code)}::text[], ${listed.map(({ kobo }) => kobo)}::bigint[])
        AS listed (code, kobo)
      WHERE listed.code = airtime_product.code AND listed.kobo = price_kobo)`,
);

/** A product that was listed before at the same price keeps its id. */
const storeListed = command(
  ({ provider, network }: Seller, listed: readonly ProviderProduct[]) => sql`
    INSERT INTO airtime_product (id, provider, network, code, price_kobo, name, active, synced_at)
    SELECT id, ${provider}, ${network}, code, kobo, name, true, now()
    FROM unnest(${listed.map(() => newId())}::uuid[], ${listed.map(({ code }) => code)}::text[],
      ${listed.map(({ kobo }) => kobo)}::bigint[], ${listed.map(({ name }) => name)}::text[])
      AS listed (id, code, kobo, name)
    ON CONFLICT (provider, network, code, price_kobo)
      DO UPDATE SET name = excluded.name, active = true, synced_at = excluded.synced_at`,
);

@Injectable()
export class ProductsRepository {
  /** Also finds a product that is no longer sold. */
  readonly find = shareStatement(
    async (ids: readonly string[]): Promise<(Product | undefined)[]> => {
      const byId = new Map(
        (await this.database.run(findById, ids, this.maxAgeMinutes)).map((row) => [row.id, row]),
      );
      return ids.map((id) => byId.get(id));
    },
    { readOnly: true },
  );

  /** Products whose list is older are not sold: their price may have changed. */
  private readonly maxAgeMinutes: number;

  constructor(
    private readonly database: Database,
    config: AirtimeConfig,
  ) {
    this.maxAgeMinutes = 3 * Math.max(config.AIRTIME_PRODUCT_SYNC_MINUTES, retryMinutes);
  }

  list(sellers: readonly Seller[], after: string | undefined, limit: number): Promise<Product[]> {
    return this.database.run(listSold, sellers, after, limit, this.maxAgeMinutes);
  }

  claimDue(providers: readonly string[]): Promise<ClaimedCatalogue[]> {
    return this.database.run(claimDue, providers);
  }

  async sellsAny(provider: string): Promise<boolean> {
    return (await this.database.run(findSeller, provider, this.maxAgeMinutes)).length > 0;
  }

  /**
   * Stores what a provider lists. Networks that are not among the keys keep their products. Stores nothing if the products
   * were withdrawn or claimed again meanwhile: the list may be that of another account.
   */
  async store(
    claimed: ClaimedCatalogue,
    lists: ReadonlyMap<Network, readonly ProviderProduct[]>,
    everyMinutes: number,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if ((await transaction.run(markSynced, claimed, everyMinutes)) === 0) return;
      const { provider } = claimed;
      for (const [network, listed] of lists) {
        const once = [...new Map(listed.map((product) => [product.code, product])).values()];
        await transaction.run(deactivateOthers, { provider, network }, once);
        await transaction.run(storeListed, { provider, network }, once);
      }
    });
  }
}
