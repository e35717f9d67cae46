import { findPurchase, listUnresolved, type PurchaseOutcome, resolvePurchase } from '@gangan/management';
import { Argument, type Command } from 'commander';
import { reportPending } from '../approvals/report-pending.js';
import { addPurchaseRouteCommands } from '../routes/purchase-routes.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addProductCommands } from './product-commands.js';
import { addReconcileCommand } from './reconcile-command.js';

const outcomes: readonly PurchaseOutcome[] = ['success', 'failed'];

export function addCommands(group: Command, session: AdminSession): void {
  addPurchaseRouteCommands(group, session);
  addProductCommands(group, session);
  addReconcileCommand(group, session);
  const listing = 'list purchases with an unknown outcome; ask the provider, then resolve them';
  addCommand(group, 'unresolved', listing).action(async () => {
    session.list(
      (await listUnresolved(await session.database())).map((purchase) => ({
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
is booked as a loss. Above the limit of \`pnpm admin approvals limit\`, another operator must approve it (exit code 3).`,
  )
    .argument('<purchase>', 'id of the purchase; `airtime unresolved` shows its reference at the provider')
    .addArgument(new Argument('<outcome>', 'what the provider says').choices(outcomes))
    .action(async (id: string, outcome: PurchaseOutcome) => {
      const purchase = await findPurchase(await session.database(), id);
      const { label, state } = purchase;
      // The customer got both the airtime and the refund.
      const isLoss = outcome === 'success' && purchase.wasRefunded;
      const naira = new Money(purchase.amountKobo);
      const effect = outcome === 'success' ? 'is charged' : `is refunded to ${label}`;
      await session.confirm(
        isLoss
          ? `This purchase is ${state}, and its ${naira.text} were refunded to ${label}. Book them as our loss?`
          : `The ${naira.text} of this purchase ${effect}; this is final. Continue?`,
      );
      const result = await resolvePurchase(await session.access(), id, outcome);
      const row = { purchase: id, outcome: isLoss ? 'loss' : outcome, naira };
      if (reportPending(session, result, row)) return;
      const done = isLoss
        ? 'Booked as a loss. The customer keeps the refund and gets no callback.'
        : `Recorded: ${outcome}. A running airtime worker settles it within seconds.`;
      session.done(done, row);
    });
}
