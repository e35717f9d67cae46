import type { AppLogger } from '@gangan/runtime';
import { until } from '@gangan/testing';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { AttemptService } from '../attempts/attempt.service.js';
import { CallbackConfig } from '../callback.config.js';
import type { CallbackMetrics } from '../callback.metrics.js';
import type { ClaimsRepository, DueCallback } from './claims.repository.js';
import { Dispatcher } from './dispatcher.js';
import type { Host, HostState, SlotShare } from './host-limits.js';

it('does not claim more and more hosts of an organisation that has no free slot', async () => {
  const claimed: string[] = [];
  const claim = (hosts: readonly Host[], share: (states: readonly HostState[]) => SlotShare[]) => {
    claimed.push(...hosts.map(({ organisationId }) => organisationId));
    const untried = { responseMs: null, failures: 0, isOpen: false, inFlight: 0 };
    return Promise.resolve({
      shares: share(hosts.map((host) => ({ ...host, ...untried }))),
      callbacks: [],
      busy: [],
      moved: [],
    });
  };
  const dispatcher = new Dispatcher(
    { claim } as unknown as ClaimsRepository,
    {} as AttemptService,
    {} as CallbackMetrics,
    {} as AppLogger,
    new CallbackConfig({ CALLBACK_CONCURRENCY: 0, CALLBACK_SLOW_CONCURRENCY: 0 }),
  );
  const count = (organisationId: string): number => claimed.filter((id) => id === organisationId).length;
  const add = (organisationId: string, hosts: number): void => {
    dispatcher.add(Array.from({ length: hosts }, (_, host) => ({ organisationId, host: `${host}.example` })));
  };
  add('many', 5_000);
  expect(dispatcher.fullOrganisations()).toEqual(['many']);
  await until('the first hosts are claimed', () => count('many') >= 1_000);
  add('many', 5_000);
  add('one', 1);
  await until('the host of the other organisation is claimed', () => count('one') === 1);
  expect(count('many')).toBe(1_000);
});

describe('callbacks that are claimed ahead', () => {
  const host = { organisationId: 'o', host: 'h' };
  const opened: Dispatcher[] = [];
  const stores: ((isOpen: boolean) => void)[] = [];
  afterEach(async () => {
    const stopped = opened.splice(0).map((dispatcher) => dispatcher.beforeApplicationShutdown());
    for (const store of stores.splice(0)) store(false);
    await Promise.all(stopped);
  });

  /** A dispatcher that may have two attempts of a host in flight, and a host that works. */
  function open({ due = 100, isOpen = (): boolean => false } = {}) {
    const attempts: {
      readonly id: string;
      readonly answer: () => void;
      readonly store: (isOpen: boolean) => void;
    }[] = [];
    const sizes: number[] = [];
    const released: string[] = [];
    let claimed = 0;
    const claim = async (hosts: readonly Host[], share: (states: readonly HostState[]) => SlotShare[]) => {
      await Promise.resolve();
      const state = { responseMs: 5, failures: 0, isOpen: isOpen(), inFlight: 0 };
      const shares = share(hosts.map((each) => ({ ...each, ...state })));
      const size = shares.reduce((sum, { slots, ahead }) => sum + slots + ahead, 0);
      const ids = Array.from({ length: Math.min(size, due - claimed) }, () => (claimed += 1));
      sizes.push(ids.length);
      const callbacks = ids.map((id) => ({ ...host, id: String(id).padStart(3, '0'), dueAt: new Date(0) }));
      return { shares, callbacks: callbacks.toReversed(), busy: [], moved: [] };
    };
    const release = (callbacks: readonly DueCallback[]): Promise<void> => {
      released.push(...callbacks.map(({ id }) => id));
      return Promise.resolve();
    };
    const make = ({ id }: DueCallback, answer: () => void): Promise<boolean> =>
      new Promise((store) => {
        stores.push(store);
        attempts.push({ id, answer, store });
      });
    const dispatcher = new Dispatcher(
      { claim, release } as unknown as ClaimsRepository,
      { make } as unknown as AttemptService,
      { inFlight: { set: jest.fn() }, postponed: { inc: jest.fn() } } as unknown as CallbackMetrics,
      {} as AppLogger,
      new CallbackConfig({ CALLBACK_CONCURRENCY: 64, CALLBACK_HOST_CONCURRENCY: 2 }),
    );
    opened.push(dispatcher);
    dispatcher.add([host]);
    const started = (): string[] => attempts.map(({ id }) => id);
    return { dispatcher, attempts, sizes, released, started };
  }
  const turn = () => new Promise(setImmediate);

  it('are sent in order, each when an answer is there, and before its result is stored', async () => {
    const { attempts, sizes, started } = open();
    await turn();
    expect([sizes, started()]).toEqual([[8], ['001', '002']]);
    attempts[0]?.answer();
    expect(started()).toEqual(['001', '002', '003']);
    attempts[0]?.store(false);
    await turn();
    expect(started()).toEqual(['001', '002', '003']);
    for (const nth of [1, 2, 3]) attempts[nth]?.answer();
    await turn();
    expect(started()).toEqual(['001', '002', '003', '004', '005', '006']);
    expect(sizes).toEqual([8, 4]);
  });

  it('wait for the result of an attempt that failed', async () => {
    const { attempts, started } = open();
    await turn();
    attempts[0]?.store(false);
    expect(started()).toHaveLength(2);
    await turn();
    expect(started()).toHaveLength(3);
  });

  it('are released when the circuit of the host opens', async () => {
    let isOpen = false;
    const { attempts, released, started } = open({ isOpen: () => isOpen });
    await turn();
    isOpen = true;
    attempts[0]?.store(true);
    await turn();
    expect([started(), released]).toEqual([
      ['001', '002'],
      ['003', '004', '005', '006', '007', '008'],
    ]);
  });

  it('are released if they wait for too long, and claimed again after an answer', async () => {
    const { dispatcher, attempts, sizes, released } = open();
    await turn();
    const later = performance.now() + 3_001;
    const now = jest.spyOn(performance, 'now').mockReturnValue(later);
    await dispatcher.releaseLate();
    now.mockRestore();
    expect(released).toHaveLength(6);
    dispatcher.add([host]);
    await turn();
    expect(sizes).toEqual([8]);
    attempts[0]?.answer();
    await turn();
    expect(sizes).toHaveLength(2);
  });

  it('are released when the worker stops, which waits for the attempts in flight', async () => {
    const { dispatcher, attempts, released, started } = open();
    await turn();
    let isStopped = false;
    const stopping = dispatcher.beforeApplicationShutdown().then(() => (isStopped = true));
    await turn();
    expect([released.length, isStopped]).toEqual([6, false]);
    for (const { store } of attempts) store(false);
    await stopping;
    expect(started()).toHaveLength(2);
  });

  it('are no more than are due', async () => {
    const { attempts, sizes, started } = open({ due: 3 });
    await turn();
    for (let nth = 0; nth < 3; nth += 1) {
      attempts[nth]?.answer();
      await turn();
    }
    expect([sizes, started().length]).toEqual([[3, 0], 3]);
  });
});
