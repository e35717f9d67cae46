import type { Database } from '@gangan/database';
import { isId } from '@gangan/protocol';
import { Argument, type Command } from 'commander';
import { reportPending } from '../approvals/report-pending.js';
import { addPurchaseRouteCommands } from '../routes/purchase-routes.js';
import { CommandError } from '../session/errors.js';
import { labelOf, withAccount } from '@gangan/management';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addProductCommands } from './product-commands.js';
import { addReconcileCommand } from './reconcile/reconcile-command.js';
import { resolvePurchase } from './resolve-purchase.js';

type Outcome = 'success' | 'failed';

const outcomes: readonly Outcome[] = ['success', 'failed'];
const refundedStates: readonly string[] = ['failed', 'duplicate'];
/** Waits for an operator. */
const unresolved = { state: 'error', resolution: null } as const;

export function addCommands(group: Command, session: AdminSession): void {
  addPurchaseRouteCommands(group, session);
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
is booked as a loss. Above the limit of \`pnpm admin approvals limit\`, another operator must approve it (exit code 3).`,
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
      await session.nameTarget();
      const result = await resolvePurchase(
        database,
        id,
        outcome,
        null,
        (await session.access()).principal.name,
        'airtime resolve',
      );
      if (result && reportPending(session, result, { purchase: id, outcome, naira })) return;
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
  const { id, label, state } = purchase;
  const naira = new Money(purchase.amountKobo);
  await session.confirm(
    `This purchase is ${state}, and its ${naira.text} were refunded to ${label}. Book them as our loss?`,
  );
  await session.nameTarget();
  const database = await session.database();
  const result = await resolvePurchase(
    database,
    id,
    'success',
    null,
    (await session.access()).principal.name,
    'airtime resolve',
  );
  if (result && reportPending(session, result, { purchase: id, outcome: 'loss', naira })) return;
  session.done('Booked as a loss. The customer keeps the refund and gets no callback.', {
    purchase: id,
    outcome: 'loss',
    naira,
  });
}
