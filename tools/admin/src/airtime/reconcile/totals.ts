import { formatMicros, parseMicros } from '@gangan/providers';
import type { Row } from '../../session/print.js';
import type { DifferenceKind } from './compare.js';
import type { Difference } from './reconciliation.js';

interface Total {
  readonly count: number;
  readonly there: bigint;
  readonly here: bigint;
}

const none: Total = { count: 0, there: 0n, here: 0n };
const microsPerKobo = 10_000n;

/** The sums of the differences, by kind. */
export class Totals {
  count = 0;
  private readonly kinds = new Map<DifferenceKind, Total>();

  /** @returns our amount in kobo */
  add({ kind, there, here }: Difference): bigint {
    const before = this.kinds.get(kind) ?? none;
    const ours = parseMicros(here) ?? 0n;
    this.count += 1;
    this.kinds.set(kind, {
      count: before.count + 1,
      there: before.there + (parseMicros(there) ?? 0n),
      here: before.here + ours,
    });
    return ours / microsPerKobo;
  }

  of(kind: DifferenceKind): Row {
    const { count, there, here } = this.kinds.get(kind) ?? none;
    return { kind, count, there: formatMicros(there), here: formatMicros(here) };
  }
}
