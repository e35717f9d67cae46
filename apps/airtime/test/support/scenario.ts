import { type Balances, balancesOf } from '@gangan/billing';
import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { expect } from '@jest/globals';
import { PurchaseFinisher } from '../../src/settlement/finish-purchases.js';
import { type ClaimedPurchase, claimedColumns } from '../../src/purchase.js';
import type { AirtimeProvider } from '../../src/providers/airtime-provider.js';
import type { Carriers } from './carriers.js';
import type { Fate, QueryBehaviour } from './simulated-carrier.js';
import type { TestAirtime, Worker } from './test-airtime.js';

export type Step =
  | { is: 'buy'; recipient: number; amount: number; ref: string | undefined }
  | { is: 'settle'; which: number; fates: readonly Fate[] }
  | { is: 'sweep'; afterMs: number; fates: readonly Fate[]; queries: QueryBehaviour }
  | { is: 'stall' }
  | { is: 'wake' }
  | { is: 'arrive late' }
  | { is: 'report again'; which: number }
  | { is: 'resolve'; which: number; outcome: 'success' | 'failed' };

interface Row extends ClaimedPurchase {
  readonly refunded: boolean;
  readonly booked: readonly string[];
  readonly reports: readonly string[];
}

const start = 100_000_000n;
const patientMs = 2_000;
/** Longer than a test: the process dies during its call. */
const hangingMs = 120_000;
const final = ['success', 'failed', 'duplicate'];
const outcomes: Readonly<Record<string, readonly string[]>> = {
  success: ['post', 'reserve'],
  failed: ['reserve', 'void'],
  duplicate: ['reserve', 'void'],
};

/** The workers of one scenario after the other: creating one takes longer than a step. */
export class ScenarioWorkers {
  private readonly named: AirtimeProvider[] = [];
  /** By the timeout of their calls. */
  private readonly idle = new Map<number, Worker[]>();
  private staller: Worker | undefined;

  constructor(private readonly airtime: TestAirtime) {}

  /** Sets the providers of all workers. */
  route(named: readonly AirtimeProvider[]): void {
    this.named.splice(0, this.named.length, ...named);
  }

  /** A worker that has not ended its task is not used for another one. */
  async use(callMs: number, task: (worker: Worker) => Promise<unknown>): Promise<void> {
    const idle = this.idle.get(callMs) ?? [];
    this.idle.set(callMs, idle);
    const worker = idle.pop() ?? (await this.airtime.worker({ named: this.named, callMs }));
    try {
      await task(worker);
    } finally {
      idle.push(worker);
    }
  }

  /** Claims what is due, in a worker that does nothing else. */
  async claim(): Promise<ClaimedPurchase[]> {
    this.staller ??= await this.airtime.worker();
    return this.staller.claim();
  }
}

/** One organisation and its purchases, a route of unreliable providers, and workers that come and go. */
export class Scenario {
  private readonly ids: string[] = [];
  private readonly resolved = new Map<string, string>();
  private readonly stalled: ClaimedPurchase[] = [];
  private readonly snapshots: ClaimedPurchase[] = [];
  private ended = new Map<string, string>();

  private constructor(
    private readonly airtime: TestAirtime,
    private readonly workers: ScenarioWorkers,
    private readonly organisation: string,
    private readonly carriers: Carriers,
  ) {}

  static async begin(airtime: TestAirtime, workers: ScenarioWorkers, carriers: Carriers): Promise<Scenario> {
    workers.route(carriers.providers);
    return new Scenario(airtime, workers, await airtime.organisation(start), carriers);
  }

