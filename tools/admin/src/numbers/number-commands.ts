import { channels, parseInboundNumber } from '@gangan/contracts';
import type { Channel } from '@gangan/database';
import { assignNumber, findNumber, listNumbers, unassignNumber } from '@gangan/management';
import { type Command, Option } from 'commander';
import { invalid } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';

interface Options {
  readonly channel: Channel;
  readonly provider?: string;
}

/** Numbers at which organisations receive messages. */
export function addCommands(group: Command, session: AdminSession): void {
  const channelOption = (): Option =>
    new Option('--channel <channel>', 'on which the number receives messages').choices(channels);
  const readNumber = (text: string): string =>
    parseInboundNumber(text, session.settings.defaultRegion) ??
    invalid('Use a phone number such as +2348001234567, or a short code of 3 to 8 digits.');

  addCommand(
    group,
    'assign <organisation>',
    'give a number to an organisation, which receives its messages',
    [
      'acme/live 22345 --provider twilio',
      'acme/live +15550783881 --channel whatsapp --provider whatsapp',
      'acme/live +2348001234567',
    ],
    `A number belongs to one organisation. Use --provider: without it, the token of any provider whose requests are not signed is enough to forge messages to the number. Requests that arrived before are read again with \`pnpm admin inbound replay\`.`,
  )
    .argument('<number>', 'a phone number, or a short code', readNumber)
    .addOption(channelOption().default('sms'))
    .option('--provider <provider>', 'take messages to it only from this provider (recommended)')
    .action(async (given: string, number: string, options: Options) => {
      const { channel, provider = null } = options;
      const organisation = await session.organisation(given);
      const key = { channel, number };
      await assignNumber(await session.access(), organisation, key, provider);
      session.done(`${organisation.label} receives the messages to ${number} (${channel}).`, {
        organisation: organisation.id,
        ...key,
        provider,
      });
    });

  addCommand(group, 'list', 'list the numbers and their organisations', ['', '--organisation acme/live'])
    .option('--organisation <organisation>', 'only of this organisation')
    .addOption(channelOption())
    .action(async ({ organisation, channel }: { organisation?: string; channel?: Channel }) => {
      const database = await session.database();
      const own = organisation === undefined ? undefined : await session.organisation(organisation);
      const filter = { ...(own && { organisationId: own.id }), ...(channel && { channel }) };
      session.list(
        await listNumbers(database, filter),
        'No number is assigned: use `pnpm admin numbers assign`.',
      );
    });

  addCommand(
    group,
    'unassign <number>',
    'take a number from its organisation',
    ['+2348001234567', '+15550783881 --channel whatsapp'],
    'Messages that were received stay with the organisation.',
  )
    .addOption(channelOption().default('sms'))
    .action(async (given: string, { channel }: Options) => {
      const number = parseInboundNumber(given, session.settings.defaultRegion) ?? given;
      const key = { channel, number };
      await findNumber(await session.database(), key);
      await session.confirm(`Take the number ${number} (${channel}) from its organisation?`);
      const label = await unassignNumber(await session.access(), key);
      session.done(`${label} no longer receives the messages to ${number} (${channel}).`, { ...key });
    });
}
