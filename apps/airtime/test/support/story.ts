import { type Balances, balancesOf } from '@gangan/billing';
import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { expect } from '@jest/globals';
import { Conclusions } from '../../src/settlement/conclusions.js';
import { type Held, heldColumns } from '../../src/settlement/held.js';
import { SettlementRepository } from '../../src/settlement/settlement.repository.js';
import { type Asking, type Fate, OutsideWorld } from './outside-world.js';
import type { Shop, Worker } from './shop.js';

export type Step =
  | { is: 'buy'; recipient: number; amount: number; ref: string | undefined }
  | { is: 'settle'; which: number; fate: Fate }
  | { is: 'sweep'; afterMs: number; fate: Fate; asking: Asking }
  | { is: 'stall' }
  | { is: 'wake' }
  | { is: 'arrive late' }
  | { is: 'report again'; which: number }
  | { is: 'resolve'; which: number; outcome: 'success' | 'failed' };

interface Row extends Held {
  readonly refunded: boolean;
  readonly booked: readonly string[];
  readonly reports: readonly string[];
}

const start = 100_000_000n;
const final = ['success', 'failed', 'duplicate'];
const outcomes: Readonly<Record<string, readonly string[]>> = {
  success: ['post', 'reserve'],
  failed: ['reserve', 'void'],
  duplicate: ['reserve', 'void'],
};

/** One organisation, its purchases, a provider with a will of its own, and workers that come and go. */
export class Story {
  private readonly outside = new OutsideWorld();
  private readonly ids: string[] = [];
  private readonly resolved = new Map<string, string>();
  private readonly stalled: Held[] = [];
  private readonly snapshots: Held[] = [];
  private ended = new Map<string, string>();

  private constructor(
    private readonly shop: Shop,
    private readonly organisation: string,
  ) {}

  static async begin(shop: Shop): Promise<Story> {
    return new Story(shop, await shop.organisation(start));
  }

  async tell(next: Step): Promise<void> {
    switch (next.is) {
      case 'buy': {
        const { amount, ref } = next;
        const wish = {
          callback: 'https://example.com/callbacks',
          amount,
          recipient: `0803000000${next.recipient}`,
          ...(ref !== undefined && { external_ref: ref }),
        };
        this.ids.push(await this.shop.buy(this.worker(), this.organisation, wish));
        return;
      }
      case 'settle': {
        const id = this.pick(next.which);
        if (id !== undefined) await this.run(next.fate, (worker) => worker.settlement.settle(id));
        return;
      }
      case 'sweep':
        this.outside.asking = next.asking;
        await this.shop.pass(next.afterMs);
        await this.run(next.fate, (worker) => worker.sweep());
        return;
      case 'stall':
        await this.shop.pass(0);
        this.stalled.push(...(await new SettlementRepository(this.shop.database).takeOverdue(5, 10_000)));
        return;
      case 'wake': {
        const held = this.stalled.shift();
        if (held) await this.run('succeeds', (worker) => worker.settlement.resume(held));
        return;
      }
      case 'arrive late':
        await this.heed(this.outside.oneArrivesLate());
        return;
      case 'report again': {
        const held = this.snapshots[next.which % (this.snapshots.length || 1)];
        if (held && this.outside.truth.get(held.id) === 'delivered')
          await new Conclusions(this.shop.database).conclude({ held, state: 'success', heard: true });
        return;
      }
      case 'resolve': {
        const id = this.pick(next.which);
        if (id === undefined || (await this.shop.stored(id)).state !== 'error' || this.resolved.has(id))
          return;
        this.resolved.set(id, next.outcome);
        await this.shop.resolve(id, next.outcome);
      }
    }
  }