  async run(next: Step): Promise<void> {
    switch (next.is) {
      case 'buy': {
        const { amount, ref } = next;
        const request = {
          callback: 'https://example.com/callbacks',
          amount,
          recipient: `0803000000${next.recipient}`,
          ...(ref !== undefined && { external_ref: ref }),
        };
        await this.workers.use(patientMs, async (worker) => {
          this.ids.push(await this.airtime.buy(worker, this.organisation, request));
        });
        return;
      }
      case 'settle': {
        const id = this.pick(next.which);
        if (id !== undefined) await this.work(next.fates, (worker) => worker.settlement.settle(id));
        return;
      }
      case 'sweep':
        this.carriers.queries = next.queries;
        await this.airtime.pass(next.afterMs);
        await this.work(next.fates, (worker) => worker.sweep());
        return;
      case 'stall':
        await this.airtime.pass(0);
        this.stalled.push(...(await this.workers.claim()));
        return;
      case 'wake': {
        const purchase = this.stalled.shift();
        if (purchase) await this.work([], (worker) => worker.settlement.resume(purchase));
        return;
      }
      case 'arrive late':
        await this.expectCounted(this.carriers.oneArrivesLate());
        return;
      case 'report again': {
        const purchase = this.snapshots[next.which % (this.snapshots.length || 1)];
        if (purchase && this.carriers.truth(purchase.id) === 'delivered')
          await new PurchaseFinisher(this.airtime.database).finish({
            purchase,
            to: 'success',
            confirmed: true,
          });
        return;
      }
      case 'resolve': {
        const id = this.pick(next.which);
        if (id === undefined || this.resolved.has(id)) return;
        if (!['sent', 'error'].includes((await this.airtime.stored(id)).state)) return;
        this.resolved.set(id, next.outcome);
        await this.airtime.resolve(id, next.outcome);
      }
    }
  }

  /** Checks what must hold after every step. */
  async check(): Promise<void> {
    const { rows, balances } = await this.look();
    this.snapshots.push(...rows.filter(({ state }) => state === 'sent' || state === 'submitting'));
    const sum = (chosen: readonly Row[]) => chosen.reduce((total, { kobo }) => total + kobo, 0n);
    const open = rows.filter(({ state }) => !final.includes(state));
    const earned = rows.filter(({ state }) => state === 'success');
    expect(balances).toEqual({
      available: start - sum(open) - sum(earned),
      reserved: sum(open),
    });
    for (const { id, state, refunded, booked, reports } of rows) {
      expect([state, refunded]).toEqual([state, state === 'failed' || state === 'duplicate']);
      expect([state, booked.filter((kind) => kind !== 'loss')]).toEqual([
        state,
        outcomes[state] ?? ['reserve'],
      ]);
      if (booked.includes('loss')) expect([state, this.carriers.truth(id)]).toEqual(['failed', 'delivered']);
      expect(this.carriers.sent(id)).toBeLessThanOrEqual(1);
      if (this.ended.has(id)) expect(state).toBe(this.ended.get(id));
      else if (final.includes(state)) this.expectNoGuess(id, state);
      expect(new Set(reports).size).toBe(reports.length);
      expect(reports.at(-1)).toBe(['pending', 'submitting'].includes(state) ? undefined : `airtime.${state}`);
    }
    this.expectNoDuplicates(
      rows.filter(({ state }) => ['submitting', 'sent', 'success', 'error'].includes(state)),
    );
  }

  /** All calls are answered now: each purchase ends as it must, and all losses are booked. */
  async end(): Promise<void> {
    this.carriers.queries = 'answers';
    while (this.carriers.callsInFlight > 0) await this.run({ is: 'arrive late' });
    while (this.stalled.length > 0) await this.run({ is: 'wake' });
    for (let round = 0; round < 3; round += 1)
      await this.run({ is: 'sweep', afterMs: 600_000, fates: [], queries: 'answers' });
    // What can still not be found out is an error after a day.
    await this.run({ is: 'sweep', afterMs: 90_000_000, fates: [], queries: 'answers' });
    for (const [index] of this.ids.entries())
      await this.run({ is: 'resolve', which: index, outcome: 'failed' });
    await this.run({ is: 'sweep', afterMs: 0, fates: [], queries: 'answers' });
    await until('all purchases are settled and booked', async () =>
      (await this.rows()).every((row) => final.includes(row.state) && !this.isUnbooked(row)),
    );
    await this.check();
    await this.airtime.expectSoundLedger();
  }

