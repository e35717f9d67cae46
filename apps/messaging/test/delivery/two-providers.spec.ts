import { refundDeliveries } from '@gangan/billing';
import { isUnanswered, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { repetitions } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AskResult, IfUnanswered, SubmitResult } from '../../src/providers/message-provider.js';
import { ChangeWorker } from '../support/change-worker.js';
import { DeliveryFixture, price } from '../support/delivery-fixture.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';
import { accepted, ScriptedProvider } from '../support/scripted-provider.js';

/** What a provider does with a message: it sends it and answers, sends it without an answer, drops it without one, … */
const fates = ['accepts', 'loses', 'drops', 'refuses', 'rejects', 'is busy', 'is quiet'] as const;
type Fate = (typeof fates)[number];

const fate = fc.constantFrom(...fates);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ is: fc.constant('sweep' as const), first: fate, second: fate }) },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('report' as const),
      by: fc.constantFrom('first' as const, 'second' as const),
      state: fc.constantFrom('sent' as const, 'delivered' as const, 'undelivered' as const),
      isDnd: fc.boolean(),
      isOurs: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('decide' as const),
      decision: fc.constantFrom('refund' as const, 'resend' as const, 'keep' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('change' as const),
      action: fc.constantFrom('cancel' as const, 'pause' as const, 'resume' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ is: 'expire' as const }) },
  { weight: 1, arbitrary: fc.constant({ is: 'verify' as const }) },
);
/** What is sent, and how the providers are called. */
const setting = fc.record({
  ifUnanswered: fc.constantFrom<IfUnanswered>('wait', 'resend', 'next'),
  isAsked: fc.record({ first: fc.boolean(), second: fc.boolean() }),
  isOtp: fc.boolean(),
});
type Setting = typeof setting extends fc.Arbitrary<infer S> ? S : never;
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const start = 1_000_000n;
const reason = { code: 'x', message: 'why' };
const codes = { true: { code: 'dnd', message: 'DND' }, false: { code: 'unreachable', message: 'off' } };

class Carrier {
  readonly provider: ScriptedProvider;
  fate: Fate = 'accepts';
  readonly references: string[] = [];
  readonly known = new Set<string>();
  hasRejected = false;
  readonly reported = new Set<string>();

  constructor(name: string, ifUnanswered: IfUnanswered, isAsked: boolean) {
    const onAsk = (): AskResult => {
      const reference = this.references.at(-1);
      if (reference === undefined) return { kind: 'not_found' };
      this.known.add(reference);
      return accepted(reference);
    };
    const scripted = new ScriptedProvider(name, isAsked ? onAsk : undefined);
    this.provider = Object.assign(scripted, { ifUnanswered });
    this.provider.onSubmit = (): SubmitResult | Error => {
      const reference = `${name}-${newId()}`;
      if (this.fate === 'accepts' || this.fate === 'loses') this.references.push(reference);
      switch (this.fate) {
        case 'accepts':
          this.known.add(reference);
          return accepted(reference);
        case 'loses':
        case 'drops':
          return new Error('socket hang up');
        case 'refuses':
          return { kind: 'transient', cause: 'refused', reason };
        case 'rejects':
          this.hasRejected = true;
          return { kind: 'rejected', reason };
        case 'is busy':
          return { kind: 'transient', reason };
        case 'is quiet':
          return { kind: 'transient', cause: 'quiet', retryInMs: 3_600_000, reason };
      }
    };
  }
}

class Scenario {
  isDelivered = false;
  isDecided = false;
  isVerified = false;
  wasSent = false;
  byOperator = false;
  wasRefunded = false;

  private constructor(
    private readonly fixture: DeliveryFixture,
    private readonly changes: ChangeWorker,
    private readonly worker: DeliveryWorker,
    readonly carriers: { readonly first: Carrier; readonly second: Carrier },
    readonly organisation: string,
    /** Absent for an OTP. */
    readonly message: string | undefined,
    readonly id: string,
  ) {}

  static async begin(
    fixture: DeliveryFixture,
    changes: ChangeWorker,
    { ifUnanswered, isAsked, isOtp }: Setting,
  ) {
    const carriers = {
      first: new Carrier('first', ifUnanswered, isAsked.first),
      second: new Carrier('second', ifUnanswered, isAsked.second),
    };
    const named = [carriers.first.provider, carriers.second.provider];
    const worker = await fixture.worker({ named });
    const organisation = await fixture.organisation(start);
    await fixture.database.execute(sql`TRUNCATE delivery, message CASCADE`);
    const common = [fixture, changes, worker, carriers, organisation] as const;
    if (isOtp)
      return new Scenario(...common, undefined, await fixture.acceptOtp(organisation, 'Your code is 1234'));
    const { id, deliveries } = await fixture.accept(organisation);
    return new Scenario(...common, id, deliveries[0] ?? '');
  }