  /** What holds at every moment. */
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
      if (booked.includes('loss'))
        expect([state, this.outside.truth.get(id)]).toEqual(['failed', 'delivered']);
      expect(this.outside.sent.get(id) ?? 0).toBeLessThanOrEqual(1);
      if (this.ended.has(id)) expect(state).toBe(this.ended.get(id));
      else if (final.includes(state)) this.expectNoGuess(id, state);
      expect(new Set(reports).size).toBe(reports.length);
      expect(reports.at(-1)).toBe(['pending', 'submitting'].includes(state) ? undefined : `airtime.${state}`);
    }
    this.expectNoTwins(
      rows.filter(({ state }) => ['submitting', 'sent', 'success', 'error'].includes(state)),
    );
  }

  /** Everybody answers now: each purchase ends as it must, and what was lost is known to the kobo. */
  async end(): Promise<void> {
    this.outside.asking = 'answers';
    while (this.outside.callsUnderWay > 0) await this.tell({ is: 'arrive late' });
    while (this.stalled.length > 0) await this.tell({ is: 'wake' });
    for (let round = 0; round < 3; round += 1)
      await this.tell({ is: 'sweep', afterMs: 60_000, fate: 'succeeds', asking: 'answers' });
    for (const [place] of this.ids.entries())
      await this.tell({ is: 'resolve', which: place, outcome: 'failed' });
    await this.tell({ is: 'sweep', afterMs: 0, fate: 'succeeds', asking: 'answers' });
    await until('all purchases are settled and booked', async () =>
      (await this.rows()).every((row) => final.includes(row.state) && !this.isUnbooked(row)),
    );
    await this.check();
    await this.shop.expectSoundLedger();
  }

  /** A success that was heard is a success, or a loss: whoever has the purchase in hand. */
  private async heed(id: string | undefined): Promise<void> {
    if (id === undefined || !this.outside.heard.has(id)) return;
    await until('the purchase succeeds or its loss is booked', async () =>
      (await this.rows()).some(
        (row) => row.id === id && (row.state === 'success' || row.booked.includes('loss')),
      ),
    );
  }

  /** Delivered, given back, and heard of: that has to be a loss. A person's word alone is nothing that was heard. */
  private isUnbooked({ id, state, booked }: Row): boolean {
    const { truth, heard } = this.outside;
    const known = heard.has(id) || (truth.get(id) === 'delivered' && !this.resolved.has(id));
    return known && state === 'failed' && !booked.includes('loss');
  }

  /** It has just ended, and what happened outside, or a person, says that it had to end so. */
  private expectNoGuess(id: string, state: string): void {
    this.ended.set(id, state);
    const known = [this.resolved.get(id), this.outside.truth.get(id) ?? 'nothing'];
    const grounds = { success: ['success', 'delivered'], failed: ['failed', 'refused', 'nothing'] };
    const right = grounds[state as 'success' | 'failed'];
    if (state === 'duplicate') expect(this.outside.sent.has(id)).toBe(false);
    else
      expect({ state, known, right: known.some((word) => right.includes(word ?? '')) }).toMatchObject({
        right: true,
      });
  }

  private expectNoTwins(gone: readonly Row[]): void {
    for (const [place, one] of gone.entries()) {
      for (const other of gone.slice(place + 1)) {
        const same = one.recipient === other.recipient && one.kobo === other.kobo;
        const distinct =
          one.externalRef !== null && other.externalRef !== null && one.externalRef !== other.externalRef;
        expect(same && !distinct).toBe(false);
      }
    }
  }

  /** The process of a call that dies is never heard of again, unless its answer comes late. */
  private async run(fate: Fate, work: (worker: Worker) => Promise<unknown>): Promise<void> {
    this.outside.fate = fate;
    const before = this.outside.callsUnderWay;
    const process = { ended: false };
    const hangs = fate.startsWith('dies') || this.outside.asking === 'hangs';
    const running = work(this.worker(hangs ? 120_000 : 2_000)).finally(() => {
      process.ended = true;
    });
    running.catch(() => undefined);
    await until(
      'the provider is called or the process ends',
      () => process.ended || this.outside.callsUnderWay > before,
    );
    if (process.ended) await running;
    this.outside.fate = 'succeeds';
  }

  private worker(callMs = 2_000): Worker {
    return this.shop.worker({ named: [this.outside.provider], callMs });
  }

  private pick(place: number): string | undefined {
    return this.ids[place % (this.ids.length || 1)];
  }

  private async rows(): Promise<readonly Row[]> {
    return (await this.look()).rows;
  }

  /** Everything as it was at one moment: a late answer may be settling meanwhile. */
  private look(): Promise<{ rows: Row[]; balances: Balances }> {
    return this.shop.database.transaction(async (transaction) => {
      await transaction.execute(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`);
      const rows = await transaction.query<Row>(sql`
        SELECT ${heldColumns}, refunded,
          ARRAY(SELECT kind::text FROM ledger_transaction WHERE subject_id = airtime_purchase.id ORDER BY kind::text) AS booked,
          ARRAY(SELECT type::text FROM callback WHERE resource_id = airtime_purchase.id ORDER BY id) AS reports
        FROM airtime_purchase WHERE organisation_id = ${this.organisation} ORDER BY id`);
      return { rows, balances: await balancesOf(transaction, this.organisation) };
    });
  }
}
