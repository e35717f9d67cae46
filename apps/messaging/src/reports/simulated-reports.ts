import { Database, sql } from '@gangan/database';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { byIndex } from '../by-index.js';
import { dnd } from '../outcome/reasons.js';
import { Reports } from './reports.service.js';
import { Simulator } from '../providers/simulator.js';

const restMs = 200;
const mostAtOnce = 500;

interface DueReport {
  readonly id: string;
  readonly report: 'delivered' | 'undelivered';
}

/** Reports what became of simulated messages, when it is time. The table knows: a restart forgets none. */
@Injectable()
export class SimulatedReports {
  constructor(
    private readonly database: Database,
    private readonly simulator: Simulator,
    private readonly reports: Reports,
  ) {}

  /** Tells whether there may be more. What could not be heard is due again a little later. */
  @Periodic('reporting simulated messages', restMs)
  async report(): Promise<boolean> {
    const due = await this.database.query<DueReport>(sql`
      UPDATE simulated_message SET report_due_at = now() + interval '10 seconds'
      WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM simulated_message WHERE report_due_at IS NOT NULL AND report_due_at <= now()
        ORDER BY report_due_at LIMIT ${mostAtOnce} FOR UPDATE SKIP LOCKED))
      RETURNING id, report`);
    if (due.length === 0) return false;
    await this.reports.receive(
      this.simulator.name,
      due.map(({ id: providerReference, report: state }) =>
        state === 'delivered' ? { providerReference, state } : { providerReference, state, reason: dnd },
      ),
    );
    await this.forget(due.map(({ id }) => id));
    return due.length === mostAtOnce;
  }

  private async forget(ids: readonly string[]): Promise<void> {
    await byIndex(this.database, (transaction) =>
      transaction.execute(
        sql`UPDATE simulated_message SET report_due_at = NULL WHERE id = ANY (${ids}::uuid[])`,
      ),
    );
  }
}
