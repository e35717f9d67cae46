import {
  type Channel,
  command,
  Database,
  type RowOf,
  sql,
  type SqlRunner,
  statement,
  t,
  unnest,
} from '@gangan/database';
import { ClaimTable, dueNow, type Lease, LeaseHolder } from '@gangan/leases';
import { Injectable } from '@nestjs/common';

export interface NewHelpAnswer {
  readonly id: string;
  readonly organisationId: string;
  readonly channel: Channel;
  /** E.164. */
  readonly phone: string;
  /** The day in UTC, such as `2026-11-15`. */
  readonly askedOn: string;
  readonly incomingId: string;
}

/** The limit of one organisation: forged senders would spend its money. Concurrent messages may exceed it. */
const maxAnswersPerDay = 1_000;

/** Longer than it takes to accept a message while its wallet is locked. */
const leaseMs = 30_000;
const isWaiting = sql`next_attempt_at IS NOT NULL`;

const answerLease = new ClaimTable({
  table: 'help_answer',
  claim: { id: 'id', attempt: 'attempt' },
  expiresAt: 'next_attempt_at',
  // Not `isWaiting`: an index of waiting answers must not be searched for a row by its key.
  held: sql`num_nulls(next_attempt_at) = 0`,
});

const insertAnswers = statement(
  { id: t.uuid },
  (answers: readonly NewHelpAnswer[]) => sql`
    INSERT INTO help_answer (id, organisation_id, phone, asked_on, channel, incoming_id, next_attempt_at)
    SELECT id, organisation_id, phone, asked_on, channel, incoming_id, ${dueNow}
    FROM ${unnest('new', answers, {
      uuid: ['id', 'organisationId', 'incomingId'],
      text: ['phone'],
      date: ['askedOn'],
      channel: ['channel'],
    })}
    WHERE (SELECT count(*) FROM (SELECT 1 FROM help_answer AS earlier
      WHERE earlier.organisation_id = new.organisation_id AND earlier.asked_on = new.asked_on
      LIMIT ${maxAnswersPerDay}::int) AS answers) < ${maxAnswersPerDay}::int
    ORDER BY organisation_id, phone
    ON CONFLICT DO NOTHING RETURNING id`,
);

const claimNext = statement(
  {
    id: t.uuid,
    attempt: t.int,
    organisationId: t.uuid,
    channel: t.enumOf<Channel>('channel'),
    phone: t.text,
    incomingId: t.uuid,
    /** Null if the text was removed since. */
    helpText: t.nullable(t.text),
  },
  (lease: Lease) =>
    answerLease.claimActive({
      ...lease,
      limit: 1,
      where: isWaiting,
      returning: sql`id, attempt, organisation_id AS "organisationId", channel, phone, incoming_id AS "incomingId", (
        SELECT settings -> 'opt_out' ->> 'help_text' FROM organisation
        WHERE organisation.id = help_answer.organisation_id) AS "helpText"`,
    }),
);

export const isAnswerOpen = statement(
  { isDue: t.bool },
  () => sql`SELECT ${answerLease.isAnyOpen(isWaiting)} AS "isDue"`,
);

/** An answer that this worker holds until its lease ends. */
export type ClaimedHelpAnswer = RowOf<typeof claimNext>;

const takeOver = command((lease: Lease) => answerLease.takeOver({ ...lease, where: isWaiting }));

@Injectable()
export class HelpAnswersRepository {
  private readonly lease: Lease;

  constructor(
    private readonly database: Database,
    holder: LeaseHolder,
  ) {
    this.lease = holder.lease(leaseMs);
    holder.onTakeover('help_answer', (transaction, dead) =>
      transaction.run(takeOver, { holder: dead, leaseMs }),
    );
  }

  /** Leaves out numbers that have an answer of that day, and all if the organisation has 1,000. @returns whether there are new ones */
  async add(transaction: SqlRunner, answers: readonly NewHelpAnswer[]): Promise<boolean> {
    return answers.length > 0 && (await transaction.run(insertAnswers, answers)).length > 0;
  }

  /** Answers of suspended organisations are left out. */
  async claimNext(): Promise<ClaimedHelpAnswer | undefined> {
    return (await this.database.run(claimNext, this.lease))[0];
  }

  async release(claimed: ClaimedHelpAnswer, delayMs: number): Promise<void> {
    await answerLease.release(this.database, claimed, delayMs);
  }

  /** The row stays: no further answer is sent on that day. */
  async finish(claimed: ClaimedHelpAnswer): Promise<void> {
    await answerLease.finish(this.database, claimed, sql`next_attempt_at = NULL`);
  }
}
