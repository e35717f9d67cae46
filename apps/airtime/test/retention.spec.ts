import { sql } from '@gangan/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SimulatorPruner } from '../src/providers/simulator/simulator-pruner.js';
import { Shop, type Worker } from './support/shop.js';

const unknownForEver = '+2347000000007';

describe('what the simulator was told', () => {
  let shop: Shop;
  let worker: Worker;
  let organisation: string;
  beforeAll(async () => {
    shop = await Shop.open();
    worker = shop.worker();
  }, 60_000);
  afterAll(() => shop.close());
  beforeEach(async () => {
    organisation = await shop.organisation();
    await shop.database.execute(sql`DELETE FROM simulated_top_up`);
  });

  const prune = async (): Promise<void> => {
    const pruner = new SimulatorPruner(shop.database);
    for (let more = true; more;) more = await pruner.prune();
  };

  async function settled(ageDays: number, recipient?: string): Promise<string> {
    const id = await shop.buy(worker, organisation, {
      external_ref: String(ageDays),
      ...(recipient && { recipient }),
    });
    await worker.settlement.settle(id);
    await shop.database.execute(sql`
      UPDATE simulated_top_up SET id = uuidv7(-${ageDays}::int * interval '1 day') WHERE reference = ${id}::uuid`);
    return id;
  }

  const remembered = async (): Promise<string[]> => (await shop.toppedUp()).map(({ reference }) => reference);

  it('is forgotten after 90 days, and the purchase is not', async () => {
    const old = await settled(91);
    const young = await settled(89);
    await prune();
    expect(await remembered()).toEqual([young]);
    expect(await shop.stored(old)).toMatchObject({ state: 'success' });
  });

  it('stays while it may still be asked for: no money is given back for what was delivered', async () => {
    const id = await settled(91, '+2347000000005');
    await prune();
    expect(await remembered()).toEqual([id]);
    await shop.pass(600_000);
    await worker.sweep();
    expect(await shop.stored(id)).toMatchObject({ state: 'success', refunded: false });
    await prune();
    expect(await remembered()).toEqual([]);
  });

  it('stays while a person has to find out', async () => {
    const id = await settled(91, unknownForEver);
    await shop.pass(25 * 3_600_000);
    await worker.sweep();
    expect(await shop.stored(id)).toMatchObject({ state: 'error' });
    await prune();
    expect(await remembered()).toEqual([id]);
  });

  it('may be pruned by several at once, in portions', async () => {
    await shop.database.execute(sql`
      INSERT INTO simulated_top_up (id, reference, network, recipient, amount_kobo, outcome)
      SELECT uuidv7(interval '-91 days'), uuidv7(), 'MTN', '+2348031234567', 10000, 'success'
      FROM generate_series(1, 1200)`);
    await Promise.all([prune(), prune(), prune()]);
    expect(await remembered()).toEqual([]);
  });
});
