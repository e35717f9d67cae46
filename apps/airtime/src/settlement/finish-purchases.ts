import { bookLoss, lockWallets, post, type Subject, voidReservation } from '@gangan/billing';
import { recordCallbacks } from '@gangan/callbacks';
import {
  command,
  Database,
  isTransient,
  retryTransient,
  sql,
  statement,
  type Statements,
  t,
} from '@gangan/database';
import { KeyedBatcher } from '@gangan/leases';
import type { Cost } from '@gangan/providers';
import { Injectable } from '@nestjs/common';
import {
  changedColumns,
  changedShape,
  type ClaimedPurchase,
  type Purchase,
  toCallbacks,
} from '../purchase.js';
import type { Finish } from './transition.js';

export interface FinishInput extends Finish {
  readonly purchase: ClaimedPurchase;
  /** The cost if the provider has not stated one. */
  readonly usualCost?: Cost | undefined;
}

/**
 * `finished`: by this call. `late`: it was finished before, or another worker has claimed it. `loss`: it was delivered
 * after its refund. `unexpected`: the provider reports a success, but the row says that nothing was submitted.
 */
export interface FinishResult {
  readonly outcome: 'finished' | 'late' | 'loss' | 'unexpected';
  readonly callbackIds: readonly string[];
}

/** An unsubmitted purchase cannot succeed; a submitted one, or one in `error`, is no duplicate. Only a success has a cost. */
const finish = statement(
  changedShape,
  (finishes: readonly FinishInput[]) => sql`
    UPDATE airtime_purchase AS purchase SET state = finish.state::airtime_state, refunded = finish.state <> 'success',
      next_attempt_at = NULL, lease_holder = NULL, provider_reference = coalesce(finish.reference, purchase.provider_reference),
      error_code = finish.code, error_message = finish.message, updated_at = now(),
      cost_micros = CASE finish.state WHEN 'success' THEN coalesce(finish.cost_micros, purchase.cost_micros, usual_micros) END,
      cost_currency = CASE finish.state WHEN 'success' THEN
        coalesce(finish.cost_currency, purchase.cost_currency, usual_currency) END
    FROM unnest(${finishes.map(({ purchase }) => purchase.id)}::uuid[],
      ${finishes.map(({ purchase }) => purchase.attempt)}::int[],
      ${finishes.map(({ to }) => to)}::text[], ${finishes.map(({ confirmed }) => confirmed ?? false)}::bool[],
      ${finishes.map(({ providerReference }) => providerReference ?? null)}::text[],
      ${finishes.map(({ reason }) => reason?.code ?? null)}::text[],
      ${finishes.map(({ reason }) => reason?.message ?? null)}::text[],
      ${finishes.map(({ cost }) => cost?.micros ?? null)}::bigint[],
      ${finishes.map(({ cost }) => cost?.currency ?? null)}::text[],
      ${finishes.map(({ usualCost }) => usualCost?.micros ?? null)}::bigint[],
      ${finishes.map(({ usualCost }) => usualCost?.currency ?? null)}::text[])
      AS finish (id, attempt, state, confirmed, reference, code, message, cost_micros, cost_currency, usual_micros,
        usual_currency)
    WHERE purchase.id = ANY (${finishes.map(({ purchase }) => purchase.id)}::uuid[])
      AND purchase.id = finish.id AND (purchase.attempt = finish.attempt OR finish.confirmed)
      AND CASE WHEN purchase.state = 'pending' THEN finish.state <> 'success'
          ELSE purchase.state IN ('submitting', 'sent', 'error') AND finish.state <> 'duplicate' END
    RETURNING ${changedColumns}`,
);

/** Stores the cost of a purchase that was delivered after its refund: the provider charges for it. */
const storeLossCost = command(
  (id: string, { micros, currency }: Cost) => sql`
    UPDATE airtime_purchase SET cost_micros = ${micros}, cost_currency = ${currency} WHERE id = ${id}`,
);

const findUnfinished = statement(
  { id: t.uuid },
  (ids: readonly string[]) => sql`
    SELECT wanted.id FROM unnest(${ids}::uuid[]) AS wanted (id)
    CROSS JOIN LATERAL (SELECT state FROM airtime_purchase WHERE id = wanted.id LIMIT 1) AS found
    WHERE found.state NOT IN ('success', 'failed', 'duplicate')`,
);

/** Finishes purchases: state, money and callback in one transaction, once. */
@Injectable()
export class PurchaseFinisher {
  /** Purchases of one organisation wait for its wallet here. In the database they would block new purchases. */
  private readonly batcher = new KeyedBatcher<FinishInput, FinishResult>({
    keyOf: ({ purchase }) => purchase.organisationId,
    run: (finishes) =>
      retryTransient(() => this.database.transaction((transaction) => finishAll(transaction, finishes))),
    concernsAll: isTransient,
  });

  constructor(private readonly database: Database) {}

  finish(input: FinishInput): Promise<FinishResult> {
    return this.batcher.add(input);
  }
}

async function finishAll(transaction: Statements, finishes: readonly FinishInput[]): Promise<FinishResult[]> {
  const changed = await transaction.run(finish, finishes);
  const states = new Map(changed.map(({ id, state }) => [id, state]));
  const isFinished = ({ purchase, to }: FinishInput): boolean => states.get(purchase.id) === to;
  const stored = await recordCallbacks(transaction, toCallbacks(changed));
  if (changed.length > 0) {
    await lockWallets(transaction, [...new Set(changed.map(({ organisationId }) => organisationId))]);
  }
  const [successes, others] = [changed.filter(isSuccess), changed.filter((row) => !isSuccess(row))];
  await settleMoney(transaction, post, successes);
  await settleMoney(transaction, voidReservation, others);
  const late = finishes.filter((input) => input.to === 'success' && !isFinished(input));
  const bookings = await bookLoss(
    transaction,
    late.map(({ purchase }) => toSubject(purchase)),
  );
  const losses = new Set(late.filter((_, index) => bookings[index]?.moved));
  for (const { purchase, cost, usualCost } of losses) {
    const known = cost ?? usualCost;
    if (known) await transaction.run(storeLossCost, purchase.id, known);
  }
  const confirmed = late.filter((input) => input.confirmed).map(({ purchase }) => purchase.id);
  const unfinished = confirmed.length > 0 ? await transaction.run(findUnfinished, confirmed) : [];
  const unexpected = new Set(unfinished.map(({ id }) => id));
  const outcomeOf = (input: FinishInput): FinishResult['outcome'] => {
    if (isFinished(input)) return 'finished';
    if (input.to !== 'success') return 'late';
    if (losses.has(input)) return 'loss';
    return unexpected.has(input.purchase.id) ? 'unexpected' : 'late';
  };
  // Only the first result carries the ids, so that they are announced once.
  return finishes.map((input, index) => ({
    outcome: outcomeOf(input),
    callbackIds: index === 0 ? stored : [],
  }));
}

/** @throws if money was settled before although the purchase was unfinished: then nothing may be committed */
async function settleMoney(
  transaction: Statements,
  settle: typeof post,
  purchases: readonly Purchase[],
): Promise<void> {
  const settlements = await settle(transaction, 'airtime', purchases.map(toSubject));
  for (const [index, settlement] of settlements.entries()) {
    if (settlement.moved) continue;
    throw new Error(`The money of purchase ${purchases[index]?.id ?? ''} was ${settlement.reason} before`);
  }
}

const isSuccess = ({ state }: Purchase): boolean => state === 'success';

const toSubject = ({ id, organisationId }: Purchase): Subject => ({ subjectId: id, organisationId });
