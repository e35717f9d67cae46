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
  const down = adjustment.kobo < 0n;
  const member = { ...adjustment, kobo: down ? -adjustment.kobo : adjustment.kobo };
  const rows = await move(ledger, down ? taking : adding, [member], givenAmounts);
  const { outcome, kobo, balance } = rows.get(adjustment.subjectId) as Row;
  const after = balance ?? 0n;
  if (outcome === 'short') return { ok: false, available: after };
  const before = down ? after + kobo : after - kobo;
  return { ok: true, balanceBefore: before, balance: after, repeated: outcome === 'earlier' };
}
