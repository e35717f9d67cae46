import { receiveInbound } from '@gangan/contracts';
import { InboundState } from '@gangan/database';
import {
  type InboundFilter,
  listInboundRequests,
  replayInboundRequests,
  showInboundRequest,
} from '@gangan/management';
import { formatMicros } from '@gangan/providers';
import { keysOf } from '@gangan/queue';
import { type Command, Option } from 'commander';
import { wholeNumber } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { configuredKeys, queueKeysOf } from '../session/stores.js';

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'list', 'list requests from providers, newest first', [
    '--state unparsed --provider termii',
  ])
    .option('--provider <name>', 'only of this provider')
    .addOption(new Option('--state <state>', 'only in this state').choices(Object.values(InboundState)))
    .option('--limit <n>', 'the maximum number of rows', wholeNumber(1, 1_000), 50)
    .action(async ({ limit, ...filter }: InboundFilter & { readonly limit: number }) => {
      const rows = await listInboundRequests(await session.database(), filter, limit);
      session.list(rows, 'There are no stored requests.');
    });

  addCommand(
    group,
    'show <id>',
    'show a request from a provider, and the reports and messages that its settings find in it',
    ['01a1dd98-ffc6-7f4b-beeb-767704693149'],
    'Secrets are masked, and so are numbers of four digits or more: they may be phone numbers or OTPs. A request that is not verified may be forged.',
  ).action(async (id: string) => {
    const receivedKeys = async () => [
      ...keysOf(await queueKeysOf(session.settings), 'gateway', receiveInbound),
      ...(await configuredKeys(session.settings, 'earlierQueueKey')),
    ];
    const shown = await showInboundRequest(await session.access(), id, receivedKeys);
    session.show({
      ...shown,
      reports: shown.reports?.map(({ cost, ...report }) => ({
        ...report,
        cost: cost === null ? 'not known' : cost && `${cost.currency} ${formatMicros(cost.micros)}`,
      })),
    });
  });

  addCommand(
    group,
    'replay [id]',
    'read requests again, with the current settings',
    ['01a1dd98-ffc6-7f4b-beeb-767704693149', '--provider termii'],
    'Reports and messages that were already stored change nothing. With --provider, all its requests that could not be read are read again. One that is not verified is verified first.',
  )
    .option('--provider <name>', 'all unparsed requests of this provider')
    .action(async (id: string | undefined, { provider }: { provider?: string }) => {
      if ((id === undefined) === (provider === undefined))
        throw new CommandError('Give the id of a request, or --provider.');
      const given = id === undefined ? { provider: provider ?? '' } : { id };
      const replayed = await replayInboundRequests(await session.access(), given);
      session.done(`${replayed} ${replayed === 1 ? 'request is' : 'requests are'} read again.`, { replayed });
    });
}
