import type { AppLogger } from '@gangan/runtime';
import { until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import type { AttemptService } from '../attempts/attempt.service.js';
import { CallbackConfig } from '../callback.config.js';
import type { CallbackMetrics } from '../callback.metrics.js';
import type { ClaimsRepository } from './claims.repository.js';
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
