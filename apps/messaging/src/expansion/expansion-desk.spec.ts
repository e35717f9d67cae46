import type { AppLogger } from '@gangan/runtime';
import { describe, expect, it, jest } from '@jest/globals';
import { ExpansionDesk } from './expansion-desk.js';
import type { ExpansionRepository } from './expansion.repository.js';
import type { ExpansionService } from './expansion.service.js';
import { type Held, LeaseLost, type LeasesRepository } from './leases.repository.js';

const heldOf = (stalls: number): Held => ({ messageId: 'm', organisationId: 'o', attempt: stalls, stalls });

describe('where smartlists are expanded', () => {
  /** With these waiting, and work that ends as `carryOn` does. */
  async function deskWith(waiting: Held[], carryOn: (held: Held) => Promise<void>) {
    const giveBack = jest.fn(() => Promise.resolve());
    const finish = jest.fn(() => Promise.resolve());
    const leases = { take: () => Promise.resolve(waiting.shift()), giveBack };
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const desk = new ExpansionDesk(
      leases as unknown as LeasesRepository,
      { carryOn } as unknown as ExpansionService,
      { finish } as unknown as ExpansionRepository,
      log as unknown as AppLogger,
    );
    await desk.look();
    await desk.idle();
    return { giveBack, finish };
  }

  it('all that waits is carried on with, at most two at a time', async () => {
    let [underWay, most] = [0, 0];
    const done: number[] = [];
    await deskWith([1, 2, 3, 4, 5].map(heldOf), async ({ stalls }) => {
      most = Math.max(most, (underWay += 1));
      await new Promise(setImmediate);
      underWay -= 1;
      done.push(stalls);
    });
    expect([done.sort(), most]).toEqual([[1, 2, 3, 4, 5], 2]);
  });

  it('what fails is tried again, later and later, and ended at last', async () => {
    const fail = () => Promise.reject(new Error('contacts are away'));
    const { giveBack, finish } = await deskWith([1, 5, 149, 150].map(heldOf), fail);
    expect(giveBack.mock.calls).toEqual([
      [heldOf(1), 500],
      [heldOf(5), 8_000],
      [heldOf(149), 600_000],
    ]);
    expect(finish.mock.calls).toEqual([[heldOf(150), 'failed']]);
  });

  it('what others have taken up is left to them', async () => {
    const { giveBack, finish } = await deskWith([heldOf(200)], () => Promise.reject(new LeaseLost()));
    expect([giveBack.mock.calls, finish.mock.calls]).toEqual([[], []]);
  });
});
