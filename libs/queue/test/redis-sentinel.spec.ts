import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWithRedis } from '@gangan/testing';
import { firstValueFrom } from 'rxjs';
import { askValue } from './support/contracts.js';
import { SentinelBroker } from './support/sentinel-broker.js';
import { System } from './support/system.js';
import { until } from './support/until.js';

describeWithRedis('the transport behind Redis Sentinel', () => {
  let broker: SentinelBroker;

  beforeAll(async () => {
    broker = await SentinelBroker.start();
  }, 60_000);
  afterAll(async () => {
    await broker.stop();
  });

  it('answers, and answers again after a failover', async () => {
    const system = new System({ kind: 'redis', url: broker.url });
    await system.worker();
    const { client } = await system.gateway();
    const ask = (text: string): Promise<string> =>
      firstValueFrom(client.send(askValue, { text })).then((answer) => answer.text);
    expect(await ask('before')).toBe('before!');
    await broker.loseMaster();
    await until(() =>
      ask('after').then(
        (text) => text === 'after!',
        () => false,
      ),
    );
    await system.close();
  }, 60_000);
});
