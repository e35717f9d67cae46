import type { Member } from './members.js';
import { givenAmounts, type Ledger, move } from './move.js';
import type { Route, Row } from './movement.js';
import type { Spending } from './spend.js';

/** A correction by hand. Negative takes from the wallet, and is refused when that much is not there. */
export interface Adjustment extends Member {
  readonly note: string;
}

const adding: Route = { kind: 'adjustment', from: 'funding', to: 'wallet', onceAmong: ['adjustment'] };
const taking: Route = { ...adding, from: 'wallet', to: 'funding' };

/** Corrects one wallet, once per subject. */
export async function adjust(ledger: Ledger, adjustment: Adjustment): Promise<Spending> {
  const { kobo, subjectId } = adjustment;
  const amount = kobo < 0n ? -kobo : kobo;
  const rows = await move(
    ledger,
    kobo < 0n ? taking : adding,
    [{ ...adjustment, kobo: amount }],
    givenAmounts,
  );
  const { outcome, balance } = rows.get(subjectId) as Row;
  const after = balance ?? 0n;
  if (outcome === 'short') return { ok: false, available: after };
  return { ok: true, balanceBefore: after - kobo, balance: after, repeated: outcome === 'earlier' };
}
