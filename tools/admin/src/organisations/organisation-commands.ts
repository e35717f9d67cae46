import { balancesOf } from '@gangan/billing';
import { createAccount } from '@gangan/database';
import type { Command } from 'commander';
import { sender, singleLine } from '../session/arguments.js';
import { findOrganisations } from '../session/find-organisation.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import {
  assertNameFree,
  listOrganisations,
  readDetails,
  rename,
  setStatus,
} from './organisation.repository.js';

const name = singleLine(100);

export function addCommands(group: Command, session: AdminSession): void {
  const creation = 'create an account with its two organisations, their wallets and callback secrets';
  addCommand(group, 'create', creation, ['organisations create "Acme Ltd" --sender Acme'])
    .argument('<name>', 'of the account', name)
    .option('--sender <name>', 'default sender of messages', sender, 'Gangan')
    .action(async (account: string, options: { sender: string }) => {
      const database = await session.database();
      const created = await database.$transaction(async (models) => {
        await assertNameFree(models, account);
        return createAccount(models, { name: account, sender: options.sender });
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
      session.remark(`Next: pnpm admin keys issue "${account}/live" --name <name>`);
    });

  addCommand(group, 'list', 'list all organisations', ['organisations list']).action(async () => {
    session.list(await listOrganisations(await session.database()), 'There are no organisations.');
  });

  addCommand(group, 'show', 'show status, sender and balance', ['organisations show acme/live'])
    .argument('<organisation>')
    .action(async (given: string) => {
      const { database, id, accountId, account, mode } = await session.organisation(given);
      const details = await readDetails(database, id);
      const { available, reserved } = await balancesOf(database, id);
      session.show({
        id,
        account: accountId,
        name: account,
        mode,
        status: details.status,
        default_sender: details.defaultSender,
        registered_senders_only: details.registeredSendersOnly,
        balance: new Money(available),
        reserved: new Money(reserved),
        created: details.createdAt,
      });
    });

  const suspension = 'refuse all requests of an organisation, or of both of an account, within 5 s';
  const examples = ['organisations suspend acme', 'organisations suspend acme/live --yes'];
  addCommand(group, 'suspend', suspension, examples)
    .argument('<account or organisation>')
    .action((given: string) => change(given, 'suspended'));

  addCommand(group, 'activate', 'end a suspension', ['organisations activate acme'])
    .argument('<account or organisation>')
    .action((given: string) => change(given, 'active'));

  addCommand(group, 'rename', 'rename an account', ['organisations rename acme "Acme International"'])
    .argument('<account>')
    .argument('<name>', 'the new name', name)
    .action(async (given: string, wanted: string) => {
      const database = await session.database();
      const [first] = await findOrganisations(database, given);
      if (!first) return;
      await rename(database, first.accountId, wanted);
      session.done(`${first.account} is now called ${wanted}.`, { account: first.accountId, name: wanted });
    });

  async function change(given: string, status: 'active' | 'suspended'): Promise<void> {
    const database = await session.database();
    const organisations = await findOrganisations(database, given);
    const labels = organisations.map(({ label }) => label).join(' and ');
    if (status === 'suspended')
      await session.confirm(`Suspend ${labels}? All their requests will be refused.`);
    await setStatus(database, organisations, status);
    session.done(`${labels}: ${status}.`, { organisations: organisations.map(({ id }) => id), status });
  }
}
