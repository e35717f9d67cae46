import { sql, type SqlRunner, statement, t } from '@gangan/database';

/** A provider of a route. A condition that is `null` matches all purchases. */
export interface AirtimeRouteTarget {
  readonly organisationId: string | null;
  readonly network: string | null;
  /** The name of the provider. */
  readonly provider: string;
}

/** Ordered by position. */
const findTargets = statement(
  { organisationId: t.nullable(t.uuid), network: t.nullable(t.text), provider: t.text },
  () => sql`
    SELECT route.organisation_id AS "organisationId", network, provider.name AS provider
    FROM airtime_route route JOIN provider ON provider.id = provider_id ORDER BY position, provider.name`,
);

export const readAirtimeRoutes = (database: SqlRunner): Promise<readonly AirtimeRouteTarget[]> =>
  database.run(findTargets);

/**
 * The providers of the most specific route that matches, in the order in which they are tried. An organisation counts more
 * than a network. Pure.
 */
export function decideAirtimeRoute(
  targets: readonly AirtimeRouteTarget[],
  purchase: { readonly organisationId: string; readonly network: string },
): readonly string[] {
  const { organisationId, network } = purchase;
  const conditions = [
    [organisationId, network],
    [organisationId, null],
    [null, network],
    [null, null],
  ];
  for (const [owner, of] of conditions) {
    const found = targets.filter((target) => target.organisationId === owner && target.network === of);
    if (found.length > 0) return found.map(({ provider }) => provider);
  }
  return [];
}
