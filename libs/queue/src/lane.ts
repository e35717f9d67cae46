import type { Contract } from '@gangan/protocol';

/**
 * A lane is one BullMQ queue. The kinds of a domain travel apart, because they want different things:
 * batches want few large jobs, slow requests must hold nobody up, events want retries and retention.
 */
export type LaneKind = 'batch' | 'single' | 'events';

export interface Lane {
  readonly kind: LaneKind;
  readonly name: string;
}

const suffix: Record<LaneKind, string> = { batch: '', single: '-alone', events: '-events' };

export function laneOf(contract: Contract): Lane {
  const kind = contract.kind === 'event' ? 'events' : contract.batch ? 'batch' : 'single';
  return { kind, name: contract.queue + suffix[kind] };
}
