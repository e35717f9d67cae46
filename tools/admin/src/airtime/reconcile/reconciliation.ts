import type { DifferenceKind, Resolution } from './compare.js';

/** Amounts in naira; empty texts for what is not known. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly reference: string;
  readonly line: number | '';
  readonly purchase: string;
  readonly there: string;
  readonly here: string;
  readonly there_status: string;
  readonly here_status: string;
  /** What `--resolve` stores. */
  readonly resolution: Resolution;
}

export interface Reconciliation {
  readonly provider: string;
  /** How long the provider may list a purchase late. */
  readonly listedWithinMs: number;
  readonly from: Date;
  /** Not part of the period. */
  readonly to: Date;
  readonly now: Date;
  readonly onDifferences: (differences: readonly Difference[]) => Promise<void>;
}

/** A difference of which nothing is known but its kind. */
export const noDetails = {
  reference: '',
  line: '',
  purchase: '',
  there: '',
  here: '',
  there_status: '',
  here_status: '',
  resolution: '',
} as const;
