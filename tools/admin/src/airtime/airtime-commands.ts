import { bookLoss } from '@gangan/billing';
import { isId } from '@gangan/protocol';
import { Argument, type Command } from 'commander';
import type { AdminSession } from '../session/session.js';
import { Money } from '../session/money.js';
import { CommandError } from '../session/command-error.js';
import { findPurchase, type Outcome, type Purchase, resolve, unresolved } from './airtime.repository.js';

const outcomes: readonly Outcome[] = ['success', 'failed'];
const givenBack: readonly string[] = ['failed', 'duplicate'];

export function addAirtimeCommands(group: Command, session: AdminSession): void {
  group
    .command('unresolved')
    .description('purchases whose outcome the provider never told: find out, then resolve them')
    .addHelpText('after', '\nExample:\n  pnpm admin airtime unresolved')
    .action(async () => {
      const rows = await unresolved(await session.database());
      session.list(
        rows.map(({ id, organisation, network, provider, status, created, kobo }) => ({
          id,
          organisation,
          network,
          provider,
          status,
          created,
          naira: new Money(kobo),
        })),
        'Every purchase has ended, or its provider is still being asked.',
      );
    });

  group
    .command('resolve')
    .description(
      'say what became of a purchase in error; a worker then settles its money and tells the customer. One that was given back and turns out to be delivered is booked as a loss',
    )
    .argument('<purchase>', 'its id, which is also the reference that the provider knows')
    .addArgument(new Argument('<outcome>', 'what the provider says').choices(outcomes))
    .addHelpText(
      'after',
      '\nExample:\n  pnpm admin airtime resolve 019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42 failed',
    )
    .action(async (id: string, outcome: Outcome) => {
      const database = await session.database();
      const purchase = isId(id) ? await findPurchase(database, id) : undefined;
      if (!purchase)
        throw new CommandError(`There is no purchase ${id} (see \`pnpm admin airtime unresolved\`).`);
      if (outcome === 'success' && givenBack.includes(purchase.status)) return lose(session, purchase);
      const naira = new Money(purchase.kobo);
      const consequence = outcome === 'success' ? 'is earned' : `goes back to ${purchase.organisation}`;
      await session.confirm(`The ${naira.text} of this purchase ${consequence}, for good. Is that right?`);
      if (!(await resolve(database, id, outcome))) {
        throw new CommandError(
          `Only a purchase in error can be resolved, once; this one is ${purchase.status}.`,
        );
      }
      session.done(`Noted: ${outcome}. A running airtime worker settles it within seconds.`, {
        purchase: id,
        outcome,
        naira,
      });
    });
}

/** The customer has its money back, and the airtime too: that is ours to bear. */
async function lose(
  session: AdminSession,
  { id, organisationId, organisation, status, kobo }: Purchase,
): Promise<void> {
  const naira = new Money(kobo);
  await session.confirm(
    `This purchase is ${status} and its ${naira.text} went back to ${organisation}. Book them as our loss?`,
  );
  const [loss] = await bookLoss(await session.database(), [{ subjectId: id, organisationId }]);
  if (!loss?.moved)
    throw new CommandError('It is booked as a loss already, or its money was never given back.');
  session.done('Booked as a loss. The customer keeps its money and is told nothing.', {
    purchase: id,
    outcome: 'loss',
    naira,
  });
}
