import { balancesOf } from '@gangan/billing';
import { createAccount } from '@gangan/database';
import type { Command } from 'commander';
import { sender, words } from '../session/arguments.js';
import type { AdminSession } from '../session/session.js';
import { Money } from '../session/money.js';
import { findOrganisation, findOrganisations } from './find-organisation.js';
import { detailsOf, listOrganisations, refuseTaken, rename, setStatus } from './organisation.repository.js';

const name = words(100);

export function addOrganisationCommands(group: Command, session: AdminSession): void {
  group
    .command('create')
    .description('make an account with both its organisations, their wallets and callback secrets')
    .argument('<name>', 'of the account', name)
    .option('--sender <name>', 'who messages come from unless they say otherwise', sender, 'Gangan')
    .addHelpText('after', '\nExample:\n  pnpm admin organisations create "Acme Ltd" --sender Acme')
    .action(async (account: string, options: { sender: string }) => {
      const database = await session.database();
      const made = await database.$transaction(async (models) => {
        await refuseTaken(models, account);
        return createAccount(models, { name: account, sender: options.sender });
      });
      session.show({
        account: made.id,
        name: account,
        organisations: made.organisations.map(({ id, mode, callbackSecret }) => ({
          mode,
          id,
          callback_secret: callbackSecret,
        })),
      });
      session.remark(`Next: pnpm admin keys issue "${account}/live" --name <name>`);
    });

  group
    .command('list')
    .description('all organisations')
    .addHelpText('after', '\nExample:\n  pnpm admin organisations list')
    .action(async () => {
      session.list(await listOrganisations(await session.database()), 'There is no organisation yet.');
    });

  group
    .command('show')
    .description('one organisation: status, sender, balance')
    .argument('<organisation>')
    .addHelpText('after', '\nExample:\n  pnpm admin organisations show acme/live')
    .action(async (given: string) => {
      const database = await session.database();
      const organisation = await findOrganisation(database, given);
      const {
        status,
        sender: from,
        registeredSendersOnly,
        created,
      } = await detailsOf(database, organisation);
      const { available, reserved } = await balancesOf(database, organisation.id);
      session.show({
        id: organisation.id,
        account: organisation.accountId,
        name: organisation.account,
        mode: organisation.mode,
        status,
        default_sender: from,
        registered_senders_only: registeredSendersOnly,
        balance: new Money(available),
        reserved: new Money(reserved),
        created,
      });
    });

  group
    .command('suspend')
    .description('refuse every request of an organisation, or of both of an account, within 5 s')
    .argument('<account or organisation>')
    .addHelpText(
      'after',
      '\nExamples:\n  pnpm admin organisations suspend acme\n  pnpm admin organisations suspend acme/live --yes',
    )
    .action((given: string) => change(given, 'suspended'));

  group
    .command('activate')
    .description('lift a suspension')
    .argument('<account or organisation>')
    .addHelpText('after', '\nExample:\n  pnpm admin organisations activate acme')
    .action((given: string) => change(given, 'active'));

  group
    .command('rename')
    .description('give an account another name')
    .argument('<account>')
    .argument('<name>', 'the new one', name)
    .addHelpText('after', '\nExample:\n  pnpm admin organisations rename acme "Acme International"')
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
