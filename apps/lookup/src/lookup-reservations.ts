import {
  insufficientBalance,
  type LedgerItem,
  post,
  Prices,
  reserve,
  isolateLockedWallets,
  type Subject,
  voidReservation,
} from '@gangan/billing';
import { Database, sql, StatementLoader } from '@gangan/database';
import { requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { Payment } from './live/live-lookups.js';

/** Far longer than any look-up takes: who has not settled by then has died. */
const settlesWithin = sql`interval '60 seconds'`;
const free: Payment = { earned: () => Promise.resolve(), back: () => Promise.resolve() };

interface Due extends Subject {
  readonly told: boolean;
}

/**
 * The price of a look-up that a provider is asked about: set aside before, and afterwards earned or given back. A row
 * stands for it until that is done, so that nothing is forgotten when a wallet is held or a worker dies.
 */
@Injectable()
export class LookupReservations {
  private readonly reservations = new StatementLoader(
    isolateLockedWallets((members: readonly LedgerItem[]) => this.reserveAll(members)),
  );

  constructor(
    private readonly database: Database,
    private readonly prices: Prices,
    private readonly logger: AppLogger,
  ) {}

  /**
   * Sets the price of one look-up aside, once, however often its request runs.
   * @throws AppError 402
   */
  async pay(context: RequestContext, e164: string): Promise<Payment> {
    const subject = { subjectId: context.operationId, organisationId: requireOrganisationId(context) };
    const kobo = await this.prices.priceOf('lookup', e164);
    if (kobo === 0n) return free;
    await this.reservations.load({ ...subject, kobo });
    return {
      earned: () => this.settleOrLeave({ ...subject, told: true }),
      back: () => this.settleOrLeave({ ...subject, told: false }),
    };
  }

  /** Settles some of what was left behind; gives how many there were. What a held wallet prevents is due again later. */
  async settleDue(most: number): Promise<number> {
    const due = await this.database.query<Due>(sql`
      UPDATE lookup_reservation SET due_at = now() + ${settlesWithin}
      WHERE id = ANY (ARRAY(
        SELECT id FROM lookup_reservation WHERE due_at <= date_trunc('milliseconds', now())
        ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED))
      RETURNING id AS "subjectId", organisation_id AS "organisationId", told`);
    for (const group of alike(due)) {
      await this.settle(group).catch((error: unknown) => {
        this.logger.warn({ err: error, lookups: group.length }, 'look-ups could not be settled yet');
      });
    }
    return due.length;
  }

  /** Never fails: the look-up has an answer all the same, and what is left here is settled later. */
  private async settleOrLeave(due: Due): Promise<void> {
    try {
      await this.settle([due]);
    } catch (error) {
      this.logger.warn({ err: error, lookup: due.subjectId }, 'a look-up could not be settled yet');
      await this.leave(due).catch((cause: unknown) => {
        this.logger.error({ err: cause, lookup: due.subjectId }, 'a look-up will be given back unpaid');
      });
    }
  }

  /** All of one organisation and outcome. The rows go last: whatever is cut off is done again, and moves nothing twice. */
  private async settle(dues: readonly Due[]): Promise<void> {
    await (dues[0]?.told ? post : voidReservation)(this.database, dues);
    await this.database.execute(sql`
      DELETE FROM lookup_reservation WHERE id = ANY (${dues.map(({ subjectId }) => subjectId)}::uuid[])`);
  }

  private async leave({ subjectId, organisationId, told }: Due): Promise<void> {
    await this.database.execute(sql`
      UPDATE lookup_reservation SET told = ${told}, due_at = now()
      WHERE id = ${subjectId} AND organisation_id = ${organisationId}`);
  }

  private async reserveAll(members: readonly LedgerItem[]): Promise<(true | Error)[]> {
    const noted = sql`noted AS (
      INSERT INTO lookup_reservation (id, organisation_id, due_at)
      SELECT asked.id, asked.organisation_id, now() + ${settlesWithin}
      FROM unnest(${members.map(({ subjectId }) => subjectId)}::uuid[],
        ${members.map(({ organisationId }) => organisationId)}::uuid[]) AS asked (id, organisation_id)
      JOIN accepted ON accepted.subject_id = asked.id
      ON CONFLICT DO NOTHING)`;
    const spendings = await reserve(this.database, members, noted);
    return spendings.map(
      (spending, place) => spending.ok || insufficientBalance(members[place]?.kobo ?? 0n, spending.available),
    );
  }
}

/** Of one organisation and outcome: a held wallet holds no strangers. */
const alike = (due: readonly Due[]): Due[][] =>
  [...new Set(due.map(({ organisationId }) => organisationId))]
    .map((organisation) => due.filter(({ organisationId }) => organisationId === organisation))
    .flatMap((own) => [true, false].map((outcome) => own.filter(({ told }) => told === outcome)))
    .filter((group) => group.length > 0);
