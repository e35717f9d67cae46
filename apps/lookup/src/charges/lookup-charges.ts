import {
  charge,
  isolateLockedWallets,
  type LedgerItem,
  post,
  Prices,
  reserve,
  type ChargeResult,
  spendError,
  type Subject,
  voidReservation,
} from '@gangan/billing';
import { command, Database, type RowOf, shareStatement, type Sql, sql, statement, t } from '@gangan/database';
import { ClaimTable, dueNow, type Lease, LeaseHolder, leaseUntil } from '@gangan/leases';
import { requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

/** Money reserved for a call to the provider. Neither method fails. */
export interface Reservation {
  /** The provider answered: charges the money. */
  post(): Promise<void>;
  /** The provider did not answer: returns the money. */
  cancel(): Promise<void>;
}

/** Much longer than a lookup: a reservation that is not settled by then belongs to a dead worker. */
const leaseMs = 60_000;
const intervalMs = 5_000;
const maxBatch = 200;
const free: Reservation = { post: () => Promise.resolve(), cancel: () => Promise.resolve() };

const leases = new ClaimTable({
  table: 'lookup_reservation',
  claim: { subjectId: 'id' },
  expiresAt: 'due_at',
});

const takeOverLeases = command((lease: Lease) => leases.takeOver(lease));

const claimDue = statement(
  { subjectId: t.uuid, organisationId: t.uuid, isAnswered: t.bool },
  (limit: number, lease: Lease) =>
    leases.claimDue({
      ...lease,
      limit,
      returning: sql`id AS "subjectId", organisation_id AS "organisationId", told AS "isAnswered"`,
    }),
);

type Settlement = RowOf<typeof claimDue>;

const makeDue = command(
  ({ subjectId, organisationId, isAnswered }: Settlement) => sql`
    UPDATE lookup_reservation SET told = ${isAnswered}, due_at = ${dueNow}, lease_holder = NULL
    WHERE id = ${subjectId} AND organisation_id = ${organisationId}`,
);

const deleteSettled = command(
  (ids: readonly string[]) => sql`DELETE FROM lookup_reservation WHERE id = ANY (${ids}::uuid[])`,
);

/**
 * The price of lookups. A lookup without a provider is charged at once. Before a provider is called, the price is
 * reserved; a row in lookup_reservation stands for it until it is settled, so that a locked wallet or a dead worker
 * leaves nothing unsettled.
 */
@Injectable()
export class LookupCharges {
  private readonly lease: Lease;
  private readonly chargeShared = shareStatement(
    isolateLockedWallets(async (items: readonly LedgerItem[]) =>
      toResults(items, await charge(this.database, 'lookup', items)),
    ),
  );
  private readonly reserveShared = shareStatement(
    isolateLockedWallets(async (items: readonly LedgerItem[]) =>
      toResults(items, await reserve(this.database, 'lookup', items, insertReserved(items, this.lease))),
    ),
  );

  constructor(
    private readonly database: Database,
    private readonly prices: Prices,
    private readonly logger: AppLogger,
    holder: LeaseHolder,
  ) {
    this.lease = holder.lease(leaseMs);
    // The lookups of a dead process got no answer, unless their outcome was stored.
    holder.onTakeover('lookup_reservation', (transaction, dead) =>
      transaction.run(takeOverLeases, { holder: dead, leaseMs }),
    );
  }

  /** Charges one lookup, once, even if its request runs again. @throws AppError 402 or 429 */
  async charge(context: RequestContext, e164: string): Promise<void> {
    const subject = toSubject(context);
    const kobo = await this.priceOf(subject, e164);
    if (kobo > 0n) await this.chargeShared({ ...subject, kobo });
  }

  /** Reserves the price of one lookup, once, even if its request runs again. @throws AppError 402 or 429 */
  async reserve(context: RequestContext, e164: string): Promise<Reservation> {
    const subject = toSubject(context);
    const kobo = await this.priceOf(subject, e164);
    if (kobo === 0n) return free;
    await this.reserveShared({ ...subject, kobo });
    return {
      post: () => this.settle({ ...subject, isAnswered: true }),
      cancel: () => this.settle({ ...subject, isAnswered: false }),
    };
  }

  /** A lookup without a price is free. */
  private async priceOf({ organisationId }: Subject, e164: string): Promise<bigint> {
    return (await this.prices.of(organisationId)).tableOf('lookup').priceOf(e164) ?? 0n;
  }

  @Periodic('settling lookups', intervalMs)
  async sweep(): Promise<boolean> {
    return (await this.settleDue(maxBatch)) === maxBatch;
  }

  /** Settles reservations that were left behind; returns how many were due. A failed one becomes due again. */
  async settleDue(limit: number): Promise<number> {
    const due = await this.database.run(claimDue, limit, this.lease);
    for (const group of groupByOutcome(due)) {
      await this.settleAll(group).catch((error: unknown) => {
        this.logger.warn(
          { err: error, lookups: group.length },
          'lookups could not be settled; they are retried',
        );
      });
    }
    return due.length;
  }

  /** Never fails: the lookup succeeded anyway, and the sweep settles it later. */
  private async settle(settlement: Settlement): Promise<void> {
    const lookup = settlement.subjectId;
    try {
      await this.settleAll([settlement]);
    } catch (error) {
      this.logger.warn({ err: error, lookup }, 'a lookup could not be settled; it is retried');
      await this.database.run(makeDue, settlement).catch((cause: unknown) => {
        this.logger.error(
          { err: cause, lookup },
          'the outcome of a lookup was not stored: it will be refunded',
        );
      });
    }
  }

  /** Settles reservations of one organisation and outcome. Rows are deleted last: a repetition moves no money twice. */
  private async settleAll(settlements: readonly Settlement[]): Promise<void> {
    await (settlements[0]?.isAnswered ? post : voidReservation)(this.database, 'lookup', settlements);
    await this.database.run(
      deleteSettled,
      settlements.map(({ subjectId }) => subjectId),
    );
  }
}

/** One group for each organisation and outcome, so that a locked wallet delays no other organisation. */
function groupByOutcome(due: readonly Settlement[]): Settlement[][] {
  const groups = new Map<string, Settlement[]>();
  for (const settlement of due) {
    const key = `${settlement.organisationId} ${settlement.isAnswered}`;
    groups.set(key, [...(groups.get(key) ?? []), settlement]);
  }
  return [...groups.values()];
}

const toSubject = (context: RequestContext): Subject => ({
  subjectId: context.operationId,
  organisationId: requireOrganisationId(context),
});

const toResults = (items: readonly LedgerItem[], results: readonly ChargeResult[]): (true | Error)[] =>
  results.map((result, index) => result.ok || spendError(items[index]?.kobo ?? 0n, result));

/** A common table expression of the statement that reserves the money. */
const insertReserved = (items: readonly LedgerItem[], { holder, leaseMs }: Lease): Sql => sql`
  reserved AS (
    INSERT INTO lookup_reservation (id, organisation_id, due_at, lease_holder)
    SELECT item.id, item.organisation_id, ${leaseUntil(leaseMs)}, ${holder}::bigint
    FROM unnest(${items.map(({ subjectId }) => subjectId)}::uuid[],
      ${items.map(({ organisationId }) => organisationId)}::uuid[]) AS item (id, organisation_id)
    JOIN accepted ON accepted.subject_id = item.id
    ON CONFLICT DO NOTHING)`;