  async tell(next: Step): Promise<void> {
    const { database } = this.fixture;
    switch (next.is) {
      case 'sweep':
        this.carriers.first.fate = next.first;
        this.carriers.second.fate = next.second;
        await this.due();
        return;
      case 'report': {
        const carrier = this.carriers[next.by];
        const reference = carrier.references.at(-1);
        if (reference === undefined) return;
        const report = {
          state: next.state,
          ...(next.state === 'undelivered' && { reason: codes[`${next.isDnd}`] }),
        };
        const names = next.isOurs ? { reference: this.id } : { providerReference: reference };
        carrier.reported.add(next.state);
        await this.worker.reports.receive(next.by, [{ ...report, ...names }]);
        if (next.state === 'delivered' && (next.isOurs || carrier.known.has(reference)))
          this.isDelivered = true;
        return;
      }
      case 'decide':
        await database.transaction(async (transaction) => {
          if (next.decision === 'refund') {
            const rows = await transaction.query<{
              id: string;
              organisationId: string;
              messageId: string | null;
              kobo: bigint;
            }>(sql`
              UPDATE delivery SET refunded = true WHERE id = ${this.id}::uuid AND ${isUnanswered} AND state <> 'submitting'
              RETURNING id, organisation_id AS "organisationId", message_id AS "messageId", charge_kobo AS kobo`);
            if (rows.length > 0) this.byOperator = this.isDecided = true;
            await refundDeliveries(transaction, rows);
          }
          const decided = await transaction.query(sql`
            UPDATE delivery SET resolution = ${next.decision},
              next_attempt_at = CASE WHEN ${next.decision} <> 'keep' THEN now() ELSE next_attempt_at END
            WHERE id = ${this.id}::uuid AND ${isUnanswered} AND (state = 'submitting' OR ${next.decision} = 'keep')
              AND (${next.decision} <> 'resend' OR message_id IS NOT NULL
                AND (SELECT canceled_at IS NULL FROM message WHERE message.id = message_id)) RETURNING id`);
          if (decided.length > 0 && next.decision === 'refund') this.byOperator = true;
          if (decided.length > 0 && next.decision === 'keep') this.isDecided = true;
        });
        return;
      case 'change':
        if (this.message !== undefined)
          await this.changes.change(next.action, this.organisation, this.message).catch(() => undefined);
        return;
      case 'verify':
        this.isVerified = this.message === undefined;
        await database.execute(sql`UPDATE otp SET status = 2 WHERE id = ${this.id}::uuid`);
        return;
      case 'expire':
        await this.fixture.endValidity();
        await this.fixture.endValidityOfOpen([this.id]);
        await this.worker.sweep();
    }
  }

  private async due(): Promise<void> {
    await this.fixture.database.execute(sql`
      UPDATE delivery SET next_attempt_at = now() - interval '1 ms'
      WHERE id = ${this.id}::uuid AND state IN ('queued', 'submitting') AND next_attempt_at < 'infinity'`);
    await this.worker.sweep();
  }

  private async isListed(): Promise<boolean> {
    const found = await this.fixture.database.query(
      sql`SELECT FROM delivery WHERE id = ${this.id}::uuid AND ${isUnanswered}`,
    );
    return found.length > 0;
  }

  async check(): Promise<void> {
    const { state, refunded, code } = await this.fixture.stored(this.id);
    const available = await this.fixture.available(this.organisation);
    expect({ state, spent: start - available }).toEqual({ state, spent: refunded ? 0n : price });
    if (refunded && !this.wasRefunded) {
      expect({ state, isDelivered: this.isDelivered }).toEqual({ state, isDelivered: false });
      if (!this.byOperator)
        for (const carrier of Object.values(this.carriers)) {
          const mayHave =
            carrier.references.length > 0 && !carrier.hasRejected && !carrier.reported.has('undelivered');
          expect({ state, provider: carrier.provider.name, mayHave }).toMatchObject({ mayHave: false });
        }
    }
    if (['rejected', 'failed', 'canceled'].includes(state)) expect(refunded).toBe(true);
    if (state === 'sent') this.wasSent = true;
    // It ended without an answer; or it would have been refunded if no other provider could have it.
    const mayHaveArrived =
      state === 'expired' ? !this.wasSent : state === 'undelivered' && code === codes.true.code;
    if (mayHaveArrived && !refunded && !this.isDelivered && !this.isDecided && !this.isVerified)
      expect({ state, code, isListed: await this.isListed() }).toEqual({ state, code, isListed: true });
    this.wasRefunded = refunded;
  }
}

describe('a message with two providers and an operator', () => {
  const fixture = DeliveryFixture.use();
  let changes: ChangeWorker;
  beforeAll(async () => {
    changes = await ChangeWorker.create(fixture.database);
  });

  it('is never refunded once it is known to have arrived, and only by an operator while a provider may have it', async () => {
    await fc.assert(
      fc.asyncProperty(setting, fc.array(step, { minLength: 4, maxLength: 20 }), async (given, steps) => {
        const scenario = await Scenario.begin(fixture, changes, given);
        for (const next of steps) {
          await scenario.tell(next);
          await scenario.check();
        }
        await fixture.expectCleanLedger();
      }),
      { numRuns: repetitions(5, 60), endOnFailure: true },
    );
  });
});
