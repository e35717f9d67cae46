import { type Network, networks } from '@gangan/contracts';
import { newId } from '@gangan/protocol';
import { type Command, Option } from 'commander';
import { CommandError } from '../session/errors.js';
import { labelOf, withAccount } from '@gangan/management';
import { addCommand, type AdminSession } from '../session/session.js';
import { addRouteCommands } from './change-commands.js';
import type { PurchaseConditions, StoredRoutes } from './route-store.js';
import { targetsInOrder } from './targets.js';

interface Options {
  readonly organisation?: string;
  readonly network?: Network;
}

export const describePurchases = ({ network }: PurchaseConditions, organisation?: string): string =>
  `airtime for ${network ?? 'any network'} of ${organisation ?? 'any organisation'}`;

/** The routes of purchases. Their targets have no weights. */
export const purchaseRoutes: StoredRoutes<PurchaseConditions> = {
  find: async (models, where) => {
    const include = { provider: true };
    const rows = await models.airtimeRoute.findMany({ where, include, orderBy: { position: 'asc' } });
    return rows.length === 0 ? undefined : targetsInOrder(rows.map(({ provider }) => provider.name));
  },
  check: async (models, targets, { organisationId }) => {
    const names = targets.map(({ provider }) => provider);
    const rows = await models.provider.findMany({
      where: { name: { in: names }, domains: { has: 'airtime' } },
    });
    const idOf = new Map(rows.map(({ id, name }) => [name, id]));
    const missing = names.filter((name) => !idOf.has(name));
    const foreign = rows.filter(
      (row) => row.organisationId !== null && row.organisationId !== organisationId,
    );
    if (missing.length > 0) throw new CommandError(`There is no airtime provider ${missing.join(', ')}.`);
    if (new Set(names).size < names.length) throw new CommandError('A provider is named twice.');
    if (foreign.length > 0)
      throw new CommandError(
        `${foreign.map(({ name }) => name).join(', ')} belongs to an organisation, which the route must name.`,
      );
    return targets.map(({ provider, ...place }) => ({ providerId: idOf.get(provider) ?? '', ...place }));
  },
  store: async (models, conditions, targets) => {
    await models.airtimeRoute.deleteMany({ where: conditions });
    await models.airtimeRoute.createMany({
      data: targets.map(({ providerId, position }) => ({ id: newId(), ...conditions, providerId, position })),
    });
  },
  audited: (targets) => targets.map(({ provider }) => provider),
};

export function addPurchaseRouteCommands(group: Command, session: AdminSession): void {
  const listing = 'list the routes of purchases; the most specific one that matches decides';
  addCommand(group, 'routes', listing).action(async () => {
    const database = await session.database();
    const targets = await database.airtimeRoute.findMany({
      include: { ...withAccount, provider: true },
      orderBy: { position: 'asc' },
    });
    const routes = new Map<string, { organisation: string; network: string; providers: string }>();
    for (const { organisation, network, provider } of targets) {
      const conditions = {
        organisation: organisation ? labelOf(organisation) : 'any',
        network: network ?? 'any',
      };
      const key = JSON.stringify(conditions);
      const before = routes.get(key)?.providers;
      const providers = before === undefined ? provider.name : `${before} then ${provider.name}`;
      routes.set(key, { ...conditions, providers });
    }
    session.list(
      [...routes.values()],
      'There is no route: live organisations cannot buy airtime. Add one with `pnpm admin airtime route`.',
    );
  });

  addRouteCommands<PurchaseConditions, Options>(group, session, {
    table: purchaseRoutes,
    add: {
      name: 'route',
      description: 'route purchases to providers',
      examples: ['vtpass', 'vtpass reloadly --network MTN', 'own-vtpass --organisation acme/live'],
      notes: `Each provider is tried after the one before it, if that one received nothing. A route with the same conditions is
replaced. An organisation counts more than a network.`,
    },
    remove: { name: 'unroute', examples: ['--network MTN'] },
    addOptions: (command) =>
      command
        .option('--organisation <organisation>', 'only purchases of this organisation')
        .addOption(new Option('--network <network>', 'only purchases for this network').choices(networks)),
    conditionsOf: ({ network = null }, organisationId) => ({ organisationId, network }),
    describe: describePurchases,
    parse: targetsInOrder,
    rowOf: ({ organisation = 'any', network = 'any' }) => ({ organisation, network }),
    asksToReplace: false,
  });
}
