import { type ContactFilter, type Smartlist, formatTimestamp } from '@gangan/contracts';

/** A smartlist as it is kept. */
export interface KeptSmartlist {
  readonly id: string;
  readonly name: string;
  /** They name their columns by id. */
  readonly filters: readonly ContactFilter[];
  /** The one that every table is born with. */
  readonly everyone: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export const smartlistAnswer = (kept: KeptSmartlist): Smartlist => ({
  id: kept.id,
  name: kept.name,
  filters: [...kept.filters],
  created_datetime: formatTimestamp(kept.createdAt),
  updated_datetime: formatTimestamp(kept.updatedAt ?? kept.createdAt),
});
