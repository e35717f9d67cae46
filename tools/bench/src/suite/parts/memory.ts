import { setTimeout as pause } from 'node:timers/promises';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import { residentMegabytes } from '../../environment/processor-time.js';
import { median } from '../../report/measurement.js';
import { SmsRun } from '../../sms/sms-run.js';
import { part } from '../part.js';
import { atMost, type Group, type Point, type SuiteContext } from '../scenario.js';
import { organisations } from './message-points.js';

const firstMinute = 60;
/** Memory rises and falls with garbage collection, so the median of several readings counts. */
const readings = 20;
const betweenMs = 500;
const loadSeconds = 10;

/** The system under load until memory has been read for the second time. */
const memoryGroup: Group<SmsRun> = {
  title: 'memory',
  rounds: 1,
  warmsUp: false,
  open: ({ track }, work) =>
    BenchEnvironment.for('redis', track, async (environment) =>
      work(await SmsRun.start(environment, organisations)),
    ),
  verify: (run) => run.audit(),
};

/** How much the memory of gateway and worker has grown since the first minute, in MB. */
const growthUnderLoad: Point<SmsRun> = {
  title: 'memory after one minute of load',
  measure: async (run, context) => {
    const load = new AbortController();
    const loaded = keepLoaded(run, load.signal, context);
    const growth = watchMemory(run, context).finally(() => {
      load.abort();
    });
    const [figures] = await Promise.all([growth, loaded]);
    return figures;
  },
};

async function keepLoaded(run: SmsRun, signal: AbortSignal, { print }: SuiteContext): Promise<void> {
  let messages = 0;
  while (!signal.aborted) {
    const { succeeded } = await run.measure('delivering', {
      recipients: 1,
      organisations,
      connections: 64,
      seconds: loadSeconds,
    });
    messages += succeeded;
    print(`memory: ${messages.toLocaleString('en')} messages sent`);
  }
}

async function watchMemory(run: SmsRun, { minutes }: SuiteContext) {
  await pause(firstMinute * 1_000);
  const before = await memoryOf(run);
  await pause((minutes - 1) * 60_000);
  const after = await memoryOf(run);
  return {
    gateway: after.gateway - before.gateway,
    worker: after.worker - before.worker,
    gatewayAtFirst: before.gateway,
    workerAtFirst: before.worker,
  };
}

async function memoryOf({ servers: { pids } }: SmsRun) {
  const [gateway, worker]: [number[], number[]] = [[], []];
  for (let reading = 0; reading < readings; reading += 1) {
    gateway.push(await residentMegabytes(pids.gateways[0] ?? 0));
    worker.push(await residentMegabytes(pids.workers[0] ?? 0));
    await pause(betweenMs);
  }
  return { gateway: median(gateway), worker: median(worker) };
}

export const memory = part(
  memoryGroup,
  [
    {
      name: 'memory-gateway',
      title: 'growth of the memory of the gateway from minute 1 to 10 of load',
      figure: 'gateway',
      unit: 'MB',
      of: growthUnderLoad,
      bar: atMost(30),
      limit: 'garbage collection decides when memory is freed',
    },
    {
      name: 'memory-worker',
      title: 'the same of the messaging worker',
      figure: 'worker',
      unit: 'MB',
      of: growthUnderLoad,
      bar: atMost(30),
      limit: 'the same',
    },
  ],
  { needs: ['redis', 'proc'], long: true },
);
