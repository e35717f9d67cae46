import type { RouteTarget } from '@gangan/providers';
import type { Command } from 'commander';
import type { Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { changeProvidersAndRoutes } from './lock.js';
import { type RouteConditions, RouteStore, type StoredRoutes } from './route-store.js';
import { formatTargets } from './targets.js';

/** The commands that change the routes of a table. */
interface RouteCommands<Conditions extends RouteConditions, Options> {
  readonly table: StoredRoutes<Conditions>;
  readonly add: {
    readonly name: string;
    readonly description: string;
    readonly examples: string[];
    readonly notes: string;
  };
  readonly remove: { readonly name: string; readonly examples: string[] };
  addOptions(command: Command): Command;
  conditionsOf(options: Options, organisationId: string | null): Conditions;
  /** The conditions in words. */
  describe(conditions: Conditions, organisation?: string): string;
  /** @throws InvalidArgumentError */
  parse(given: readonly string[]): readonly RouteTarget[];
  /** The conditions as a script reads them. */
  rowOf(options: Options): Row;
  /** Otherwise the providers that were replaced are a part of the result. */
  readonly asksToReplace: boolean;
}

export function addRouteCommands<
  Conditions extends RouteConditions,
  Options extends { readonly organisation?: string },
>(group: Command, session: AdminSession, commands: RouteCommands<Conditions, Options>): void {
  const { table, add, remove, asksToReplace } = commands;
  const store = new RouteStore(session, table);

  const adding = addCommand(group, `${add.name} <providers...>`, add.description, add.examples, add.notes);
  commands.addOptions(adding).action(async (given: string[], options: Options) => {
    const targets = commands.parse(given);
    const route = await routeOf(options);
    const database = await session.database();
    await table.check(database, targets, route.conditions);
    const existing = asksToReplace ? await table.find(database, route.conditions) : undefined;
    if (existing) await session.confirm(`Replace the route to ${formatTargets(existing)}?`);
    const before = await changeProvidersAndRoutes(session, (models) =>
      store.save(models, { ...route, targets }),
    );
    const providers = formatTargets(targets);
    const label = route.label.replace(/^airtime/, 'Airtime');
    session.done(`${label} goes to ${providers}. Workers apply it within 5 s.`, {
      ...commands.rowOf(options),
      providers,
      ...(!asksToReplace && { before: before?.map(({ provider }) => provider) ?? [] }),
    });
  });

  const removing = 'remove the route with exactly these conditions';
  commands
    .addOptions(addCommand(group, remove.name, removing, remove.examples))
    .action(async (options: Options) => {
      const route = await routeOf(options);
      await session.confirm(`Remove the route of ${route.label}?`);
      await changeProvidersAndRoutes(session, (models) => store.remove(models, route));
      session.done('The route is removed.', commands.rowOf(options));
    });

  async function routeOf(options: Options) {
    const { organisation } = options;
    const owner = organisation === undefined ? undefined : await session.liveOrganisation(organisation);
    const conditions = commands.conditionsOf(options, owner?.id ?? null);
    return { conditions, label: commands.describe(conditions, owner?.label) };
  }
}
