import { Database, sql, statement, suspendedOrganisations } from '@gangan/database';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { snapshotColumns, snapshotShape } from '../outcome/apply-transitions.js';
import { OutcomeService } from '../outcome/outcome.service.js';
import { RetryPolicies } from '../outcome/retry/retry-policy.js';
import { isOpen } from './due.repository.js';

const intervalMs = 5_000;
const maxPerRun = 500;
/** OTPs of one organisation that a run looks at, oldest first; all of them end within an hour. */
const maxOtpsPerRun = 1_000;

/** Finds deliveries that have been due for the whole validity period, when it is too late to send them. */
const findLapsedMessages = statement(
  snapshotShape,
  (validityMs: number, limit: number) => sql`
    SELECT held.* FROM (${suspendedOrganisations}) suspended CROSS JOIN LATERAL (
      SELECT ${snapshotColumns} FROM delivery
      WHERE lane = 'sms' AND organisation_id = suspended.id AND ${isOpen}
        AND next_attempt_at <= now() - ${validityMs}::float8 * interval '1 millisecond'
      ORDER BY next_attempt_at LIMIT ${limit}) held LIMIT ${limit}`,
);

const findLapsedOtps = statement(
  snapshotShape,
  (limit: number) => sql`
    SELECT held.* FROM (${suspendedOrganisations}) suspended CROSS JOIN LATERAL (
      SELECT ${snapshotColumns} FROM (
        SELECT * FROM delivery
        WHERE lane = 'otp' AND organisation_id = suspended.id AND ${isOpen} AND next_attempt_at <= now()
        ORDER BY next_attempt_at LIMIT ${maxOtpsPerRun}) oldest
      WHERE (SELECT status <> 1 OR expires_at <= now() FROM otp WHERE otp.id = oldest.otp_id)) held LIMIT ${limit}`,
);

/** Ends held deliveries of suspended organisations, with a refund, when it is too late to send them. */
@Injectable()
export class HeldDeliveries {
  constructor(
    private readonly database: Database,
    private readonly outcomes: OutcomeService,
    private readonly policies: RetryPolicies,
  ) {}

  @Periodic('ending held deliveries', intervalMs)
  async endLapsed(): Promise<boolean> {
    const lapsed = [
      ...(await this.database.run(findLapsedOtps, maxPerRun)),
      ...(await this.database.run(findLapsedMessages, this.policies.validityMs, maxPerRun)),
    ];
    await this.outcomes.recordAll(lapsed.map((delivery) => ({ delivery, event: { type: 'lapsed' } })));
    return lapsed.length >= maxPerRun;
  }
}
