import { setTimeout as pause } from 'node:timers/promises';
import { revokeKey, rotateKey } from '@gangan/database';
import { isFullSuite, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningGateway } from './support/running-gateway.js';
import { GatewayFixture, keyCache } from './support/gateway-fixture.js';

/** The time after which a revoked key is rejected: as documented in the full suite, and with a short cache in the fast one. */
const noticedMs = isFullSuite ? 5_000 : 1_000;
const options = isFullSuite ? {} : { replaced: [keyCache(600)] };

describe('a key on two gateways', () => {
  let fixture: GatewayFixture;
  let gateways: readonly [RunningGateway, RunningGateway];
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateways = [await fixture.gateway(options), await fixture.gateway(options)];
  });
  afterAll(() => fixture.stop());

  /** A request without its field: 400 behind the requestModules, 401 before it. */
  const knock = async (gateway: RunningGateway, key: string) =>
    (await gateway.call({ path: '/lookup/phone', headers: [['authorization', key]] })).status;
  const everywhere = (key: string) => Promise.all(gateways.map((gateway) => knock(gateway, key)));

  it('is rejected by both soon after its revocation, even while it is in use', async () => {
    const { key, id } = await fixture.issueKey();
    expect(await everywhere(key)).toEqual([400, 400]);
    await revokeKey(fixture.database, id);
    const revokedAt = performance.now();
    // Use of the key must not extend its cache entry.
    while (performance.now() - revokedAt < noticedMs) {
      await everywhere(key);
      await pause(20);
    }
    expect(await everywhere(key)).toEqual([401, 401]);
  });

  it('is rotated without a rejected request', async () => {
    const { key: old, id } = await fixture.issueKey();
    let current = old;
    let busy = true;
    const statuses = new Map<number, number>();
    /** The callers that have no request with the old key in flight any more. */
    const switched = new Set<number>();
    const callers = Array.from({ length: 8 }, async (_, turn): Promise<void> => {
      while (busy) {
        if (current !== old) switched.add(turn);
        const status = await knock(gateways[turn % 2] as RunningGateway, current);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    const untilServed = async (): Promise<void> => {
      const served = (): number => [...statuses.values()].reduce((sum, count) => sum + count, 0);
      const before = served();
      await until('requests are answered', () => served() >= before + (isFullSuite ? 100 : 20));
    };

    await untilServed();
    const rotation = await fixture.database.$transaction((models) =>
      rotateKey(models, id, { overlapMs: 3_600_000 }),
    );
    if (!rotation.ok) throw new Error(rotation.because);
    const successor = rotation.issued.key;
    await untilServed();
    current = successor;
    await until('all callers have switched', () => switched.size === callers.length);
    // The end of the overlap.
    await fixture.database.apiKey.update({ where: { id }, data: { expiresAt: new Date() } });
    await pause(noticedMs);
    await untilServed();
    busy = false;
    await Promise.all(callers);

    expect([...statuses.keys()]).toEqual([400]);
    expect(await everywhere(old)).toEqual([401, 401]);
    expect(await everywhere(successor)).toEqual([400, 400]);
  });
});
