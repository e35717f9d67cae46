import { balancesOf } from '@gangan/billing';
import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { expect } from '@jest/globals';
import type { DeliveryReport } from '../../src/reports/reports.service.js';
import type { DeliveryWorker } from './delivery-worker.js';
import { type DeliveryFixture, price } from './delivery-fixture.js';
import { type Fate, ScriptedCarriers } from './scripted-carriers.js';

export type Step =
  | { is: 'accept'; recipients: number }
  | { is: 'send'; recipients: number; fate: Fate }
  | { is: 'due'; which: number; fate: Fate }
  | { is: 'sweep'; fate: Fate }
  | { is: 'expire' }
  | { is: 'answer late' }
  | { is: 'report'; which: number; state: DeliveryReport['state']; isDnd: boolean; times: number }
  | { is: 'forge'; which: number; state: DeliveryReport['state'] }
  | { is: 'match parked' };

interface Row {
  readonly id: string;
  readonly state: string;
  readonly refunded: boolean;
  readonly provider: string | null;
  readonly reference: string | null;
  readonly code: string | null;
  readonly refunds: number;
  readonly reports: readonly string[];
}

const start = 10_000_000n;
const dnd = { code: 'dnd', message: 'DND' };
const absent = { code: 'absent', message: 'Switched off' };
const final = ['delivered', 'undelivered', 'expired', 'rejected', 'failed'];

/** One organisation with deliveries, scripted carriers, and workers that come and go. */
export class DeliveryScenario {
  private readonly carriers = new ScriptedCarriers();
  private readonly messages: string[][] = [];
  /** By the provider's reference, what was reported of it; `expire` for those that waited too long. */
  private readonly reported = new Map<string, Set<string>>();
  private readonly ended = new Map<string, string>();
  private readonly overran = new Set<string>();
  private running: Promise<DeliveryWorker> | undefined;

  private constructor(
    private readonly fixture: DeliveryFixture,
    private readonly organisation: string,
  ) {}

  static async begin(fixture: DeliveryFixture): Promise<DeliveryScenario> {
    return new DeliveryScenario(fixture, await fixture.organisation(start));
  }

  async tell(next: Step): Promise<void> {
    switch (next.is) {
      case 'accept': {
        const recipients = Array.from({ length: next.recipients }, (_, index) => `+23480312345${10 + index}`);
        const options = { recipients, callback: 'https://example.com/callbacks' };
        this.messages.push((await this.fixture.accept(this.organisation, options)).deliveries);
        return;
      }
      case 'send': {
        // Claimed when it is inserted.
        const recipients = Array.from({ length: next.recipients }, (_, index) => `+23480312346${10 + index}`);
        const request = {
          recipients: recipients.join(),
          content: 'Hello',
          callback: 'https://example.com/callbacks',
        };
        await this.run(next.fate, async (worker) => {
          this.messages.push((await worker.accept(this.organisation, request)).deliveries);
          await worker.idle();
        });
        return;
      }
      case 'due': {
        const ids = this.messages[next.which % (this.messages.length || 1)];
        if (ids) await this.run(next.fate, (worker) => worker.due(this.organisation, ids));
        return;
      }
      case 'sweep':
        await this.fixture.makeDue();
        await this.run(next.fate, (worker) => worker.sweep());
        return;
      case 'expire':
        for (const { id, state } of await this.rows()) if (state === 'sent') this.overran.add(id);
        await this.fixture.endValidity();
        await (await this.worker()).reportSweeper.expire();
        return;
      case 'answer late': {
        this.carriers.inFlight.shift()?.();
        // Its effects take their time: the invariants hold before and after.
        await new Promise((resolve) => setTimeout(resolve, 5));
        return;
      }
      case 'report': {
        const taken = this.carriers.taken[next.which % (this.carriers.taken.length || 1)];
        if (!taken) return;
        const { provider, reference } = taken;
        const reports = Array.from({ length: next.times }, () => reportOf(reference, next.state, next.isDnd));
        this.note(reference, next.state, next.isDnd);
        await (await this.worker()).reports.receive(provider, reports);
        return;
      }
      case 'forge': {
        const taken = this.carriers.taken[next.which % (this.carriers.taken.length || 1)];
        const reports = [reportOf(`unknown-${next.which}`, next.state, true)];
        await (await this.worker()).reports.receive('askable', reports);
        // A reference of one provider means nothing for another.
        const other = taken?.provider === 'mute' ? 'askable' : 'mute';
        if (taken)
          await (await this.worker()).reports.receive(other, [reportOf(taken.reference, next.state, true)]);
        return;
      }
      case 'match parked':
        await (await this.worker()).reportSweeper.matchParked();
    }
  }

