import { balancesOf, charge, checkLedger } from '@gangan/billing';
import { type Channel, Database, deliveryAttempts, type OrganisationMode, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newId } from '@gangan/protocol';
import {
  aDelivery,
  anOrganisation,
  anOtp,
  createTestDatabase,
  type TestDatabase,
  until,
} from '@gangan/testing';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { DeliveryWorker, WorkerOutput, type WorkerOptions } from './delivery-worker.js';
import { sealer } from './messaging-module.js';

export const price = 400n;

export interface MessageOptions {
  readonly recipients?: readonly string[];
  readonly channel?: Channel;
  readonly content?: string;
  readonly callback?: string;
  readonly externalRef?: string;
}

export interface Stored {
  readonly state: string;
  readonly refunded: boolean;
  readonly attempt: number;
  readonly provider: string | null;
  readonly code: string | null;
  readonly isSealed: boolean;
}

/** A time without a database. */
export interface Outage {
  readonly began: Promise<void>;
  readonly ended: Promise<void>;
}

/** A database with paid messages that wait, and delivery workers. */
export class DeliveryFixture {
  readonly output = new WorkerOutput();
  database!: Database;
  private postgres!: TestDatabase;

  private constructor() {}

  /** Open while the tests of the surrounding `describe` run. */
  static use(poolSize = 10): DeliveryFixture {
    const fixture = new DeliveryFixture();
    beforeAll(() => fixture.start(poolSize));
    afterAll(() => fixture.close());
    return fixture;
  }

  private async start(poolSize: number): Promise<void> {
    this.postgres = await createTestDatabase(migrate);
    this.database = new Database({ url: this.postgres.url, poolSize });
  }

  get url(): string {
    return this.postgres.url;
  }

  worker(options: WorkerOptions = {}): Promise<DeliveryWorker> {
    return DeliveryWorker.create(this.database, this.output, options);
  }

  async organisation(kobo = 100_000_000n, mode: OrganisationMode = 'test'): Promise<string> {
    return (await anOrganisation(this.database, { mode, balanceKobo: kobo })).id;
  }

  /** Stores a paid message with its deliveries. @returns their ids */
  async accept(
    organisationId: string,
    options: MessageOptions = {},
  ): Promise<{ id: string; deliveries: string[] }> {
    const { recipients = ['+2348031234567'], channel = 'sms', content = 'Hello' } = options;
    const id = newId();
    const deliveries = recipients.map(() => newId());
    const kobo = price * BigInt(recipients.length);
    const [paid] = await charge(
      this.database,
      'message',
      [{ subjectId: id, organisationId, kobo }],
      sql`
      stored AS (
        INSERT INTO message (id, organisation_id, channel, sender, recipients, content, callback_url, external_ref,
          encoding, length, pages, charge_kobo, balance_kobo, request_id)
        SELECT subject_id, ${organisationId}::uuid, ${channel}::channel, 'Sender', ${recipients}::text[], ${content}::text,
          ${options.callback ?? null}::text, ${options.externalRef ?? null}::text, 'GSM-7', 5, 1, kobo, balance, 'request-1'
        FROM accepted),
      queued AS (
        INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, pages,
          charge_kobo, next_attempt_at)
        SELECT to_be.id, ${organisationId}::uuid, 'sms', subject_id, ${channel}::channel, recipient, recipient, 1, ${price},
          now() + interval '5 seconds'
        FROM accepted CROSS JOIN unnest(${deliveries}::uuid[], ${recipients}::text[]) AS to_be (id, recipient))`,
    );
    expect(paid?.ok).toBe(true);
    return { id, deliveries };
  }

  /** Stores a paid OTP. @returns the delivery's id */
  async acceptOtp(organisationId: string, text: string, recipient = '+2348031234567'): Promise<string> {
    const otp = newId();
    // The first delivery of an OTP has its id.
    const delivery = otp;
    const sealed = sealer.seal(JSON.stringify({ text }), {
      column: 'delivery.sealed_body',
      organisationId,
      id: delivery,
    });
    await charge(this.database, 'message', [{ subjectId: otp, organisationId, kobo: price }]);
    const fields = { recipient, recipientGiven: recipient, chargeKobo: price };
    await anOtp(this.database, organisationId, { id: otp, ...fields });
    const nextAttemptAt = new Date(Date.now() + 5_000);
    const own = { id: delivery, otpId: otp, nextAttemptAt, sealedBody: sealed };
    await aDelivery(this.database, organisationId, { ...own, ...fields });
    return delivery;
  }

