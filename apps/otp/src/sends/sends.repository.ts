import { otpCallback, recordCallbacks } from '@gangan/callbacks';
import { type Channel, deliveryReason } from '@gangan/contracts';
import {
  command,
  Database,
  lockRetries,
  retryTransient,
  sql,
  type SqlRunner,
  statement,
  t,
} from '@gangan/database';
import { dueAfter, dueNow } from '@gangan/leases';
import { AppError } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { deliveryFailedAt } from '../otp-record.js';
import { otpNotFound } from '../otp.errors.js';
import type { OtpKey } from '../otp.repository.js';
import { type NewSend, storeSend } from './new-send.js';
import { nextStep } from './next-step.js';
import { findOtpWithSends, lockOtpWithSends, type OtpWithSends } from './otp-with-sends.js';

const findDue = statement(
  { id: t.uuid, organisationId: t.uuid },
  (limit: number) => sql`
    SELECT id, organisation_id AS "organisationId" FROM otp
    WHERE due_at <= ${dueNow} AND due_at IS NOT NULL ORDER BY due_at LIMIT ${limit}`,
);

/** OTPs that failed before are left to `advance`, which reports them. */
const expireDue = command(
  (limit: number) => sql`
    UPDATE otp SET status = 3, updated_at = expires_at WHERE id = ANY (ARRAY(
      SELECT id FROM otp
      WHERE due_at <= ${dueNow} AND due_at IS NOT NULL AND expires_at <= now() AND status = 1
        AND ${deliveryFailedAt} IS NULL
      ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

const expireOtp = command(
  (id: string) => sql`UPDATE otp SET status = 3, updated_at = expires_at WHERE id = ${id} AND status = 1`,
);

const failOtp = command(
  (id: string, at: Date) => sql`
    UPDATE otp SET status = 4, updated_at = ${at}, fallback_channels = '{}' WHERE id = ${id} AND status = 1`,
);

const waitUntil = command(
  (id: string, until: Date, left: readonly Channel[]) => sql`
    UPDATE otp SET due_at = ${until}, fallback_channels = ${left}::text[]::channel[] WHERE id = ${id} AND status = 1`,
);

const postpone = command(
  ({ id }: OtpKey, delayMs: number) => sql`
    UPDATE otp SET due_at = ${dueAfter(delayMs)} WHERE id = ${id} AND status = 1`,
);

/** What became of the fallbacks of an OTP. */
export interface Advanced {
  readonly sent?: NewSend;
  /** The channels that were skipped. */
  readonly refused: readonly (readonly [Channel, AppError])[];
}

/** The further sends of OTPs. Each step is decided and stored under the lock of its OTP, so that it is made once. */
@Injectable()
export class SendsRepository {
  constructor(private readonly database: Database) {}

  find(key: OtpKey): Promise<OtpWithSends | undefined> {
    return findOtpWithSends(this.database, key);
  }

  findDue(limit: number): Promise<OtpKey[]> {
    return this.database.run(findDue, limit);
  }

  /** @returns how many OTPs were ended */
  expireDue(limit: number): Promise<number> {
    return this.database.run(expireDue, limit);
  }

  async postpone(key: OtpKey, delayMs: number): Promise<void> {
    await this.database.run(postpone, key, delayMs);
  }

  /**
   * Stores a send, unless `check` returns an error for the locked OTP, or an earlier run has stored it.
   * @throws AppError if the send is refused
   */
  add(
    key: OtpKey,
    send: NewSend,
    check: (otp: OtpWithSends) => AppError | undefined,
  ): Promise<'added' | 'known'> {
    return this.inTransaction(async (transaction) => {
      const otp = await lockOtpWithSends(transaction, key);
      if (!otp) throw otpNotFound();
      if (otp.sends.some(({ id }) => id === send.id)) return 'known';
      const error = check(otp) ?? (await this.store(transaction, send, otp.fallbackChannels));
      if (error) throw error;
      return 'added';
    });
  }

  /** Makes the next step of an OTP. `sends` has what may be sent: a message for each channel, or why there is none. */
  advance(key: OtpKey, sends: ReadonlyMap<Channel, NewSend | AppError>): Promise<Advanced> {
    return this.inTransaction(async (transaction) => {
      const otp = await lockOtpWithSends(transaction, key);
      return otp ? this.advanceLocked(transaction, otp, sends) : { refused: [] };
    });
  }

  private async advanceLocked(
    transaction: SqlRunner,
    otp: OtpWithSends,
    sends: ReadonlyMap<Channel, NewSend | AppError>,
    refused: Advanced['refused'] = [],
  ): Promise<Advanced> {
    const step = nextStep(otp);
    switch (step.type) {
      case 'none':
        break;
      case 'send': {
        const send = sends.get(step.channel);
        // The step became due after the messages were prepared: the next look sends it.
        if (!send) break;
        const error =
          send instanceof AppError ? send : await this.store(transaction, send, otp.fallbackChannels);
        if (!error && !(send instanceof AppError)) return { sent: send, refused };
        const left = otp.fallbackChannels.filter((channel) => channel !== step.channel);
        return this.advanceLocked(transaction, { ...otp, fallbackChannels: left }, sends, [
          ...refused,
          [step.channel, error as AppError],
        ]);
      }
      case 'wait':
        await transaction.run(waitUntil, otp.id, step.until, step.fallbackChannels);
        break;
      case 'fail':
        await this.fail(transaction, otp, step.at);
        break;
      case 'expire':
        await transaction.run(expireOtp, otp.id);
    }
    return { refused };
  }

  private store(
    transaction: SqlRunner,
    send: NewSend,
    fallbackChannels: readonly Channel[],
  ): Promise<AppError | undefined> {
    const left = fallbackChannels.filter((channel) => channel !== send.channel);
    return storeSend(transaction, send, left);
  }

  private async fail(transaction: SqlRunner, otp: OtpWithSends, at: Date): Promise<void> {
    await transaction.run(failOtp, otp.id, at);
    if (!otp.hasEndpoints) return;
    const { id: otpId, organisationId, requestId, recipientGiven: recipient, channel } = otp;
    const last = otp.sends.at(-1);
    const known = deliveryReason(last?.errorCode ?? 'unspecified');
    const reason = { code: known.code, message: last?.errorMessage || known.message };
    const event = { otpId, organisationId, requestId, recipient, channel, at, reason };
    await recordCallbacks(transaction, [otpCallback({ ...event, status: 'failed' })]);
  }

  /** A wallet or an OTP may be locked by another request for a moment. */
  private inTransaction<T>(work: (transaction: SqlRunner) => Promise<T>): Promise<T> {
    return retryTransient(() => this.database.transaction(work), lockRetries);
  }
}
