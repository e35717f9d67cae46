import { Injectable } from '@nestjs/common';
import type { Held } from '../transfers/held.js';
import { TransferMetrics } from '../transfers/transfer-metrics.js';
import { rowsTexts } from './csv-text.js';
import { ExportProgressRepository } from './export-progress.repository.js';
import type { Portion } from './read-portion.js';

export interface Pace extends Portion {
  /** After so many of these the next export has its turn. */
  readonly portions: number;
}

const usualPace: Pace = { rows: 500, bytes: 4_194_304, portions: 100 };

/** Carries exports out. */
@Injectable()
export class ExportWork {
  constructor(
    private readonly progress: ExportProgressRepository,
    private readonly metrics: TransferMetrics,
  ) {}

  /** A turn's worth of rows, or up to the end. */
  async carryOn(held: Held, signal: AbortSignal, pace = usualPace): Promise<void> {
    const progress = await this.progress.read(held);
    let after = progress.lastId;
    for (let taken = 0; taken < pace.portions && !signal.aborted; taken += 1) {
      const { rows, ended } = await this.progress.rows(held, progress, after, pace);
      const last = rows.at(-1);
      if (last) {
        const texts = rowsTexts(rows, progress.columns);
        await this.progress.advance(held, { texts, rows: rows.length, lastId: last.id });
        this.metrics.countRows('export', rows.length);
        after = last.id;
      }
      if (ended) {
        await this.progress.finish(held);
        this.metrics.countEnd('export', 'done');
        return;
      }
    }
    await this.progress.leases.giveBack(held);
  }
}
