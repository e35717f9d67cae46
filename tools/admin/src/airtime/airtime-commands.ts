import { isId } from '@gangan/protocol';
import { Argument, type Command } from 'commander';
import type { Desk } from '../desk/desk.js';
import { Money } from '../desk/money.js';
import { Refusal } from '../desk/refusal.js';
import { findPurchase, type Outcome, resolve, unresolved } from './airtime.repository.js';

const outcomes: readonly Outcome[] = ['success', 'failed'];

export function addAirtimeCommands(group: Command, desk: Desk): void {
  group
    .command('unresolved')
    .description('purchases whose outcome the provider never told: find out, then resolve them')
    .addHelpText('after', '\nExample:\n  pnpm admin airtime unresolved')
    .action(async () => {
      const rows = await unresolved(await desk.database());
      desk.list(
        rows.map(({ kobo, ...row }) => ({ ...row, naira: new Money(kobo) })),
        'Every purchase has ended, or its provider is still being asked.',
      );
    });

  group
    .command('resolve')
    .description(
      'say what became of a purchase in error; a worker then settles its money and tells the customer',
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
