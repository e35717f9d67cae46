import { Counter, Gauge, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

/** All metrics have the label `kind`: import or export. */
@Injectable()
export class TransferMetrics {
  readonly running: Gauge<'kind'>;
  readonly rows: Counter<'kind'>;
  readonly stalls: Counter<'kind'>;
  readonly ended: Counter<'kind' | 'outcome'>;

  constructor(registry: Registry) {
    const byKind = { labelNames: ['kind'] as const, registers: [registry] };
    this.running = new Gauge({
      name: 'gangan_contact_transfers_running',
      help: 'Imports and exports that this worker is running',
      ...byKind,
    });
    this.rows = new Counter({
      name: 'gangan_contact_transfer_rows_total',
      help: 'Lines that imports accepted or rejected, and rows that exports wrote',
      ...byKind,
    });
    this.stalls = new Counter({
      name: 'gangan_contact_transfer_stalls_total',
      help: 'Times that an import or export made no progress and was retried later',
      ...byKind,
    });
    this.ended = new Counter({
      name: 'gangan_contact_transfers_ended_total',
      help: 'Imports and exports that ended: done, failed (because of its file or columns) or given_up (too many attempts without progress)',
      labelNames: ['kind', 'outcome'],
      registers: [registry],
    });
  }
}
