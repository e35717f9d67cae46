import { charge, isolateLockedWallets, spendError } from '@gangan/billing';
import { maxRecipientsListed, type MessageStatus } from '@gangan/contracts';
import { columnsOf, Database, type RowOf, sql, statement, StatementLoader, t } from '@gangan/database';
import { FairSlots, KeyedBatcher } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { statusOfMessage } from '../message-status.js';
import { ownedRows } from '../owned-rows.js';
import type { InsertClaim } from '../schedule/claim-on-insert/insert-claims.js';
import { contentShape } from '../text/message-text.js';
import type { Opened } from '../text/stored-texts.js';
import { StoredTexts, storedTextShape } from '../text/stored-texts.js';
import { retryWhileWalletLocked } from '../transactions.js';
import {
  findLastCompared,
  foundMessages,
  isCompared,
  type MessageQuery,
  sampleQueries,
} from './message-filters.js';
import type { PricedMessage } from './prepare-message.js';
import { givenShape, insertedAsClaimed, type MessageToStore, storeMessages } from './store-messages.js';

export interface Accepted {
  readonly balance: bigint;
  /** An earlier run of the request may have stored the message: then its row is the response. */
  readonly mayBeRepeated: boolean;
  /** A time before the statement that inserted the deliveries as claimed; undefined if the caller has no claim on them. */
  readonly claimedAt: number | undefined;
}

/** How many jobs may share one accepting statement. */
const maxJobs = 8;
/** A statement that takes longer waits for the lock of a wallet: the next one runs beside it. */
const slowStatementMs = 50;

/** Messages with this many recipients take turns per organisation, so that small ones get the wallet too. */
const largeMessage = 50;

const messageShape = {
  ...givenShape,
  ...storedTextShape,
  templateVariables: contentShape.templateVariables,
  kobo: t.from('charge_kobo', t.bigint),
  balance: t.from('balance_kobo', t.bigint),
  sendAt: t.nullable(t.timestamp),
  status: t.from(statusOfMessage, t.textOf<MessageStatus>()),
  recipients: t.array(t.text),
};

export type MessageRow = Opened<RowOf<{ readonly shape: typeof messageShape }>>;

/** A message in a list: its first recipients, and how many there are. */
export type ListedRow = Opened<RowOf<typeof listMessages>>;

const messageColumns = columnsOf(messageShape);

const findMessages = statement(
  { ...messageShape, organisationId: t.uuid },
  (ids: readonly string[]) => sql`
    SELECT found.* FROM unnest(${ids}::uuid[]) AS asked (id)
    CROSS JOIN LATERAL (
      SELECT ${messageColumns}, organisation_id AS "organisationId" FROM message WHERE id = asked.id LIMIT 1) AS found`,
);

const listedShape = {
  ...messageShape,
  recipients: t.from(sql`recipients[1:${maxRecipientsListed}::int]`, messageShape.recipients),
  // A list shows no personalisation.
  personalisation: t.from(sql`NULL::jsonb`, messageShape.personalisation),
  recipientCount: t.from(sql`cardinality(recipients)`, t.int),
};

const listedColumns = columnsOf(listedShape);

const listMessages = statement(
  listedShape,
  (query: MessageQuery, limit: number, offset: number) => sql`
    WITH RECURSIVE ${foundMessages(query, limit, offset)}
    SELECT listed.* FROM found
    CROSS JOIN LATERAL (SELECT ${listedColumns} FROM message WHERE id = found.id LIMIT 1) AS listed
    ORDER BY listed.id DESC`,
  { samples: sampleQueries.map((query) => [query, 1, 0]) },
);

@Injectable()
export class MessagesRepository {
  private readonly accepting = new StatementLoader(
    isolateLockedWallets((messages: readonly MessageToStore[]) => this.acceptAll(messages)),
  );
  /** One statement at a time; the messages of jobs that arrive meanwhile share the next. */
  private readonly jobs = new KeyedBatcher<readonly MessageToStore[], readonly (Accepted | Error)[]>({
    keyOf: () => '',
    run: async (jobs) => {
      const results = await this.accepting.loadAll(jobs.flat());
      let from = 0;
      return jobs.map(({ length }) => results.slice(from, (from += length)));
    },
    concernsAll: () => true,
    maxBatch: maxJobs,
    slowMs: slowStatementMs,
  });
  private readonly largeMessages = new FairSlots({ perKey: 1 });
  readonly find = ownedRows(async (ids) => {
    const rows = await this.database.run(findMessages, ids);
    return rows.map((row) => this.texts.openMessage(row, row));
  });

  constructor(
    private readonly database: Database,
    private readonly texts: StoredTexts,
  ) {}

  /** Charges the message and stores it with its deliveries; one that is stored already stays. @throws AppError 402 or 429 */
  accept(message: PricedMessage, claim?: InsertClaim): Promise<Accepted> {
    const { organisationId, deliveries } = message;
    const load = (): Promise<Accepted> =>
      retryWhileWalletLocked(() => this.accepting.load({ organisationId, message, claim }));
    return deliveries.length < largeMessage ? load() : this.largeMessages.run(organisationId, load);
  }

  /** Accepts the messages of a job in one statement, perhaps with those of other jobs. A locked wallet fails the messages of its organisation only. */
  acceptTogether(messages: readonly MessageToStore[]): Promise<readonly (Accepted | Error)[]> {
    return this.jobs.add(messages);
  }

  /** The end of a range in which the query compares no more messages than it may; undefined if it has no such end. */
  async findLastCompared(query: MessageQuery): Promise<string | undefined> {
    if (!isCompared(query)) return undefined;
    return (await this.database.run(findLastCompared, query))[0]?.id;
  }

  /** Newest first. */
  async list(query: MessageQuery, limit: number, offset: number): Promise<ListedRow[]> {
    const rows = await this.database.run(listMessages, query, limit, offset);
    const { organisationId } = query;
    // A list shows no personalisation.
    return rows.map((row) => ({
      ...this.texts.openMessage(row, { id: row.id, organisationId }),
      personalisation: null,
    }));
  }

  private async acceptAll(all: readonly MessageToStore[]): Promise<(Accepted | Error)[]> {
    const startedAt = performance.now();
    const members = all.map(({ message: { id: subjectId, organisationId, kobo } }) => {
      return { subjectId, organisationId, kobo };
    });
    // If a request is in the batch twice, one of its runs is stored and submitted: each has its own links and claim.
    const runs = new Map(all.map((run) => [run.message.id, run]));
    const store = storeMessages([...runs.values()], this.texts);
    const results = await charge(this.database, 'message', members, store, insertedAsClaimed);
    return results.map((result, index) => {
      const { subjectId = '', kobo = 0n } = members[index] ?? {};
      if (!result.ok) return spendError(kobo, result);
      return {
        balance: result.balance,
        // A message without a charge has no ledger entry that would show a second run.
        mayBeRepeated: result.repeated || kobo === 0n,
        claimedAt:
          result.isConditionMet === true && runs.get(subjectId) === all[index] ? startedAt : undefined,
      };
    });
  }
}
