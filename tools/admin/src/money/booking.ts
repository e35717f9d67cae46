import { type Database, isLockTimeout, retryTransient, sql, statement, t } from '@gangan/database';
import { type ChangeResult, changeResult } from '../approvals/change-result.js';
import type { AdminSession } from '../session/session.js';

export type BookingKind = 'top_up' | 'adjustment';

/** Money that an operator books; only an adjustment may be negative. */
export interface Booking {
  readonly kind: BookingKind;
  readonly organisationId: string;
  /** Booked at most once. */
  readonly subjectId: string;
  readonly kobo: bigint;
  readonly note?: string;
  /** What the operator calls it. */
  readonly reference?: string;
}

const callBookMoney = statement(
  { ...changeResult, moved: t.nullable(t.bool), balance: t.nullable(t.bigint) },
  ({ kind, organisationId, subjectId, kobo, note, reference }: Booking, actor: string) => sql`
    SELECT result ->> 'state' AS state, (result ->> 'approval')::uuid AS approval,
      (result ->> 'moved')::boolean AS moved, (result ->> 'balance')::bigint AS balance
    FROM book_money(${kind}, ${organisationId}::uuid, ${subjectId}::uuid, ${kobo}::bigint, ${note ?? null}::text,
      ${reference ?? null}::text, ${actor}) AS result`,
);

export type BookingResult = ChangeResult & {
  /** False if the subject was booked before: nothing moved now. */
  readonly moved: boolean | null;
  /** Of the wallet after it. */
  readonly balance: bigint | null;
};

/** Books at once, or requests the approval of another operator. */
export async function book(
  session: AdminSession,
  database: Database,
  booking: Booking,
): Promise<BookingResult | undefined> {
  await session.nameTarget();
  const run = () => database.run(callBookMoney, booking, session.actor);
  const [result] = await retryTransient(run, { isRetryable: isLockTimeout });
  return result;
}
