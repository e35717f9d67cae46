import { type Database, sql, statement, t } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { Refusal } from '../refusal.js';
import { routeMayUse, ownedByOther, type StoredRoute, targetsInOrder } from './stored-route.js';

/** Which purchases a route is for. */
export interface PurchaseConditions {
  readonly organisationId: string | null;
  readonly network: string | null;
}

const findPurchaseRoutes = statement(
  { organisation: t.text, network: t.text, providers: t.text },
  () => sql`
    SELECT coalesce(account.name || '/' || mode, 'any') AS organisation, coalesce(network, 'any') AS network,
      string_agg(provider.name, ' then ' ORDER BY position) AS providers
    FROM airtime_route route JOIN provider ON provider.id = provider_id
    LEFT JOIN organisation ON organisation.id = route.organisation_id
    LEFT JOIN account ON account.id = organisation.account_id
    GROUP BY account.id, organisation.id, network ORDER BY organisation.id NULLS LAST, network NULLS LAST`,
);

/** All routes of purchases. */
export const listPurchaseRoutes = (database: Database) => database.run(findPurchaseRoutes);

/** The route of purchases with these conditions. Its targets have no weights. @param organisation how operators call it */
export const purchaseRoute = (where: PurchaseConditions, organisation?: string): StoredRoute => ({
  conditions: where,
  label: `airtime for ${where.network ?? 'any network'} of ${organisation ?? 'any organisation'}`,
  actions: { save: 'airtime route', remove: 'airtime unroute' },
  findTargets: async (models) => {
    const include = { provider: true };
    const rows = await models.airtimeRoute.findMany({ where, include, orderBy: { position: 'asc' } });
    return rows.length === 0 ? undefined : targetsInOrder(rows.map(({ provider }) => provider.name));
  },
  check: async (models, targets) => {
    const names = targets.map(({ provider }) => provider);
    const rows = await models.provider.findMany({ where: { name: { in: names } } });
    const sellers = rows.filter(({ domains }) => domains.includes('airtime'));
    const missing = names.filter((wanted) => !sellers.some(({ name }) => name === wanted)).join(', ');
    if (missing !== '') throw new Refusal('not_found', `There is no airtime provider ${missing}.`);
    if (new Set(names).size < names.length) throw new Refusal('invalid', 'A provider is named twice.');
    const foreign = sellers.flatMap((row) => (routeMayUse(where, row) ? [] : row.name)).join(', ');
    if (foreign !== '') throw new Refusal('conflict', `${foreign} ${ownedByOther}.`);
  },
  store: async (models, targets) => {
    await models.airtimeRoute.deleteMany({ where });
    for (const { provider: name, position } of targets) {
      const { id: providerId } = await models.provider.findUniqueOrThrow({ where: { name } });
      await models.airtimeRoute.create({ data: { id: newId(), ...where, providerId, position } });
    }
  },
  audited: (targets) => targets.map(({ provider }) => provider),
});
