import { Database, sql, statement, t } from '@gangan/database';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { CallbackMetrics } from '../callback.metrics.js';

const intervalMs = 60_000;
const maxBatch = 50;
const failingHours = 1;

const countFailing = statement(
  { count: t.int },
  (hours: number) => sql`
    SELECT count(*)::int AS count FROM callback_host
    WHERE failing_since < now() - ${hours}::int * interval '1 hour'`,
);

/** Claims the report of hosts with pending callbacks, so that one worker reports each host once a day. */
const claimReports = statement(
  { organisationId: t.uuid, host: t.text, failingSince: t.timestamp },
  (hours: number, limit: number) => sql`
    UPDATE callback_host SET reported_at = now() WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM callback_host
      WHERE failing_since < now() - ${hours}::int * interval '1 hour'
        AND (reported_at IS NULL OR reported_at < now() - interval '1 day')
        AND (SELECT true FROM callback WHERE callback.organisation_id = callback_host.organisation_id
          AND callback.host = callback_host.host AND next_attempt_at IS NOT NULL LIMIT 1)
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING organisation_id AS "organisationId", host, failing_since AS "failingSince"`,
);

/** Logs hosts that accept no callbacks, once a day each. They are never switched off. */
@Injectable()
export class FailingHosts {
  constructor(
    private readonly database: Database,
    private readonly metrics: CallbackMetrics,
    private readonly logger: AppLogger,
  ) {}

  @Periodic('reporting failing hosts', intervalMs)
  async report(): Promise<boolean> {
    const [failing] = await this.database.run(countFailing, failingHours);
    this.metrics.failingHosts.set(failing?.count ?? 0);
    const hosts = await this.database.run(claimReports, failingHours, maxBatch);
    for (const { organisationId, host, failingSince } of hosts) {
      this.logger.warn(
        { organisationId, host, failingSince },
        'a host accepts no callbacks: inform its owner; retries continue as scheduled',
      );
    }
    return hosts.length === maxBatch;
  }
}
