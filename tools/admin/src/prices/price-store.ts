import { sql, statement } from '@gangan/database';
import { type ChangeResult, changeResult } from '@gangan/management';
import type { AdminSession } from '../session/session.js';
import { highestCost } from './highest-cost.js';
import { keyOf, type PriceId } from './price-id.js';

const callSetPrice = statement(
  changeResult,
  (
    { service, category, prefix, organisation }: PriceId,
    kobo: bigint | null,
    cost: bigint | null,
    actor: string,
  ) => sql`
    SELECT result ->> 'state' AS state, (result ->> 'approval')::uuid AS approval
    FROM set_price(${service}::text, ${category}, ${prefix}, ${organisation?.id ?? null}::uuid, ${kobo}::bigint, ${cost}::bigint,
      ${actor}) AS result`,
);

/** Changes prices, with an entry in the audit log. */
export class PriceStore {
  constructor(private readonly session: AdminSession) {}

  /** The service, category and prefix of each own price of an organisation. */
  async ownPrices(organisationId: string): Promise<ReadonlySet<string>> {
    const database = await this.session.database();
    const own = await database.organisationPrice.findMany({ where: { organisationId } });
    return new Set(own.map(keyOf));
  }

  /**
   * Sets or removes (null) a price, or requests the approval: if live organisations would pay nothing or less than the cost.
   * The state is `absent` if there is no price to remove.
   */
  async set(id: PriceId, kobo: bigint | null): Promise<ChangeResult | undefined> {
    const database = await this.session.database();
    await this.session.nameTarget();
    const cost = await highestCost(database, id);
    return (
      await database.run(callSetPrice, id, kobo, cost ?? null, (await this.session.access()).principal.name)
    )[0];
  }
}
