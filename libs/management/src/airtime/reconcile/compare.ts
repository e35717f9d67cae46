import { microsPerKobo } from '@gangan/providers';
import type { PurchaseOutcome } from '../purchases.js';
import type { StatementState } from './statement-lines.js';

/** How a statement and our purchases differ. */
export const statementDifferenceKinds = [
  'unreadable',
  'charged_there',
  'charged_here',
  'unsettled',
  'amount',
  'contradictory',
  'pending_there',
  'unknown_there',
] as const;

type DifferenceKind = (typeof statementDifferenceKinds)[number];

/** The outcome that a purchase without one gets; empty if the statement does not prove any. */
type Resolution = PurchaseOutcome | '';

/** A difference of which nothing is known but its kind. Amounts are in naira. */
export const noStatementDetails = {
  reference: '',
  line: '' as number | '',
  purchase: '',
  there: '',
  here: '',
  there_status: '',
  here_status: '',
  resolution: '' as Resolution,
};

export type StatementDifference = Readonly<typeof noStatementDetails> & { readonly kind: DifferenceKind };

export interface Comparison {
  /** `elsewhere`: it was not submitted to this provider, or this provider refused it and it was submitted to another one. */
  readonly here: 'charged' | 'refunded' | 'waiting' | 'elsewhere';
  /** `unclear`: its lines cannot be read. `contradictory`: they say that it was charged and that it failed. */
  readonly there: StatementState | 'unclear' | 'contradictory' | 'absent';
  readonly kobo: bigint;
  /** What was charged there; `null` if it is not known in naira. */
  readonly micros: bigint | null;
  /** Whether the statement proves the outcome: it can no longer change for this purchase, and all its lines are known. */
  readonly isProof: boolean;
}

/** Pure. @returns undefined if both sides agree */
export function compare({
  here,
  there,
  kobo,
  micros,
  isProof,
}: Comparison): Pick<StatementDifference, 'kind' | 'resolution'> | undefined {
  const difference = (kind: DifferenceKind, resolution: Resolution = '') => ({ kind, resolution });
  switch (there) {
    case 'charged':
      if (here === 'refunded' || here === 'elsewhere') return difference('charged_there');
      if (micros !== null && micros !== kobo * microsPerKobo) return difference('amount');
      if (here === 'charged') return undefined;
      return difference('unsettled', micros !== null && isProof ? 'success' : '');
    case 'contradictory':
      return difference('contradictory');
    case 'unclear':
      return undefined;
    case 'pending':
      return here === 'charged' || here === 'refunded' ? difference('pending_there') : undefined;
    case 'failed':
    case 'absent':
      if (here === 'charged') return difference('charged_here');
      return here === 'waiting' ? difference('unsettled', isProof ? 'failed' : '') : undefined;
  }
}