  async stored(id: string): Promise<Stored> {
    const [row] = await this.database.query<Stored>(sql`
      SELECT state, refunded, attempt, provider, error_code AS code, sealed_body IS NOT NULL AS "isSealed"
      FROM delivery WHERE id = ${id}`);
    if (!row) throw new Error('There is no such delivery');
    return row;
  }

  async states(ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ state: string }>(sql`
      SELECT state FROM unnest(${[...ids]}::uuid[]) WITH ORDINALITY AS given (id, position) JOIN delivery USING (id)
      ORDER BY position`);
    return rows.map(({ state }) => state);
  }

  attempts(id: string): Promise<{ provider: string; outcome: string | null }[]> {
    return this.database.query(sql`
      SELECT provider, outcome FROM ${deliveryAttempts} AS made WHERE delivery_id = ${id} ORDER BY attempt`);
  }

  /** Makes every open delivery overdue. */
  async makeDue(): Promise<void> {
    await this.database.execute(sql`
      UPDATE delivery SET next_attempt_at = now() - interval '1 ms' WHERE next_attempt_at IS NOT NULL AND state <> 'sent'`);
  }

  /** Ends the validity period of every sent delivery. */
  async endValidity(): Promise<void> {
    await this.database.execute(
      sql`UPDATE delivery SET next_attempt_at = now() - interval '1 ms' WHERE state = 'sent'`,
    );
  }

  /** Ends the validity period of open deliveries, and makes them due. */
  async endValidityOfOpen(ids?: readonly string[]): Promise<void> {
    await this.database.execute(sql`
      UPDATE delivery SET created_at = now() - interval '25 hours', next_attempt_at = now() - interval '1 ms'
      WHERE state IN ('queued', 'submitting') AND (${ids ? [...ids] : null}::uuid[] IS NULL OR id = ANY (${ids ? [...ids] : null}::uuid[]))`);
  }

  /** As if workers had died during this many attempts. */
  async crash(ids: readonly string[], provider: string, attempt = 1): Promise<void> {
    await this.database.execute(sql`
      UPDATE delivery SET state = 'submitting', attempt = ${attempt}, provider = ${provider}, accepted_at = NULL,
        next_attempt_at = now() - interval '1 ms' WHERE id = ANY (${[...ids]}::uuid[])`);
  }

  /** The outcomes of simulated submissions. */
  async simulatedOutcomes(ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ outcome: string }>(sql`
      SELECT outcome FROM simulated_message WHERE reference = ANY (${[...ids]}::uuid[]) ORDER BY id`);
    return rows.map(({ outcome }) => outcome);
  }

  /** The callbacks of a message, in order. */
  async callbacks(messageId: string): Promise<{ type: string; body: string }[]> {
    return this.database.query(
      sql`SELECT type, body FROM callback WHERE resource_id = ${messageId} ORDER BY id`,
    );
  }

  /** Lasts as long as a restart. */
  outage(): Outage {
    const began = this.postgres.kill();
    return { began, ended: began.then(() => this.postgres.restart()) };
  }

  /** How many deliveries indexes have led to, as the statistics say. */
  async fetchedDeliveries(): Promise<number> {
    const [row] = await this.database.query<{ fetched: number }>(sql`
      SELECT idx_tup_fetch::float8 AS fetched FROM pg_stat_user_tables WHERE relname = 'delivery'`);
    return row?.fetched ?? 0;
  }

  /** Until a statement waits for a lock. */
  async untilLocked(): Promise<void> {
    const waiting = (): Promise<object[]> =>
      this.database.query(sql`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
    await until('a statement waits for a lock', async () => (await waiting()).length > 0);
  }

  async available(organisationId: string): Promise<bigint> {
    return (await balancesOf(this.database, organisationId)).available;
  }

  async expectCleanLedger(): Promise<void> {
    expect(await checkLedger(this.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  }

  private async close(): Promise<void> {
    await this.database.close();
    await this.postgres.drop();
  }
}
