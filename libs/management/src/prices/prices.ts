import { type ListedPrice, listPrices, type PriceRow, pricesOf } from '@gangan/billing';
import { type Database, type PricedService, sql, statement } from '@gangan/database';
import { type Access, callFunction, changeColumns, type ChangeResult, changeResult } from '../access.js';
import type { Organisation } from '../organisations/find-organisation.js';
import { highestCost } from './highest-cost.js';

/** A price of the list, or of one organisation. */
export interface PriceId extends Pick<PriceRow, 'category' | 'prefix'> {
  readonly service: PricedService;
  readonly organisation: Organisation | undefined;
}

interface ShownPrice extends PriceRow, Partial<Pick<ListedPrice, 'testOnly'>> {
  /** Whether the organisation has this price itself. */
  readonly own?: boolean;
}

/** The list, or what one organisation pays. */
export async function showPrices(
  database: Database,
  organisation?: Pick<Organisation, 'id'>,
): Promise<readonly ShownPrice[]> {
  if (!organisation) return listPrices(database);
  const where = { organisationId: organisation.id };
  const own = new Set((await database.organisationPrice.findMany({ where })).map(keyOf));
  return (await pricesOf(database, organisation.id)).map((row) => ({ ...row, own: own.has(keyOf(row)) }));
}

const keyOf = ({ service, category, prefix }: Record<'service' | 'category' | 'prefix', string>) =>
  `${service} ${category} ${prefix}`;

const callSetPrice = statement(
  changeResult,
  (
    { service, category, prefix, organisation }: PriceId,
    kobo: bigint | null,
    cost: bigint | null,
    actor: string,
  ) => sql`
    SELECT ${changeColumns}
    FROM set_price(${service}::text, ${category}, ${prefix}, ${organisation?.id ?? null}::uuid, ${kobo}::bigint, ${cost}::bigint,
      ${actor}) AS result`,
);

/**
 * Sets or removes (null) a price, or requests the approval: if live organisations would pay nothing or less than the cost.
 * The state is `absent` if there is no price to remove.
 */
export async function setPrice(
  { database, principal }: Access,
  id: PriceId,
  kobo: bigint | null,
): Promise<ChangeResult> {
  const cost = await highestCost(database, id);
  return callFunction(database, callSetPrice, id, kobo, cost ?? null, principal.name);
}
