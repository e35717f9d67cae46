import { Counter, Gauge, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

export type TransferKind = 'import' | 'export';

@Injectable()
export class TransferMetrics {
  private readonly running: Gauge<'kind'>;
  private readonly rows: Counter<'kind'>;
  private readonly stalls: Counter<'kind'>;
  private readonly ended: Counter<'kind' | 'outcome'>;

  constructor(registry: Registry) {
    const [registers, labelNames] = [[registry], ['kind'] as const];
    this.running = new Gauge({
      name: 'gangan_contact_transfers_running',
      help: 'Imports and exports that this worker has in hand',
      labelNames,
      registers,
    });
    this.rows = new Counter({
      name: 'gangan_contact_transfer_rows_total',
      help: 'Lines that imports took or rejected, and rows that exports wrote',
      labelNames,
      registers,
    });
    this.stalls = new Counter({
      name: 'gangan_contact_transfer_stalls_total',
      help: 'Times that an import or export did not come further and was put off',
      labelNames,
      registers,
    });
    this.ended = new Counter({
      name: 'gangan_contact_transfers_ended_total',
      help: 'Imports and exports that ended: done, failed (its file or columns are to blame) or given_up (tried too often)',
      labelNames: ['kind', 'outcome'],
      registers,
    });
  }

  showRunning(kind: TransferKind, count: number): void {
    this.running.set({ kind }, count);
  }

  countRows(kind: TransferKind, rows: number): void {
    this.rows.inc({ kind }, rows);
  }

  countStall(kind: TransferKind): void {
    this.stalls.inc({ kind });
  }

  countEnd(kind: TransferKind, outcome: 'done' | 'failed' | 'given_up'): void {
    this.ended.inc({ kind, outcome });
  }
}
