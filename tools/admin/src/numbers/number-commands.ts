import { channels, parseInboundNumber } from '@gangan/contracts';
import type { Channel, InboundNumber, Models } from '@gangan/database';
import { type Command, Option } from 'commander';
import { invalid } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { labelOf, withAccount } from '@gangan/management';
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
      const { database, id: organisationId, label } = await session.organisation(given);
      const key = { channel, number };
      await database.$transaction(async (models) => {
        if (provider !== null) await checkProvider(models, provider, channel, organisationId);
        const { count } = await models.inboundNumber.createMany({
          data: { ...key, organisationId, provider },
          skipDuplicates: true,
        });
        const row = await find(models, key);
        if (row.organisationId !== organisationId || row.provider !== provider)
          throw new CommandError(
            `The number ${number} (${channel}) ${describe(row)}: use \`pnpm admin numbers unassign\` first.`,
          );
        if (count > 0) await session.audit(models, { organisationId, target: label, after: auditRow(row) });
      });
      session.done(`${label} receives the messages to ${number} (${channel}).`, {
        organisation: organisationId,
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
      const rows = await database.inboundNumber.findMany({
        where: { ...(own && { organisationId: own.id }), ...(channel && { channel }) },
        include: withAccount,
        orderBy: [{ channel: 'asc' }, { number: 'asc' }],
      });
      session.list(
        rows.map((row) => ({
          channel: row.channel,
          number: row.number,
          organisation: labelOf(row.organisation),
          provider: row.provider ?? 'any',
          assigned: row.createdAt,
        })),
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
      await find(await session.database(), key);
      await session.confirm(`Take the number ${number} (${channel}) from its organisation?`);
      const database = await session.database();
      const label = await database.$transaction(async (models) => {
        const row = await find(models, key);
        await models.inboundNumber.delete({ where: { channel_number: key } });
        const target = labelOf(row.organisation);
        const { organisationId, provider } = row;
        // Otherwise recipients would be taken for people who have not written.
        if (channel === 'whatsapp')
          await models.whatsAppReceiver.deleteMany({
            where: { organisationId, ...(provider !== null && { provider }) },
          });
        await session.audit(models, { organisationId, target, before: auditRow(row) });
        return target;
      });
      session.done(`${label} no longer receives the messages to ${number} (${channel}).`, { ...key });
    });
}

type Row = Awaited<ReturnType<typeof find>>;

async function find(models: Pick<Models, 'inboundNumber'>, key: { channel: Channel; number: string }) {
  const found = await models.inboundNumber.findUnique({
    where: { channel_number: key },
    include: withAccount,
  });
  if (found) return found;
  throw new CommandError(
    `The number ${key.number} (${key.channel}) is not assigned: see \`pnpm admin numbers list\`.`,
  );
}

const describe = ({ organisation, provider }: Row): string =>
  `belongs to ${labelOf(organisation)}${provider === null ? '' : ` for messages of ${provider}`}`;

/** The audit log has no phone numbers: `+234…567`. */
const auditRow = ({ channel, number, provider }: InboundNumber) => ({
  channel,
  number: number.startsWith('+') ? `${number.slice(0, 4)}…${number.slice(-3)}` : number,
  provider,
});

async function checkProvider(
  models: Models,
  name: string,
  channel: Channel,
  organisationId: string,
): Promise<void> {
  const found = await models.provider.findUnique({ where: { name } });
  if (!found) throw new CommandError(`There is no provider ${name}: see \`pnpm admin providers list\`.`);
  if (!found.channels.includes(channel))
    throw new CommandError(`The provider ${name} does not serve the channel ${channel}.`);
  if (found.organisationId !== null && found.organisationId !== organisationId)
    throw new CommandError(`The provider ${name} belongs to another organisation.`);
}