  /** A reported success ends as success or as a loss, even if another worker has claimed the purchase. */
  private async expectCounted(id: string | undefined): Promise<void> {
    if (id === undefined || !this.carriers.isReported(id)) return;
    await until('the purchase succeeds or its loss is booked', async () =>
      (await this.rows()).some(
        (row) => row.id === id && (row.state === 'success' || row.booked.includes('loss')),
      ),
    );
  }

  /** Delivered, refunded and reported, but not booked as a loss. A resolution by an operator is not a report. */
  private isUnbooked({ id, state, booked }: Row): boolean {
    const isDelivered = this.carriers.truth(id) === 'delivered';
    const known = this.carriers.isReported(id) || (isDelivered && !this.resolved.has(id));
    return known && state === 'failed' && !booked.includes('loss');
  }

  /** A purchase that has just ended must match what happened at the provider, or what an operator found. */
  private expectNoGuess(id: string, state: string): void {
    this.ended.set(id, state);
    const known = [this.resolved.get(id), this.carriers.truth(id) ?? 'nothing'];
    const grounds = { success: ['success', 'delivered'], failed: ['failed', 'refused', 'nothing'] };
    const right = grounds[state as 'success' | 'failed'];
    if (state === 'duplicate') expect(this.carriers.sent(id)).toBe(0);
    else
      expect({ state, known, right: known.some((word) => right.includes(word ?? '')) }).toMatchObject({
        right: true,
      });
  }

  private expectNoDuplicates(gone: readonly Row[]): void {
    for (const [index, one] of gone.entries()) {
      for (const other of gone.slice(index + 1)) {
        const same = one.recipient === other.recipient && one.kobo === other.kobo;
        const distinct =
          one.externalRef !== null && other.externalRef !== null && one.externalRef !== other.externalRef;
        expect(same && !distinct).toBe(false);
      }
    }
  }

  /** If the worker dies during its call, nothing follows unless the result arrives late. */
  private async work(fates: readonly Fate[], task: (worker: Worker) => Promise<unknown>): Promise<void> {
    this.carriers.decide(fates);
    const before = this.carriers.callsInFlight;
    const process = { ended: false };
    const hangs = fates.some((fate) => fate.startsWith('dies')) || this.carriers.queries === 'hangs';
    const running = this.workers.use(hangs ? hangingMs : patientMs, task).finally(() => {
      process.ended = true;
    });
    const called = until(
      'the provider is called or the process ends',
      () => process.ended || this.carriers.callsInFlight > before,
    );
    await Promise.race([called, running.catch(() => undefined)]);
    if (process.ended) await running;
    this.carriers.decide([]);
  }

  private pick(index: number): string | undefined {
    return this.ids[index % (this.ids.length || 1)];
  }

  private async rows(): Promise<readonly Row[]> {
    return (await this.look()).rows;
  }

  /** Reads everything in one snapshot: a late result may be settling meanwhile. */
  private look(): Promise<{ rows: Row[]; balances: Balances }> {
    return this.airtime.database.transaction(async (transaction) => {
      await transaction.execute(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`);
      const rows = await transaction.query<Row>(sql`
        SELECT ${claimedColumns}, refunded,
          ARRAY(SELECT kind::text FROM ledger_movement WHERE subject_id = purchase.id ORDER BY kind::text) AS booked,
          ARRAY(SELECT type::text FROM callback WHERE resource_id = purchase.id ORDER BY id) AS reports
        FROM airtime_purchase AS purchase WHERE organisation_id = ${this.organisation} ORDER BY id`);
      return { rows, balances: await balancesOf(transaction, this.organisation) };
    });
  }
}
