import { setTimeout as pause } from 'node:timers/promises';
import type { ScriptProcess } from '@gangan/testing';
import { megabytesOf } from '../../environment/processor-time.js';
import { SmsRun } from '../../sms/sms-run.js';
import { median } from '../../statistics.js';
import type { Part } from '../scenario.js';

/** Memory rises and falls with garbage collection, so the median of several readings counts. */
const readings = 20;
const betweenMs = 500;

const growth = { of: 'memory after one minute of load', unit: 'MB', bar: { atMost: 30 } };

export const memory: Part = {
  title: 'memory',
  needs: ['redis', 'proc'],
  long: true,
  rounds: 1,
  open: async (resources) => {
    const run = await SmsRun.start('redis', resources);
    const { gateways, workers } = run.servers;
    const afterLoad = async (minutes: number) => {
      await run.measure({ server: 'delivering', connections: 64 }, minutes * 60);
      return { gateway: await memoryOf(gateways), worker: await memoryOf(workers) };
    };
    return {
      measure: async (_, { minutes }) => {
        const before = await afterLoad(1);
        const after = await afterLoad(minutes - 1);
        return { gateway: after.gateway - before.gateway, worker: after.worker - before.worker };
      },
      verify: () => run.audit(),
    };
  },
  scenarios: [
    {
      ...growth,
      name: 'memory-gateway',
      title: 'growth of the memory of the gateway from minute 1 to 10 of load',
      figure: 'gateway',
      limit: 'garbage collection decides when memory is freed',
    },
    {
      ...growth,
      name: 'memory-worker',
      title: 'the same of the messaging worker',
      figure: 'worker',
      limit: 'the same',
    },
  ],
};

async function memoryOf([process]: readonly ScriptProcess[]): Promise<number> {
  const megabytes: number[] = [];
  for (let reading = 0; reading < readings; reading += 1) {
    megabytes.push(await megabytesOf(process?.pid ?? 0));
    await pause(betweenMs);
  }
  return median(megabytes);
}
