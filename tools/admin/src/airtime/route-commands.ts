import { type Network, networks } from '@gangan/contracts';
import type { Models } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { type Command, Option } from 'commander';
import { lockProvidersAndRoutes } from '../routes/lock.js';
import { CommandError } from '../session/errors.js';
import { labelOf, withAccount } from '../session/find-organisation.js';
import { addCommand, type AdminSession } from '../session/session.js';

interface Conditions {
  readonly organisation?: string;
  readonly network?: Network;
}

/** A condition that is `null` matches all purchases. */
interface RouteKey {
  readonly organisationId: string | null;
  readonly network: string | null;
}

const addConditions = (command: Command): Command =>
  command
    .option('--organisation <organisation>', 'only purchases of this organisation')
    .addOption(new Option('--network <network>', 'only purchases for this network').choices(networks));

/** The routes of purchases. */
export function addRouteCommands(group: Command, session: AdminSession): void {
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
    const before = await change(async (models) => {
      const rows = await models.provider.findMany({
        where: { name: { in: names }, domains: { has: 'airtime' } },
      });
      const missing = names.filter((name) => !rows.some((row) => row.name === name));
      const foreign = rows.filter(
        ({ organisationId }) => organisationId !== null && organisationId !== key.organisationId,
      );
      if (missing.length > 0) throw new CommandError(`There is no airtime provider ${missing.join(', ')}.`);
      if (new Set(names).size < names.length) throw new CommandError('A provider is named twice.');
      if (foreign.length > 0)
        throw new CommandError(
          `${foreign.map(({ name }) => name).join(', ')} belongs to an organisation, which the route must name.`,
        );
      const replaced = await removeTargets(models, key);
      const providerIds = names.map((name) => rows.find((row) => row.name === name)?.id ?? '');
      await models.airtimeRoute.createMany({
        data: providerIds.map((providerId, position) => ({ id: newId(), ...key, providerId, position })),
      });
      await audit(models, key, label, replaced, names);
      return replaced;
    });
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
    await change(async (models) => {
      const removed = await removeTargets(models, key);
      if (removed.length === 0) throw new CommandError(`There is no route of airtime ${label}.`);
      await audit(models, key, label, removed, []);
    });
    session.done('The route is removed.', {
      organisation: options.organisation ?? 'any',
      network: options.network ?? 'any',
    });
  });

  async function keyOf({ organisation, network }: Conditions) {
    const owner = organisation === undefined ? undefined : await session.liveOrganisation(organisation);
    const key: RouteKey = { organisationId: owner?.id ?? null, network: network ?? null };
    return { key, label: `for ${network ?? 'any network'} of ${organisation ?? 'any organisation'}` };
  }

  async function change<T>(work: (models: Models) => Promise<T>): Promise<T> {
    const database = await session.database();
    return database.$transaction(async (models) => {
      await lockProvidersAndRoutes(models);
      return work(models);
    });
  }

  const audit = (
    models: Models,
    { organisationId }: RouteKey,
    label: string,
    before: readonly string[],
    after: readonly string[],
  ) =>
    session.audit(models, {
      organisationId: organisationId ?? undefined,
      target: `airtime ${label}`,
      ...(before.length > 0 && { before: { providers: before } }),
      ...(after.length > 0 && { after: { providers: after } }),
    });
}

/** Returns the providers of the route, in their order. */
async function removeTargets(models: Models, where: RouteKey): Promise<string[]> {
  const targets = await models.airtimeRoute.findMany({
    where,
    include: { provider: true },
    orderBy: { position: 'asc' },
  });
  await models.airtimeRoute.deleteMany({ where });
  return targets.map(({ provider }) => provider.name);
}
