import {
  formatTargets,
  type Organisation,
  removeRoute,
  saveRoute,
  type StoredRoute,
} from '@gangan/management';
import type { RouteTarget } from '@gangan/providers';
import type { Command } from 'commander';
import type { Row } from '../session/print.js';
import type { AdminSession } from '../session/session.js';

/** The commands that change the routes of messages, or those of purchases; both have the options of the conditions. */
interface RouteCommands<Options> {
  readonly adding: Command;
  readonly removing: Command;
  readonly routeOf: (options: Options, organisation: Organisation | undefined) => StoredRoute;
  /** @throws InvalidArgumentError */
  readonly parse: (given: readonly string[]) => readonly RouteTarget[];
  /** The conditions as a script reads them. */
  readonly rowOf: (options: Options) => Row;
  /** Otherwise the providers that were replaced are a part of the result. */
  readonly asksToReplace: boolean;
}

export const removal = 'remove the route with exactly these conditions';

export function addRouteActions<Options extends { readonly organisation?: string }>(
  session: AdminSession,
  { adding, removing, routeOf, parse, rowOf, asksToReplace }: RouteCommands<Options>,
): void {
  const find = async (options: Options): Promise<StoredRoute> => {
    const { organisation } = options;
    const owner = organisation === undefined ? undefined : await session.liveOrganisation(organisation);
    return routeOf(options, owner);
  };

  adding.action(async (given: string[], options: Options) => {
    const targets = parse(given);
    const route = await find(options);
    const database = await session.database();
    await route.check(database, targets);
    const existing = asksToReplace ? await route.findTargets(database) : undefined;
    if (existing) await session.confirm(`Replace the route to ${formatTargets(existing)}?`);
    const before = await saveRoute(await session.access(), { route, targets });
    const providers = formatTargets(targets);
    const label = route.label.replace(/^airtime/, 'Airtime');
    session.done(`${label} goes to ${providers}. Workers apply it within 5 s.`, {
      ...rowOf(options),
      providers,
      ...(!asksToReplace && { before: before?.map(({ provider }) => provider) ?? [] }),
    });
  });

  removing.action(async (options: Options) => {
    const route = await find(options);
    await session.confirm(`Remove the route of ${route.label}?`);
    await removeRoute(await session.access(), route);
    session.done('The route is removed.', rowOf(options));
  });
}
