import type { Models } from '@gangan/database';
import type { Command } from 'commander';
import { messageRoutes } from '../routes/message-routes.js';
import { purchaseRoutes } from '../routes/purchase-routes.js';
import {
  findRouteDifference,
  type RouteConditions,
  type RouteDefinition,
  type RouteModels,
  RouteStore,
  type StoredRoutes,
} from '../routes/route-store.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { findDifferences, type ProviderDefinition } from './definition.js';
import { ProviderStore } from './provider-store.js';
import { type Definitions, readDefinitions } from './read-definitions.js';

export function addApplyCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'apply <file>',
    'add and change providers and routes from a YAML file; shows the differences first',
    ['providers.yaml'],
    `Providers and routes that are not in the file stay as they are. \${NAME} in secrets and in settings.request.url stands for an
environment variable. Example:

  providers:
    - name: termii
      preset: termii
      secrets: { api_key: '\${TERMII_API_KEY}' }
      settings: { request: { json: { channel: generic } } }
      rate: 50
  routes:
    - to: [termii]
      country: NG
  airtimeRoutes:
    - to: [vtpass, reloadly]
      network: MTN`,
  ).action(async (file: string) => {
    const database = await session.database();
    const store = new ProviderStore(session);
    const wanted = await readDefinitions(session, file);
    const changes: { name: string; after: ProviderDefinition; differences: string[] }[] = [];
    for (const [name, after] of wanted.providers) {
      const differences = findDifferences(await store.find(database, name), after);
      if (differences.length > 0) changes.push({ name, after, differences });
    }
    const routes = await differing(routesOf(session, wanted), database);
    if (changes.length + routes.length === 0) {
      session.done('There are no differences; nothing was changed.', { changed: [], routes: [] });
      return;
    }
    for (const { name, differences } of changes)
      session.remark(differences.map((line) => `${name}: ${line}`).join('\n'));
    for (const { difference } of routes) session.remark(difference);
    const count = changes.length + routes.length;
    await session.confirm(`Apply ${count === 1 ? 'this change' : `these ${count} changes`}?`);
    await store.change(async (models) => {
      for (const { name, after, differences } of changes) {
        const before = await store.find(models, name);
        if (findDifferences(before, after).join('\n') !== differences.join('\n'))
          throw changedMeanwhile(name);
        await store.save(models, name, before, after);
      }
      for (const { route, difference } of routes) {
        if ((await route.findDifference(models)) !== difference) throw changedMeanwhile(route.label);
        await route.save(models);
      }
    });
    const changed = changes.map(({ name }) => name);
    const labels = routes.map(({ route }) => route.label);
    session.done(`Applied: ${[...changed, ...labels].join(', ')}.`, { changed, routes: labels });
  });
}

/** A route of a file, of messages or of purchases. */
interface WantedRoute {
  readonly label: string;
  /** @returns undefined if the stored route leads to the same providers */
  findDifference(models: RouteModels): Promise<string | undefined>;
  save(models: Models): Promise<unknown>;
}

function routesOf(session: AdminSession, { routes, airtimeRoutes }: Definitions): WantedRoute[] {
  const wanted = <Conditions extends RouteConditions>(
    table: StoredRoutes<Conditions>,
    given: readonly RouteDefinition<Conditions>[],
  ): WantedRoute[] => {
    const store = new RouteStore(session, table);
    return given.map((route) => ({
      label: route.label,
      findDifference: (models) => findRouteDifference(models, table, route),
      save: (models) => store.save(models, route),
    }));
  };
  return [...wanted(messageRoutes, routes), ...wanted(purchaseRoutes, airtimeRoutes)];
}

async function differing(
  routes: readonly WantedRoute[],
  models: RouteModels,
): Promise<{ readonly route: WantedRoute; readonly difference: string }[]> {
  const changes = await Promise.all(
    routes.map(async (route) => {
      const difference = await route.findDifference(models);
      return difference === undefined ? [] : [{ route, difference }];
    }),
  );
  return changes.flat();
}

const changedMeanwhile = (what: string): CommandError =>
  new CommandError(`${what} was changed meanwhile; nothing was applied. Run the command again.`);
