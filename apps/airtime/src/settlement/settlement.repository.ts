import { recordCallbacks } from '@gangan/callbacks';
import { Database, type Sql, sql, type Statements } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { Reason } from '../providers/airtime-provider.js';
import { type Change, changeColumns, reportsOf } from './change.js';
import { giveBack } from './conclusions.js';
import { type Held, heldColumns } from './held.js';
import { hasTwin, lockTwins } from './twins.js';

/**
 * What came of the wish to hand a purchase over. `crowded`: somebody is just deciding about a twin. `taken`: somebody
 * else has it in hand, or has ended it.
 */
export type Beginning =
  | { readonly is: 'submitting'; readonly held: Held }
  | { readonly is: 'duplicate'; readonly callbackIds: readonly string[] }
  | { readonly is: 'crowded' }
  | { readonly is: 'taken' };

/** What is known while an outcome is not. */
export interface Waiting {
  readonly inMs: number;
  readonly providerReference?: string | undefined;
  readonly reason?: Reason | undefined;
}

/** Stands for the provider of what was not handed over yet. */
export const nobody = '';

const twinReason = {
  code: 'duplicate',
  message: 'The same was bought a moment before; a further purchase needs an external_ref of its own',
};

/** The row is the truth, and every change of it holds only for the attempt that it was read with. */
@Injectable()
export class SettlementRepository {
  constructor(private readonly database: Database) {}

  /** A purchase that nobody has taken up yet. */
  async findUntouched(id: string): Promise<Held | undefined> {
    const [held] = await this.database.query<Held>(sql`
      SELECT ${heldColumns} FROM airtime_purchase WHERE id = ${id} AND state = 'pending' AND attempt = 0`);
    return held;
  }

  /** Takes up what is overdue, whoever had it in hand; but not of the providers `except` these. */
  takeOverdue(limit: number, leaseMs: number, except: readonly string[] = []): Promise<Held[]> {
    return this.database.query<Held>(sql`
      UPDATE airtime_purchase SET attempt = attempt + 1, next_attempt_at = ${inMs(leaseMs)}
      WHERE id = ANY (ARRAY(
        SELECT id FROM airtime_purchase WHERE next_attempt_at <= now()
          AND coalesce(provider, ${nobody}) <> ALL (${except}::text[])
        ORDER BY next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
      RETURNING ${heldColumns}`);
  }

  /** Marks a purchase as handed over, before it is; unless it has a twin. */
  begin(held: Held, provider: string, leaseMs: number): Promise<Beginning> {
    return this.database.transaction(async (transaction) => {
      if (!(await lockTwins(transaction, held))) return { is: 'crowded' };
      if (await hasTwin(transaction, held)) return refuseTwin(transaction, held);
      const [begun] = await transaction.query<Held>(sql`
        UPDATE airtime_purchase SET state = 'submitting', attempt = attempt + 1, provider = ${provider},
          submitted_at = now(), next_attempt_at = ${inMs(leaseMs)}
        WHERE id = ${held.id} AND state = 'pending' AND attempt = ${held.attempt}
        RETURNING ${heldColumns}`);
      return begun ? { is: 'submitting', held: begun } : { is: 'taken' };
    });
  }

  /** Marks it as handed to another provider, before it is. Tells whether it still may be. */
  async handTo(held: Held, provider: string, leaseMs: number): Promise<boolean> {
    const changed = await this.database.execute(sql`
      UPDATE airtime_purchase SET provider = ${provider}, submitted_at = now(), next_attempt_at = ${inMs(leaseMs)}
      WHERE id = ${held.id} AND state = 'submitting' AND attempt = ${held.attempt}`);
    return changed > 0;
  }

  /** Nothing was handed over: it waits for its next chance. */
  async release(held: Held, waiting: Waiting): Promise<void> {
    await this.database.execute(sql`
      UPDATE airtime_purchase SET state = 'pending', provider = NULL, submitted_at = NULL,
        next_attempt_at = ${inMs(waiting.inMs)}
      WHERE id = ${held.id} AND state IN ('pending', 'submitting') AND attempt = ${held.attempt}`);
  }

  /** It was handed over and its outcome is not known. Gives the callbacks to announce, if this is news. */
  keepAsking(held: Held, { inMs: ms, providerReference, reason }: Waiting): Promise<readonly string[]> {
    return this.database.transaction(async (transaction) => {
      const changes = await transaction.query<Change & { before: string }>(sql`
        UPDATE airtime_purchase AS purchase SET state = 'sent', next_attempt_at = ${inMs(ms)},
          provider_reference = coalesce(${providerReference ?? null}, provider_reference),
          error_code = ${reason?.code ?? null}, error_message = ${reason?.message ?? null},
          updated_at = CASE purchase.state WHEN 'sent' THEN purchase.updated_at ELSE now() END
        WHERE id = ${held.id} AND state IN ('submitting', 'sent') AND attempt = ${held.attempt}
        RETURNING ${changeColumns}, old.state AS before`);
      return recordCallbacks(transaction, reportsOf(changes.filter(({ before }) => before === 'submitting')));
    });
  }

  /** Nobody is asked any more. Gives the callbacks to announce; `undefined` when it was no longer in our hands. */
  giveUp(held: Held, reason: Reason): Promise<readonly string[] | undefined> {
    return this.database.transaction(async (transaction) => {
      const changes = await transaction.query<Change>(sql`
        UPDATE airtime_purchase AS purchase SET state = 'error', next_attempt_at = NULL, error_code = ${reason.code},
          error_message = ${reason.message}, updated_at = now()
        WHERE id = ${held.id} AND state IN ('submitting', 'sent') AND attempt = ${held.attempt}
        RETURNING ${changeColumns}`);
      return changes.length === 0 ? undefined : recordCallbacks(transaction, reportsOf(changes));
    });
  }
}

async function refuseTwin(transaction: Statements, held: Held): Promise<Beginning> {
  const changes = await transaction.query<Change>(sql`
    UPDATE airtime_purchase AS purchase SET state = 'duplicate', refunded = true, next_attempt_at = NULL,
      attempt = attempt + 1, error_code = ${twinReason.code}, error_message = ${twinReason.message}, updated_at = now()
    WHERE id = ${held.id} AND state = 'pending' AND attempt = ${held.attempt}
    RETURNING ${changeColumns}`);
  if (changes.length === 0) return { is: 'taken' };
  const callbackIds = await recordCallbacks(transaction, reportsOf(changes));
  await giveBack(transaction, [{ subjectId: held.id, organisationId: held.organisationId }]);
  return { is: 'duplicate', callbackIds };
}

const inMs = (ms: number): Sql => sql`now() + ${ms}::float8 * interval '1 millisecond'`;
