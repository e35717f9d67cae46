import { bookLoss } from '@gangan/billing';
import type { Database } from '@gangan/database';
import { isId } from '@gangan/protocol';
import { Argument, type Command } from 'commander';
import { CommandError } from '../session/errors.js';
import { labelOf, withAccount } from '../session/find-organisation.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addProductCommands } from './product-commands.js';
import { addReconcileCommand } from './reconcile/reconcile-command.js';
import { addRouteCommands } from './route-commands.js';

type Outcome = 'success' | 'failed';

const outcomes: readonly Outcome[] = ['success', 'failed'];
const refundedStates: readonly string[] = ['failed', 'duplicate'];
/** Waits for an operator. */
const unresolved = { state: 'error', resolution: null } as const;

export function addCommands(group: Command, session: AdminSession): void {
  addRouteCommands(group, session);
  addProductCommands(group, session);
  addReconcileCommand(group, session);
  const listing = 'list purchases with an unknown outcome; ask the provider, then resolve them';
  addCommand(group, 'unresolved', listing).action(async () => {
    session.list(
      (await findPurchases(await session.database(), unresolved)).map((purchase) => ({
        id: purchase.id,
        organisation: purchase.label,
        network: purchase.network,
        provider: purchase.provider ?? '-',
        reference: purchase.requestReference ?? purchase.id,
        provider_reference: purchase.providerReference,
        status: purchase.state,
        created: purchase.createdAt,
        naira: new Money(purchase.amountKobo),
      })),
      'No purchase waits for an operator.',
    );
  });

  addCommand(
    group,
    'resolve',
    'record the outcome of a purchase in error',
    ['019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42 failed'],
    `A worker then settles the money and sends the callback. A purchase that was refunded and turns out to be delivered
is booked as a loss.`,
  )
    .argument('<purchase>', 'id of the purchase; `airtime unresolved` shows its reference at the provider')
    .addArgument(new Argument('<outcome>', 'what the provider says').choices(outcomes))
    .action(async (id: string, outcome: Outcome) => {
      const database = await session.database();
      const [purchase] = isId(id) ? await findPurchases(database, { id }) : [];
      if (!purchase)
        throw new CommandError(`There is no purchase ${id} (see \`pnpm admin airtime unresolved\`).`);
      if (outcome === 'success' && refundedStates.includes(purchase.state))
        return bookAsLoss(session, purchase);
      const naira = new Money(purchase.amountKobo);
      const effect = outcome === 'success' ? 'is charged' : `is refunded to ${purchase.label}`;
      await session.confirm(`The ${naira.text} of this purchase ${effect}; this is final. Continue?`);
      await database.$transaction(async (models) => {
        const { count } = await models.airtimePurchase.updateMany({
          where: { id, ...unresolved },
          data: { resolution: outcome, nextAttemptAt: new Date() },
        });
        if (count === 0) {
          throw new CommandError(
            `Only a purchase in error can be resolved, once; this one is ${purchase.state}.`,
          );
        }
        await session.audit(models, {
          organisationId: purchase.organisationId,
          target: `purchase ${id}`,
          before: { state: unresolved.state },
          after: { resolution: outcome, naira },
        });
      });
      session.done(`Recorded: ${outcome}. A running airtime worker settles it within seconds.`, {
        purchase: id,
        outcome,
        naira,
      });
    });
}

type Purchase = Awaited<ReturnType<typeof findPurchases>>[number];

async function findPurchases(database: Database, where: typeof unresolved | { readonly id: string }) {
  const purchases = await database.airtimePurchase.findMany({
    where,
    include: withAccount,
    orderBy: { id: 'asc' },
  });
  return purchases.map(({ organisation, ...purchase }) => ({ ...purchase, label: labelOf(organisation) }));
}

/** The customer got both the airtime and the refund. */
async function bookAsLoss(session: AdminSession, purchase: Purchase): Promise<void> {
  const { id, organisationId, label, state } = purchase;
  const naira = new Money(purchase.amountKobo);
  await session.confirm(
    `This purchase is ${state}, and its ${naira.text} were refunded to ${label}. Book them as our loss?`,
  );
  const database = await session.database();
  await database.transaction(async (transaction) => {
    const [loss] = await bookLoss(transaction, [{ subjectId: id, organisationId }]);
    if (!loss?.moved)
      throw new CommandError('The loss is already booked, or the purchase was never refunded.');
    const after = { resolution: 'loss', naira };
    await session.audit(transaction, {
      organisationId,
      target: `purchase ${id}`,
      before: { state },
      after,
    });
  });
  session.done('Booked as a loss. The customer keeps the refund and gets no callback.', {
    purchase: id,
    outcome: 'loss',
    naira,
  });
}
