import { newId } from '@gangan/protocol';
import { CallbackRun } from '../../callbacks/callback-run.js';
import { newReport } from '../../callbacks/new-report.js';
import type { RawPosts } from '../../callbacks/raw-posts.js';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import { benchScript } from '../../scripts.js';
import { median } from '../../statistics.js';
import type { Part } from '../scenario.js';

const perSecond = 1_000;
const [worker, loop] = ['the callback worker', 'a loop of undici that posts the same bodies'];

/** A callback worker, one consumer, and a process that posts to it with undici. */
export const callbacks: Part = {
  title: 'callbacks',
  needs: ['redis'],
  open: async (resources) => {
    const environment = await BenchEnvironment.start('redis', resources);
    const run = await CallbackRun.start(environment);
    const rawPosts = await environment.fork(benchScript('callbacks/raw-posts'));
    const [url = ''] = await run.openConsumers('healthy', 1);
    const post = async (count: number): Promise<number> => {
      const bodies = Array.from({ length: count }, () => JSON.stringify(newReport(url, newId()).body));
      const milliseconds = await rawPosts.ask<number>({ url, bodies } satisfies RawPosts);
      return (count / milliseconds) * 1_000;
    };
    return {
      measure: async (point, { seconds }) => {
        const handled = perSecond * seconds;
        return { handled, callbacks: await (point === worker ? run.deliver(url, handled) : post(handled)) };
      },
    };
  },
  scenarios: [
    {
      name: 'callbacks',
      title: 'callbacks to one consumer',
      figure: 'callbacks',
      unit: '/s',
      of: worker,
      beside: loop,
      bar: { atLeast: 0.2 },
      limit: '16 attempts in flight to one host; the JavaScript of the worker takes a core',
    },
  ],
};

const hosts = { healthy: 40, hanging: 10 };
const load = { perSecond: 1, seconds: 20 };

/** Two systems are measured at the same time, so that they share the noise. They swap roles after every round. */
export const hangingHosts: Part = {
  title: 'hanging callback hosts',
  needs: ['redis'],
  long: true,
  open: async (resources) => {
    const open = async () => {
      const run = await CallbackRun.start(await BenchEnvironment.start('redis', resources));
      return { run, healthy: await run.openConsumers('healthy', hosts.healthy) };
    };
    let [alone, beside] = [await open(), await open()];
    return {
      measure: async () => {
        [alone, beside] = [beside, alone];
        // New hosts in every round: the worker already knows that the old ones hang.
        const hanging = await beside.run.openConsumers('hanging', hosts.hanging);
        const [before, during] = await Promise.all([
          alone.run.measure(alone.healthy, [], load),
          beside.run.measure(beside.healthy, hanging, load),
        ]);
        return { ratio: median(during) / median(before) };
      },
    };
  },
  scenarios: [
    {
      name: 'callbacks-hanging',
      title: 'median time of callbacks while a fifth of all hosts hang, relative to none',
      figure: 'ratio',
      unit: '×',
      of: 'a system with hanging hosts, and one without',
      bar: { atMost: 1.1 },
      limit: 'an organisation gets at most half of the free slots',
    },
  ],
};
