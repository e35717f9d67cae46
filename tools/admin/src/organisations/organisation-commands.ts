import { balancesOf } from '@gangan/billing';
import { messageCategories, type MessageCategory } from '@gangan/contracts';
import { createAccount, type Database, type Models } from '@gangan/database';
import { Argument, type Command } from 'commander';
import { sender, plainText } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { findOrganisations, type Organisation } from '../session/find-organisation.js';
import { changeSettings } from '../session/organisation-settings.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addLowBalanceCommand, shown } from './low-balance-command.js';
import { addProviderNamesCommand, providerNamesOf } from './provider-names-command.js';
import { shownCountries } from '../messages/set-command.js';
import {
  addNationalQuietHoursCommand,
  addQuietHoursCommand,
  shownQuietHours,
} from './quiet-hours-command.js';
import { countUnsent } from './unsent-work.js';

type Status = 'active' | 'suspended';

const name = plainText(100);

export function addCommands(group: Command, session: AdminSession): void {
  const creation = 'create an account with its two organisations, their wallets and callback secrets';
  addCommand(group, 'create', creation, ['"Acme Ltd" --sender Acme'])
    .argument('<name>', 'name of the account', name)
    .option('--sender <name>', 'default sender of messages', sender, 'Gangan')
    .action(async (account: string, options: { sender: string }) => {
      const [database, sealer] = [await session.database(), await session.sealer()];
      const created = await database.$transaction(async (models) => {
        await assertNameFree(models, account);
        const made = await createAccount(models, sealer, { name: account, sender: options.sender });
        for (const { id, mode } of made.organisations) {
          const after = { account: made.id, default_sender: options.sender };
          await session.audit(models, { organisationId: id, target: `${account}/${mode}`, after });
        }
        return made;
      });
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
      const { database, id, accountId, account, mode } = await session.organisation(given);
      const include = { account: true };
      const details = await database.organisation.findUniqueOrThrow({ where: { id }, include });
      const { available, reserved } = await balancesOf(database, id);
      const ofWallet = { organisationId: id, kind: 'wallet' as const };
      const wallet = await database.ledgerAccount.findFirst({ where: ofWallet });
      session.show({
        id,
        account: accountId,
        name: account,
        mode,
        status: effectiveStatus(details),
        default_sender: details.defaultSender,
        registered_senders_only: details.registeredSendersOnly,
        restricted_callbacks: details.restrictedCallbacks,
        fair_keys: details.fairKeys,
        balance: new Money(available),
        reserved: new Money(reserved),
        low_balance: shown(wallet?.lowBalanceKobo ?? null),
        ...shownQuietHours(details),
        message_countries: shownCountries(details.settings),
        provider_names: providerNamesOf(details),
        ...(await countUnsent(database, id)),
        created: details.createdAt,
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

  const categories =
    'set the category of messages that name none; promotional ones are not sent to DND numbers';
  addCommand(group, 'default-category <organisation>', categories, ['acme/live promotional'])
    .addArgument(new Argument('<category>').choices(messageCategories))
    .action(async (given: string, category: MessageCategory) => {
      const organisation = await session.organisation(given);
      await changeSettings(session, organisation, 'sms', (sms) => ({ ...sms, default_category: category }));
      session.done(`${organisation.label}: messages are ${category} by default; effective within 10 s.`, {
        organisation: organisation.id,
        default_category: category,
      });
    });

  addLowBalanceCommand(group, session);
  addProviderNamesCommand(group, session);
  addQuietHoursCommand(group, session);
  addNationalQuietHoursCommand(group, session);

  addCommand(group, 'rename', 'rename an account', ['acme "Acme International"'])
    .argument('<account>')
    .argument('<name>', 'the new name', name)
    .action(async (given: string, wanted: string) => {
      const database = await session.database();
      const [first] = await findOrganisations(database, given);
      if (!first) return;
      const { accountId: id, account } = first;
      await database.$transaction(async (models) => {
        await assertNameFree(models, wanted, id);
        await models.account.update({ where: { id }, data: { name: wanted } });
        const organisations = await models.organisation.findMany({ where: { accountId: id } });
        for (const { id: organisationId, mode } of organisations) {
          await session.audit(models, {
            organisationId,
            target: `${account}/${mode}`,
            before: { name: account },
            after: { name: wanted },
          });
        }
      });
      session.done(`${account} is now called ${wanted}.`, { account: id, name: wanted });
    });

  async function change(given: string, status: Status): Promise<void> {
    const database = await session.database();
    const organisations = await findOrganisations(database, given);
    const labels = organisations.map(({ label }) => label).join(' and ');
    if (status === 'suspended')
      await session.confirm(
        `Suspend ${labels}? All their requests will be refused, and their unsent messages, OTPs and purchases held.`,
      );
    await setStatus(session, database, organisations, status);
    session.done(`${labels}: ${status}.`, { organisations: organisations.map(({ id }) => id), status });
  }
}

/** A suspended account suspends both its organisations. */
const effectiveStatus = (organisation: { status: Status; account: { status: Status } }): Status =>
  organisation.account.status === 'suspended' ? 'suspended' : organisation.status;

async function listOrganisations(database: Database) {
  const now = new Date();
  const isValid = [
    { OR: [{ revokedAt: null }, { revokedAt: { gt: now } }] },
    { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
  ];
  const organisations = await database.organisation.findMany({
    include: { account: true, _count: { select: { apiKeys: { where: { AND: isValid } } } } },
    orderBy: [{ account: { name: 'asc' } }, { accountId: 'asc' }, { mode: 'asc' }],
  });
  return organisations.map((organisation) => ({
    id: organisation.id,
    name: organisation.account.name,
    mode: organisation.mode,
    status: effectiveStatus(organisation),
    keys: organisation._count.apiKeys,
    created: organisation.createdAt,
  }));
}

/** If the account is suspended, activates the account and suspends the other organisation instead. */
async function setStatus(
  session: AdminSession,
  database: Database,
  organisations: readonly Organisation[],
  status: Status,
): Promise<void> {
  const [{ accountId } = { accountId: '' }] = organisations;
  const suspended = { id: accountId, status: 'suspended' } as const;
  const updatedAt = new Date();
  await database.$transaction(async (models) => {
    await models.organisation.updateMany({
      where: { account: suspended },
      data: { status: 'suspended', updatedAt },
    });
    await models.account.updateMany({ where: suspended, data: { status: 'active' } });
    for (const { id, label } of organisations) {
      // Locks the row.
      const before = await models.organisation.update({ where: { id }, data: { updatedAt } });
      await models.organisation.update({ where: { id }, data: { status } });
      await session.audit(models, {
        organisationId: id,
        target: label,
        before: { status: before.status },
        after: { status },
      });
    }
  });
}

/** Concurrent calls wait until this transaction ends, and then find the name taken. */
async function assertNameFree(models: Models, wanted: string, ownId?: string): Promise<void> {
  await models.$executeRaw`LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE`;
  const found = await models.$queryRaw<unknown[]>`
    SELECT id FROM account WHERE lower(name) = lower(${wanted}) AND id IS DISTINCT FROM ${ownId ?? null}::uuid LIMIT 1`;
  if (found.length > 0)
    throw new CommandError(`An account is already called ${wanted}: choose another name.`);
}
