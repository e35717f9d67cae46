import { type Database, sql } from '@gangan/database';

export type Outcome = 'success' | 'failed';

export interface Purchase {
  readonly id: string;
  readonly organisationId: string;
  readonly organisation: string;
  readonly network: string;
  readonly provider: string;
  readonly status: string;
  readonly kobo: bigint;
  readonly created: Date;
}

const purchases = sql`
  SELECT p.id, o.id AS "organisationId", a.name || '/' || o.mode AS organisation, p.network, coalesce(p.provider, '-') AS provider, p.state AS status,
    p.amount_kobo AS kobo, p.created_at AS created
  FROM airtime_purchase p JOIN organisation o ON o.id = p.organisation_id JOIN account a ON a.id = o.account_id`;

/** Those that wait for a person. */
export const unresolved = (database: Database): Promise<Purchase[]> =>
  database.query<Purchase>(sql`
    ${purchases} WHERE p.state = 'error' AND p.resolution IS NULL ORDER BY p.id`);

export async function findPurchase(database: Database, id: string): Promise<Purchase | undefined> {
  const [purchase] = await database.query<Purchase>(sql`${purchases} WHERE p.id = ${id}`);
  return purchase;
}

/** Leaves the word for a worker, which settles money, status and report together. Tells whether it was needed. */
export async function resolve(database: Database, id: string, outcome: Outcome): Promise<boolean> {
  const changed = await database.execute(sql`
    UPDATE airtime_purchase SET resolution = ${outcome}, next_attempt_at = now()
    WHERE id = ${id} AND state = 'error' AND resolution IS NULL`);
  return changed > 0;
}
