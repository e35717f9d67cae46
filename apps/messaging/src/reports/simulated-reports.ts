import { command, Database, sql, statement, t } from '@gangan/database';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { dnd } from '../outcome/reasons.js';
import { Simulator } from '../providers/simulator.js';
import { ReportsService } from './reports.service.js';

const intervalMs = 200;
const maxPerRound = 500;

/** A report that could not be stored is due again when its lease ends. */
const claimDue = statement(
  { id: t.uuid, report: t.enumOf<'delivered' | 'undelivered'>('delivery_state') },
  (limit: number) => sql`
    UPDATE simulated_message SET report_due_at = now() + interval '10 seconds'
    WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM simulated_message WHERE report_due_at IS NOT NULL AND report_due_at <= now()
      ORDER BY report_due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING id, report`,
);

const finish = command(
  (ids: readonly string[]) =>
    sql`UPDATE simulated_message SET report_due_at = NULL WHERE id = ANY (${ids}::uuid[])`,
);

/** Sends the delivery reports of the simulator when they are due. */
@Injectable()
export class SimulatedReports {
  constructor(
    private readonly database: Database,
    private readonly simulator: Simulator,
    private readonly reports: ReportsService,
  ) {}

  /** @returns whether more may be due */
  @Periodic('reporting simulated messages', intervalMs)
  async report(): Promise<boolean> {
    const due = await this.database.run(claimDue, maxPerRound);
    if (due.length === 0) return false;
    await this.reports.receive(
      this.simulator.name,
      due.map(({ id: providerReference, report: state }) =>
        state === 'delivered' ? { providerReference, state } : { providerReference, state, reason: dnd },
      ),
    );
    const ids = due.map(({ id }) => id);
    await this.database.run(finish, ids);
    return due.length === maxPerRound;
  }
}
