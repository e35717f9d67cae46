import type { Network } from '@gangan/contracts';
import { command, Database, type RowOf, shareStatement, sql, statement, t } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
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
  active: t.bool,
};

export type Product = RowOf<{ shape: typeof productShape }>;

const productColumns = sql`id, provider, network, name, price_kobo AS kobo, active`;

/** By network and price. After an unknown product there is none. */
const listActive = statement(
  productShape,
  (sellers: readonly Seller[], after: string | undefined, limit: number) => sql`
    SELECT ${productColumns} FROM airtime_product
    WHERE active AND provider = ANY (${sellers.map(({ provider }) => provider)}::text[]) AND (provider, network) IN (
      SELECT * FROM unnest(${sellers.map(({ provider }) => provider)}::text[], ${sellers.map(({ network }) => network)}::text[]))
      AND (${after ?? null}::uuid IS NULL OR (network, price_kobo, id) > (
        SELECT network, price_kobo, id FROM airtime_product WHERE id = ${after ?? null}::uuid))
    ORDER BY network, price_kobo, id LIMIT ${limit}`,
);

const findById = statement(
  productShape,
  (ids: readonly string[]) => sql`
    SELECT ${productColumns} FROM airtime_product WHERE id = ANY (${ids}::uuid[])`,
);

/** While a provider does not answer, it is asked again after this time. No worker reads a list for so long. */
export const retryMinutes = 5;

/** Claims the providers whose products are due, so that one worker reads those of each. */
const claimDue = statement(
  { provider: t.text },
  (providers: readonly string[]) => sql`
    INSERT INTO airtime_catalogue AS known (provider, due_at)
    SELECT name, now() + ${retryMinutes}::int * interval '1 minute'
    FROM unnest(${providers}::text[]) AS given (name) ORDER BY name
    ON CONFLICT (provider) DO UPDATE SET due_at = excluded.due_at WHERE known.due_at <= now()
    RETURNING known.provider`,
);

/** Also locks the products of the provider for other workers. */
const markSynced = command(
  (provider: string, everyMinutes: number) => sql`
    INSERT INTO airtime_catalogue (provider, due_at, synced_at)
    VALUES (${provider}, now() + ${everyMinutes}::int * interval '1 minute', now())
    ON CONFLICT (provider) DO UPDATE SET due_at = excluded.due_at, synced_at = excluded.synced_at`,
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

/** The products of all providers. */
@Injectable()
export class ProductsRepository {
  /** Also one that is no longer sold. */
  readonly find = shareStatement(
    async (ids: readonly string[]): Promise<(Product | undefined)[]> => {
      const byId = new Map((await this.database.run(findById, ids)).map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id));
    },
    { readOnly: true },
  );

  constructor(private readonly database: Database) {}

  list(sellers: readonly Seller[], after: string | undefined, limit: number): Promise<Product[]> {
    return this.database.run(listActive, sellers, after, limit);
  }

  async claimDue(providers: readonly string[]): Promise<string[]> {
    return (await this.database.run(claimDue, providers)).map(({ provider }) => provider);
  }

  /** Stores what a provider lists. Networks that are not among the keys keep their products. */
  async store(
    provider: string,
    lists: ReadonlyMap<Network, readonly ProviderProduct[]>,
    everyMinutes: number,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.run(markSynced, provider, everyMinutes);
      for (const [network, listed] of lists) {
        const once = [...new Map(listed.map((product) => [product.code, product])).values()];
        await transaction.run(deactivateOthers, { provider, network }, once);
        await transaction.run(storeListed, { provider, network }, once);
      }
    });
  }
}
