import type { LineType } from '@gangan/contracts';

/** What a provider reports about a number. Fields that it does not report are absent. */
export interface LookupFinding {
  readonly operator?: string;
  /** ISO 3166 alpha-2. */
  readonly country?: string;
  readonly ported?: boolean;
  readonly dnd?: boolean;
  readonly lineType?: LineType;
  readonly roaming?: boolean;
}
