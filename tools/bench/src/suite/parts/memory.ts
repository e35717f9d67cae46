import { setTimeout as pause } from 'node:timers/promises';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import { megabytesOf } from '../../environment/processor-time.js';
import type { Child } from '../../processes/child.js';
import { SmsRun } from '../../sms/sms-run.js';
import { median } from '../../statistics.js';
import { part } from '../part.js';
import { atMost, type Group, type Point, type SuiteContext } from '../scenario.js';
import { organisations } from './message-points.js';

const load = { recipients: 1, organisations, connections: 64, seconds: 10 };
const firstMinute = 60_000;
/** Memory rises and falls with garbage collection, so the median of several readings counts. */
const readings = 20;
const betweenMs = 500;

/** The system under load until memory has been read for the second time. */
const memoryGroup: Group<SmsRun> = {
  title: 'memory',
  needs: ['redis', 'proc'],
  long: true,
  rounds: 1,
  warmsUp: false,
  open: async (resources) => SmsRun.start(await BenchEnvironment.start('redis', resources), organisations),
  verify: (run) => run.audit(),
};

/** How much the memory of gateway and worker has grown since the first minute, in MB. */
const growthUnderLoad: Point<SmsRun> = {
  title: 'memory after one minute of load',
  measure: async (run, context) => {
    const watching = new AbortController();
    const loaded = keepLoaded(run, watching.signal, context);
    const growth = watchMemory(run, context).finally(() => {
      watching.abort();
    });
    const [figures] = await Promise.all([growth, loaded]);
    return figures;
  },
};

async function keepLoaded(run: SmsRun, signal: AbortSignal, { print }: SuiteContext): Promise<void> {
  let messages = 0;
  while (!signal.aborted) {
    messages += (await run.measure('delivering', load)).succeeded;
    print(`memory: ${messages.toLocaleString('en')} messages sent`);
  }
}

async function watchMemory({ servers: { gateways, workers } }: SmsRun, { minutes }: SuiteContext) {
  await pause(firstMinute);
  const before = [await memoryOf(gateways), await memoryOf(workers)] as const;
  await pause((minutes - 1) * 60_000);
  const after = [await memoryOf(gateways), await memoryOf(workers)] as const;
  return { gateway: after[0] - before[0], worker: after[1] - before[1] };
}

async function memoryOf([process]: readonly Child[]): Promise<number> {
  const megabytes: number[] = [];
  for (let reading = 0; reading < readings; reading += 1) {
    megabytes.push(await megabytesOf(process?.pid ?? 0));
    await pause(betweenMs);
  }
  return median(megabytes);
}

const growth = { of: growthUnderLoad, unit: 'MB', bar: atMost(30) };

export const memory = part(memoryGroup, [
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
]);
