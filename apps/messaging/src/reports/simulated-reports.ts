import { type Channel, command, Database, type RowOf, sql, statement, t, unnest } from '@gangan/database';
import { SweepsWhen } from '@gangan/leases';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { dnd } from '../outcome/reasons.js';
import { readDelay, Simulator } from '../providers/simulator.js';
import { ReportsService } from './reports.service.js';

const intervalMs = 200;
/** Longer than the time from a message to its last report. */
const reportsEndAfterMs = 10_000;
const maxPerRun = 500;

/** A report that could not be stored is due again when its lease ends. */
const claimDue = statement(
  {
    id: t.uuid,
    report: t.enumOf<'delivered' | 'read' | 'undelivered'>('delivery_state'),
    channel: t.enumOf<Channel>('channel'),
    recipient: t.text,
  },
  (limit: number) => sql`
    UPDATE simulated_message SET report_due_at = now() + interval '10 seconds'
    WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM simulated_message WHERE report_due_at IS NOT NULL AND report_due_at <= now()
      ORDER BY report_due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING id, report, channel, recipient`,
);

const isReportDue = statement(
  { isDue: t.bool },
  () => sql`
    SELECT EXISTS (
      SELECT FROM simulated_message WHERE report_due_at IS NOT NULL AND report_due_at <= now()) AS "isDue"`,
);

type DueReport = RowOf<typeof claimDue>;

/** A delivered message may still be read later. */
const finish = command(
  (reported: readonly DueReport[]) => sql`
    UPDATE simulated_message SET report = CASE WHEN read_in_ms IS NULL THEN report ELSE 'read' END,
      report_due_at = now() + read_in_ms * interval '1 millisecond'
    FROM ${unnest(
      'given',
      reported.map(({ id, report, channel, recipient }) => ({
        id,
        readInMs: report === 'delivered' ? readDelay(channel, recipient) : undefined,
      })),
      { uuid: ['id'], float8: ['readInMs'] },
    )}
    WHERE simulated_message.id = ANY (${reported.map(({ id }) => id)}::uuid[]) AND simulated_message.id = given.id`,
);

/** Sends the delivery reports of the simulator when they are due. */
@Injectable()
export class SimulatedReports {
  constructor(
    private readonly database: Database,
    private readonly simulator: Simulator,
    private readonly reports: ReportsService,
  ) {}

  /** Reports the messages of this process on time. */
  @Periodic('reporting simulated messages', intervalMs)
  async reportOwn(signal: AbortSignal): Promise<boolean> {
    await this.simulator.submitted(reportsEndAfterMs, signal);
    return !signal.aborted && (await this.report());
  }

  /** @returns whether more may be due */
  @SweepsWhen(isReportDue, 'reporting simulated messages of other processes')
  async report(): Promise<boolean> {
    const due = await this.database.run(claimDue, maxPerRun);
    if (due.length === 0) return false;
    await this.reports.receive(
      this.simulator.name,
      due.map(({ id: providerReference, report: state }) =>
        state === 'undelivered' ? { providerReference, state, reason: dnd } : { providerReference, state },
      ),
    );
    await this.database.run(finish, due);
    return due.length === maxPerRun;
  }
}
