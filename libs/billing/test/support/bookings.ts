import { command, type Sql, sql } from '@gangan/database';
import type { Ledger, LedgerItem } from '../../src/index.js';
import { itemArrays } from '../../src/ledger/items.js';
import { moveMoney } from '../../src/ledger/move-money.js';
import type { MoveRow } from '../../src/ledger/move-statement.js';

const addAuditEntry = command(
  ({ subjectId, organisationId, kobo }: LedgerItem) => sql`
    INSERT INTO audit_log (id, actor, action, organisation_id, target, after)
    SELECT uuidv7(), 'ada', 'top-up', ${organisationId}::uuid, 'acme/live',
      jsonb_build_object('subject', ${subjectId}::uuid, 'naira', ${kobo}::bigint / 100.0)`,
);

/** Books with entries in the audit log, as operators do, but without approvals. */
async function book(
  ledger: Ledger,
  call: (items: readonly LedgerItem[]) => Sql,
  items: readonly LedgerItem[],
): Promise<{ moved: boolean; row: MoveRow }[]> {
  const rows = (await moveMoney(ledger, call, items)) as MoveRow[];
  const bookings = rows.map((row) => ({ moved: row.outcome === 'moved', row }));
  for (const [index, item] of items.entries())
    if (bookings[index]?.moved) await ledger.run(addAuditEntry, item);
  return bookings;
}

export const topUp = (ledger: Ledger, payments: readonly LedgerItem[]) =>
  book(ledger, (items) => sql`top_up_money(${itemArrays(items)})`, payments);

/** A negative amount takes from the wallet. */
export async function adjust(ledger: Ledger, adjustment: LedgerItem): Promise<MoveRow | undefined> {
  const { subjectId, organisationId, kobo } = adjustment;
  const call = () =>
    sql`adjust_money(${subjectId}::uuid, ${organisationId}::uuid, ${kobo}::bigint, 'Typing error')`;
  return (await book(ledger, call, [adjustment]))[0]?.row;
}
