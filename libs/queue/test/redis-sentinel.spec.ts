import { afterAll, beforeAll, it } from '@jest/globals';
import { describeWithRedis, until } from '@gangan/testing';
import { firstValueFrom } from 'rxjs';
import { askQuickly } from './support/contracts.js';
import { SentinelBroker } from './support/sentinel-broker.js';
import { System } from './support/system.js';

describeWithRedis('the transport behind Redis Sentinel', () => {
  let broker: SentinelBroker;

  beforeAll(async () => {
    broker = await SentinelBroker.start();
  });
  afterAll(async () => {
    await broker.stop();
  });

  it('replies before and after a failover', async () => {
    const system = new System({ kind: 'redis', url: broker.url });
    await system.worker();
    const { client } = await system.gateway();
    const answered = (text: string): Promise<boolean> =>
      firstValueFrom(client.send(askQuickly, { text })).then(
        (answer) => answer.text === `${text}!`,
        () => false,
      );
    await until('the queue answers', () => answered('before'));
    await broker.loseMaster();
    await until('the queue answers after the failover', () => answered('after'));
    await system.close();
  });
});
