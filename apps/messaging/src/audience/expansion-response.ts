import { toNaira } from '@gangan/billing';
import { type ExpansionState, type SmsExpansion, formatTimestamp } from '@gangan/contracts';

/** How far an expansion has come, as it is stored. */
export interface ExpansionRow {
  readonly state: ExpansionState;
  readonly rows: number;
  readonly recipients: number;
  readonly duplicates: number;
  readonly withoutNumber: number;
  readonly unsendable: number;
  readonly unaffordable: number;
  readonly kobo: bigint;
  readonly endedAt: Date | null;
}

/** @param charged what the message was charged at first */
export const expansionAnswer = (row: ExpansionRow, charged: bigint): SmsExpansion => ({
  state: row.state,
  rows: row.rows,
  recipients: row.recipients,
  duplicates: row.duplicates,
  without_number: row.withoutNumber,
  unsendable: row.unsendable,
  unaffordable: row.unaffordable,
  charge: toNaira(row.kobo),
  ...(row.endedAt && { returned: toNaira(charged - row.kobo), ended_datetime: formatTimestamp(row.endedAt) }),
});
