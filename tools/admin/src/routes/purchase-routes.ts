import { type Network, networks } from '@gangan/contracts';
import { listPurchaseRoutes, purchaseRoute, targetsInOrder } from '@gangan/management';
import { type Command, Option } from 'commander';
import { addCommand, type AdminSession } from '../session/session.js';
import { addRouteActions, removal } from './change-commands.js';

interface Options {
  readonly organisation?: string;
  readonly network?: Network;
}

const addOptions = (command: Command): Command =>
  command
    .option('--organisation <organisation>', 'only purchases of this organisation')
    .addOption(new Option('--network <network>', 'only purchases for this network').choices(networks));

const notes = `Each provider is tried after the one before it, if that one received nothing. A route with the same conditions is
replaced. An organisation counts more than a network.`;

export function addPurchaseRouteCommands(group: Command, session: AdminSession): void {
  const listing = 'list the routes of purchases; the most specific one that matches decides';
  addCommand(group, 'routes', listing).action(async () => {
    session.list(
      await listPurchaseRoutes(await session.database()),
      'There is no route: live organisations cannot buy airtime. Add one with `pnpm admin airtime route`.',
    );
  });

  const examples = ['vtpass', 'vtpass reloadly --network MTN', 'own-vtpass --organisation acme/live'];
  addRouteActions<Options>(session, {
    adding: addOptions(
      addCommand(group, 'route <providers...>', 'route purchases to providers', examples, notes),
    ),
    removing: addOptions(addCommand(group, 'unroute', removal, ['--network MTN'])),
    routeOf: ({ network = null }, owner) =>
      purchaseRoute({ organisationId: owner?.id ?? null, network }, owner?.label),
    parse: targetsInOrder,
    rowOf: (options) => ({ organisation: 'any', network: 'any', ...options }),
    asksToReplace: false,
  });
}
