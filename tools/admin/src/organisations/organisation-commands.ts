import {
  addAccount,
  describeOrganisation,
  findOrganisations,
  listOrganisations,
  renameAccount,
  setLowBalance,
  setStatus,
  type Status,
} from '@gangan/management';
import type { Command } from 'commander';
import { atLeastOneKobo, plainText, sender } from '../session/arguments.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import {
  addDefaultCategoryCommand,
  addNationalQuietHoursCommand,
  addProviderNamesCommand,
  addQuietHoursCommand,
  shownQuietHours,
} from './message-settings-commands.js';

const name = plainText(100);

const off = 'off';
const threshold = (text: string): bigint | typeof off => (text === off ? text : atLeastOneKobo(text));
const shownThreshold = (kobo: bigint | null) => (kobo === null ? off : new Money(kobo));

export function addCommands(group: Command, session: AdminSession): void {
  const creation = 'create an account with its two organisations, their wallets and callback secrets';
  addCommand(group, 'create', creation, ['"Acme Ltd" --sender Acme'])
    .argument('<name>', 'name of the account', name)
    .option('--sender <name>', 'default sender of messages', sender, 'Gangan')
    .action(async (account: string, options: { sender: string }) => {
      const wanted = { name: account, ...options };
      const created = await addAccount(await session.access(), await session.sealer(), wanted);
      session.show({
        account: created.id,
        name: account,
        organisations: created.organisations.map(({ id, mode, callbackSecret }) => ({
          mode,
          id,
          callback_secret: callbackSecret,
        })),
      });
      session.remark(`Next: pnpm admin keys issue "${account}/live" --name <name> --scopes <scopes>`);
    });

  addCommand(group, 'list', 'list all organisations').action(async () => {
    session.list(await listOrganisations(await session.database()), 'There are no organisations.');
  });

  addCommand(group, 'show <organisation>', 'show status, sender, balance and unfinished work').action(
    async (given: string) => {
      const { database, id, account } = await session.organisation(given);
      const { mode, messages, unsent, ...found } = await describeOrganisation(database, id);
      session.show({
        id,
        account: found.accountId,
        name: account,
        mode,
        status: found.status,
        default_sender: found.defaultSender,
        registered_senders_only: found.registeredSendersOnly,
        restricted_callbacks: found.restrictedCallbacks,
        fair_keys: found.fairKeys,
        balance: new Money(found.available),
        reserved: new Money(found.reserved),
        low_balance: shownThreshold(found.lowBalanceKobo),
        ...shownQuietHours(mode, messages),
        message_countries: found.destinations
          ? (found.destinations.countries?.join(', ') ?? 'all')
          : 'none, because the setting is invalid',
        provider_names: mode === 'test' ? 'shown' : (messages.provider_names ?? 'hidden'),
        unsent_messages_and_otps: unsent?.deliveries ?? 0,
        unread_smartlists: unsent?.expansions ?? 0,
        unsubmitted_purchases: unsent?.purchases ?? 0,
        created: found.createdAt,
      });
    },
  );

  const suspension =
    'refuse all requests of an organisation, or of both of an account, within 5 s, and hold its unsent messages, OTPs and purchases';
  const examples = ['acme', 'acme/live --yes'];
  addCommand(group, 'suspend', suspension, examples)
    .argument('<account or organisation>')
    .action((given: string) => change(given, 'suspended'));

  addCommand(group, 'activate', 'end a suspension; what was held goes on at once', ['acme'])
    .argument('<account or organisation>')
    .action((given: string) => change(given, 'active'));

  addDefaultCategoryCommand(group, session);

  const description =
    'report a balance that falls below this amount to the endpoints of an organisation, as balance.low';
  addCommand(group, 'low-balance <organisation>', description, ['acme/live 5000', 'acme/live off'])
    .argument('<naira>', 'the amount, or off', threshold)
    .action(async (given: string, wanted: bigint | typeof off) => {
      const organisation = await session.organisation(given);
      const kobo = wanted === off ? null : wanted;
      await setLowBalance(await session.access(), organisation, kobo);
      session.show({ organisation: organisation.label, low_balance: shownThreshold(kobo) });
    });

  addProviderNamesCommand(group, session);
  addQuietHoursCommand(group, session);
  addNationalQuietHoursCommand(group, session);

  addCommand(group, 'rename', 'rename an account', ['acme "Acme International"'])
    .argument('<account>')
    .argument('<name>', 'the new name', name)
    .action(async (given: string, wanted: string) => {
      const database = await session.database();
      const [first] = await findOrganisations(database, given);
      await renameAccount(await session.access(), first, wanted);
      const { accountId, account } = first;
      session.done(`${account} is now called ${wanted}.`, { account: accountId, name: wanted });
    });

  async function change(given: string, status: Status): Promise<void> {
    const database = await session.database();
    const organisations = await findOrganisations(database, given);
    const labels = organisations.map(({ label }) => label).join(' and ');
    if (status === 'suspended')
      await session.confirm(
        `Suspend ${labels}? All their requests will be refused, and their unsent messages, OTPs and purchases held.`,
      );
    await setStatus(await session.access(), organisations, status);
    session.done(`${labels}: ${status}.`, { organisations: organisations.map(({ id }) => id), status });
  }
}
