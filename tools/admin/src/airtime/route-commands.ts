import { type Network, networks } from '@gangan/contracts';
import type { Models } from '@gangan/database';
import { type Command, Option } from 'commander';
import { lockProvidersAndRoutes } from '../routes/lock.js';
import { labelOf, withAccount } from '../session/find-organisation.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { AirtimeRouteStore, labelOfRoute, type RouteKey } from './route-store.js';

interface Conditions {
  readonly organisation?: string;
  readonly network?: Network;
}

const addConditions = (command: Command): Command =>
  command
    .option('--organisation <organisation>', 'only purchases of this organisation')
    .addOption(new Option('--network <network>', 'only purchases for this network').choices(networks));

/** The routes of purchases. */
export function addRouteCommands(group: Command, session: AdminSession): void {
  const store = new AirtimeRouteStore(session);
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

  const examples = ['vtpass', 'vtpass reloadly --network MTN', 'own-vtpass --organisation acme/live'];
  const notes = `Each provider is tried after the one before it, if that one received nothing. A route with the same conditions is
replaced. An organisation counts more than a network.`;
  addConditions(
    addCommand(group, 'route <providers...>', 'route purchases to providers', examples, notes),
  ).action(async (names: string[], options: Conditions) => {
    const { key, label } = await keyOf(options);
    const before = await change((models) => store.save(models, { key, label, providers: names }));
    const providers = names.join(' then ');
    session.done(`Airtime ${label} goes to ${providers}. Workers apply it within 5 s.`, {
      organisation: options.organisation ?? 'any',
      network: options.network ?? 'any',
      providers,
      before,
    });
  });

  addConditions(
    addCommand(group, 'unroute', 'remove the route with exactly these conditions', ['--network MTN']),
  ).action(async (options: Conditions) => {
    const { key, label } = await keyOf(options);
    await session.confirm(`Remove the route of airtime ${label}?`);
    await change((models) => store.remove(models, { key, label }));
    session.done('The route is removed.', {
      organisation: options.organisation ?? 'any',
      network: options.network ?? 'any',
    });
  });

  async function keyOf({ organisation, network }: Conditions) {
    const owner = organisation === undefined ? undefined : await session.liveOrganisation(organisation);
    const key: RouteKey = { organisationId: owner?.id ?? null, network: network ?? null };
    return { key, label: labelOfRoute(network, organisation) };
  }

  async function change<T>(work: (models: Models) => Promise<T>): Promise<T> {
    const database = await session.database();
    return database.$transaction(async (models) => {
      await lockProvidersAndRoutes(models);
      return work(models);
    });
  }
}