  /** The invariants. */
  async check(): Promise<void> {
    const { rows, available } = await this.look();
    const refunded = rows.filter((row) => row.refunded);
    expect(available).toBe(start - price * BigInt(rows.length - refunded.length));
    for (const row of rows) {
      const { id, state, reports } = row;
      const isRefundable =
        ['rejected', 'failed'].includes(state) || (state === 'undelivered' && row.code === 'dnd');
      expect({ id, state, refunded: row.refunded, refunds: row.refunds }).toEqual({
        id,
        state,
        refunded: isRefundable,
        refunds: isRefundable ? 1 : 0,
      });
      if (this.ended.has(id)) expect([id, state]).toEqual([id, this.ended.get(id)]);
      if (final.includes(state)) this.ended.set(id, state);
      const wasUnanswered = state === 'expired' && row.code === 'no_answer';
      expect([id, reports]).toEqual([id, wasUnanswered ? ['message.expired'] : reportsBefore(state)]);
      expect({ id, state, isGrounded: this.isGrounded(row) }).toEqual({ id, state, isGrounded: true });
      expect(this.carriers.takenOf(id).length).toBeLessThanOrEqual(1 + (this.carriers.doubts.get(id) ?? 0));
    }
  }

  /** All calls are answered, and each delivery ends. */
  async end(): Promise<void> {
    while (this.carriers.inFlight.length > 0) await this.tell({ is: 'answer late' });
    for (let round = 0; round < 3; round += 1) await this.tell({ is: 'sweep', fate: 'accepted' });
    // The others had their last attempt, and may have been accepted.
    for (const { id, state } of await this.rows()) if (state === 'submitting') this.overran.add(id);
    await this.fixture.endValidityOfOpen();
    await until('no delivery is open', async () => {
      await this.tell({ is: 'sweep', fate: 'accepted' });
      return (await this.rows()).every(({ state }) => !['queued', 'submitting'].includes(state));
    });
    await this.check();
    // A report counts as soon as the delivery has its reference, however early it was.
    const unheard = ({ state, reference }: Row) => state === 'sent' && this.reported.has(reference ?? '');
    expect((await this.rows()).filter(unheard)).toEqual([]);
    await this.tell({ is: 'expire' });
    await this.check();
    expect((await this.rows()).filter(({ state }) => !final.includes(state))).toEqual([]);
    await this.fixture.expectCleanLedger();
  }

  /** Whether something that happened outside justifies the state. */
  private isGrounded({ id, state, reference, code }: Row): boolean {
    const said = this.carriers.said.get(id) ?? new Set();
    const reported = this.reported.get(reference ?? '') ?? new Set();
    switch (state) {
      case 'sent':
        return this.carriers.takenOf(id).some((taken) => taken.reference === reference);
      case 'delivered':
        return reported.has('delivered');
      case 'undelivered':
        return reported.has(`undelivered ${code ?? ''}`);
      case 'expired':
        return reported.has('expired') || this.overran.has(id);
      case 'rejected':
        return said.has('rejected');
      case 'failed':
        return said.has('failed') || said.has('transient') || this.carriers.doubts.has(id);
      default:
        return true;
    }
  }

  private note(reference: string, state: DeliveryReport['state'], isDnd: boolean): void {
    if (state === 'sent') return;
    const what = state === 'undelivered' ? `undelivered ${isDnd ? 'dnd' : 'absent'}` : state;
    this.reported.set(reference, (this.reported.get(reference) ?? new Set()).add(what));
  }

  /** The process of a call that hangs never continues, unless its answer comes late: another one takes its place. */
  private async run(fate: Fate, work: (worker: DeliveryWorker) => Promise<unknown>): Promise<void> {
    const worker = await this.worker();
    this.carriers.fate = fate;
    const before = this.carriers.inFlight.length;
    const process = { ended: false };
    const running = work(worker).finally(() => {
      process.ended = true;
    });
    running.catch(() => undefined);
    await until(
      'the provider is called or the process ends',
      () => process.ended || this.carriers.inFlight.length > before,
    );
    if (process.ended) await running;
    else this.running = undefined;
    this.carriers.fate = 'accepted';
  }

  private worker(): Promise<DeliveryWorker> {
    this.running ??= this.fixture.worker({ named: this.carriers.providers, timeoutMs: 120_000 });
    return this.running;
  }

  private async rows(): Promise<readonly Row[]> {
    return (await this.look()).rows;
  }

  /** A snapshot: a late answer may be in progress. */
  private look(): Promise<{ rows: Row[]; available: bigint }> {
    return this.fixture.database.transaction(async (transaction) => {
      await transaction.execute(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`);
      const rows = await transaction.query<Row>(sql`
        SELECT id, state, refunded, provider, provider_reference AS reference, error_code AS code,
          (SELECT count(*)::int FROM ledger_movement WHERE subject_id = delivery.id AND kind = 'refund') AS refunds,
          ARRAY(SELECT type FROM callback WHERE resource_id = message_id
            AND body::jsonb -> 'data' ->> 'delivery_id' = delivery.id::text ORDER BY id) AS reports
        FROM delivery WHERE organisation_id = ${this.organisation} ORDER BY id`);
      return { rows, available: (await balancesOf(transaction, this.organisation)).available };
    });
  }
}

const reportOf = (
  providerReference: string,
  state: DeliveryReport['state'],
  isDnd: boolean,
): DeliveryReport => ({
  providerReference,
  state,
  ...(state === 'undelivered' && { reason: isDnd ? dnd : absent }),
});

/** The callbacks of a delivery in this state. */
function reportsBefore(state: string): string[] {
  if (['queued', 'submitting'].includes(state)) return [];
  const own = `message.${state}`;
  return ['sent', 'rejected', 'failed'].includes(state) ? [own] : ['message.sent', own];
}
