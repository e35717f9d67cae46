import type { Database } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { readRoutes, type Route, routeTable } from '@gangan/providers';
import { labelOf, withAccount } from '../organisations/find-organisation.js';
import { Refusal } from '../refusal.js';
import { formatTargets, routeMayUse, type Owned, ownedByOther, type StoredRoute } from './stored-route.js';

/** Which deliveries a route is for. */
export type MessageConditions = Omit<Route, 'id' | 'targets'>;

/** All routes of messages, the most specific first. */
export async function listRoutes(database: Database) {
  const { routes } = routeTable(await readRoutes(database), []);
  const rows = await database.route.findMany({ include: withAccount });
  const owners = new Map(
    rows.map(({ id, organisation }) => [id, organisation ? labelOf(organisation) : 'any']),
  );
  return routes.map(({ id, channel, category, operator, prefix, country, targets }) => ({
    ...{ organisation: owners.get(id), channel, category, operator, prefix, country },
    providers: formatTargets(targets),
  }));
}

/** The conditions in words, such as `otp sms to NG of any organisation`. */
export function describeMessages(
  { organisationId, channel, category, operator, prefix, country }: MessageConditions,
  organisation = '',
): string {
  const to = [operator, prefix, country].filter((condition) => condition !== null);
  return [
    ...(category === null ? [] : [category]),
    channel,
    ...(to.length === 0 ? [] : [`to ${to.join(' ')}`]),
    organisationId === null ? 'of any organisation' : `of ${organisation}`,
  ].join(' ');
}

/** The route of messages and OTPs with these conditions. @param organisation how operators call it */
export const messageRoute = (where: MessageConditions, organisation?: string): StoredRoute => ({
  conditions: where,
  label: describeMessages(where, organisation),
  actions: { save: 'routes add', remove: 'routes remove' },
  findTargets: async (models) => {
    const targets = { include: { provider: true }, orderBy: { position: 'asc' } } as const;
    const row = await models.route.findFirst({ where, include: { targets } });
    return row?.targets.map(({ provider: { name: provider }, position, weight }) => {
      return { provider, position, weight };
    });
  },
  check: async (models, targets) => {
    const rows = await models.provider.findMany();
    const faults = targets.flatMap(({ provider }, index) => {
      if (targets.findIndex((other) => other.provider === provider) < index)
        return [`${provider} is named twice`];
      const row = rows.find(({ name }) => name === provider);
      const fault = row && targetFault(row, where);
      if (!row) return [`there is no provider ${provider}`];
      return fault === undefined ? [] : [`${provider} ${fault}`];
    });
    if (faults.length > 0) throw new Refusal('conflict', `The route cannot be used: ${faults.join('; ')}.`);
  },
  store: async (models, targets) => {
    if (targets.length === 0) return models.route.deleteMany({ where });
    const before = await models.route.findFirst({ where, select: { id: true } });
    const create = targets.map(({ provider: name, ...place }) => ({
      ...place,
      provider: { connect: { name } },
    }));
    return before
      ? models.route.update({ where: before, data: { targets: { deleteMany: {}, create } } })
      : models.route.create({ data: { id: newId(), ...where, targets: { create } } });
  },
  audited: formatTargets,
});

/** Why a route cannot use a provider; undefined if it can. */
export function targetFault(
  provider: Owned & { readonly channels: readonly string[] },
  route: Owned & { readonly channel: string },
): string | undefined {
  if (!provider.channels.includes(route.channel)) return `has no channel ${route.channel}`;
  return routeMayUse(route, provider) ? undefined : ownedByOther;
}
