import { bookLoss } from '@gangan/billing';
import { isId } from '@gangan/protocol';
import { Argument, type Command } from 'commander';
import type { Desk } from '../desk/desk.js';
import { Money } from '../desk/money.js';
import { Refusal } from '../desk/refusal.js';
import { findPurchase, type Outcome, type Purchase, resolve, unresolved } from './airtime.repository.js';

const outcomes: readonly Outcome[] = ['success', 'failed'];
const givenBack: readonly string[] = ['failed', 'duplicate'];

export function addAirtimeCommands(group: Command, desk: Desk): void {
  group
    .command('unresolved')
    .description('purchases whose outcome the provider never told: find out, then resolve them')
    .addHelpText('after', '\nExample:\n  pnpm admin airtime unresolved')
    .action(async () => {
      const rows = await unresolved(await desk.database());
      desk.list(
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
      const database = await desk.database();
      const purchase = isId(id) ? await findPurchase(database, id) : undefined;
      if (!purchase) throw new Refusal(`There is no purchase ${id} (see \`pnpm admin airtime unresolved\`).`);
      if (outcome === 'success' && givenBack.includes(purchase.status)) return lose(desk, purchase);
      const naira = new Money(purchase.kobo);
      const consequence = outcome === 'success' ? 'is earned' : `goes back to ${purchase.organisation}`;
      await desk.confirm(`The ${naira.text} of this purchase ${consequence}, for good. Is that right?`);
      if (!(await resolve(database, id, outcome))) {
        throw new Refusal(`Only a purchase in error can be resolved, once; this one is ${purchase.status}.`);
      }
      desk.done(`Noted: ${outcome}. A running airtime worker settles it within seconds.`, {
        purchase: id,
        outcome,
        naira,
      });
    });
}

/** The customer has its money back, and the airtime too: that is ours to bear. */
async function lose(desk: Desk, { id, organisationId, organisation, status, kobo }: Purchase): Promise<void> {
  const naira = new Money(kobo);
  await desk.confirm(
    `This purchase is ${status} and its ${naira.text} went back to ${organisation}. Book them as our loss?`,
  );
  const [loss] = await bookLoss(await desk.database(), [{ subjectId: id, organisationId }]);
  if (!loss?.moved) throw new Refusal('It is booked as a loss already, or its money was never given back.');
  desk.done('Booked as a loss. The customer keeps its money and is told nothing.', {
    purchase: id,
    outcome: 'loss',
    naira,
  });
}
