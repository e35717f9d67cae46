import { paymentIdOf } from '@gangan/billing';
import { type RowOf, sql, statement, t } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { type Access, callFunction, changeColumns, changeResult } from '../access.js';

/** Money that an operator books; only an adjustment may be negative. */
export interface Booking {
  readonly kind: 'top_up' | 'adjustment';
  readonly organisationId: string;
  readonly kobo: bigint;
  /** The same reference is booked once; without one every booking is new. */
  readonly reference?: string | undefined;
  readonly note?: string | undefined;
}

const callBookMoney = statement(
  {
    ...changeResult,
    subjectId: t.uuid,
    /** False if the reference was booked before: nothing moved now. */
    moved: t.nullable(t.bool),
    /** Of the wallet after it. */
    balance: t.nullable(t.bigint),
  },
  ({ kind, organisationId, kobo, note, reference }: Booking, subjectId: string, actor: string) => sql`
    SELECT ${changeColumns}, ${subjectId}::uuid AS "subjectId",
      (result ->> 'moved')::boolean AS moved, (result ->> 'balance')::bigint AS balance
    FROM book_money(${kind}, ${organisationId}::uuid, ${subjectId}::uuid, ${kobo}::bigint, ${note ?? null}::text,
      ${reference ?? null}::text, ${actor}) AS result`,
);

/** Books at once, or requests the approval of another operator. */
export function bookMoney(
  { database, principal }: Access,
  booking: Booking,
): Promise<RowOf<typeof callBookMoney>> {
  const { organisationId, reference } = booking;
  const subjectId = reference === undefined ? newId() : paymentIdOf(organisationId, reference);
  return callFunction(database, callBookMoney, booking, subjectId, principal.name);
}
