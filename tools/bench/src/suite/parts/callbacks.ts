import { newId } from '@gangan/protocol';
import { CallbackRun } from '../../callbacks/callback-run.js';
import { newReport } from '../../callbacks/new-report.js';
import type { RawPosts } from '../../callbacks/raw-posts.js';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import type { Child } from '../../processes/child.js';
import { benchScript } from '../../scripts.js';
import { median } from '../../statistics.js';
import { part } from '../part.js';
import { atLeast, atMost, type Group, type Point } from '../scenario.js';

interface CallbacksRun {
  readonly callbacks: CallbackRun;
  readonly rawPosts: Child;
  readonly url: string;
}

const perSecond = 1_000;

/** A callback worker, one consumer, and a process that posts to it with undici. */
const callbacksGroup: Group<CallbacksRun> = {
  title: 'callbacks',
  needs: ['redis'],
  open: async (resources) => {
    const environment = await BenchEnvironment.start('redis', resources);
    const callbacks = await CallbackRun.start(environment);
    const rawPosts = await environment.fork(benchScript('callbacks/raw-posts'));
    const [url = ''] = await callbacks.openConsumers('healthy', 1);
    return { callbacks, rawPosts, url };
  },
};

const deliveredCallbacks: Point<CallbacksRun> = {
  title: 'the callback worker',
  measure: async ({ callbacks, url }, { seconds }) => ({
    handled: perSecond * seconds,
    callbacks: await callbacks.deliver(url, perSecond * seconds),
  }),
};

const plainPosts: Point<CallbacksRun> = {
  title: 'a loop of undici that posts the same bodies',
  measure: async ({ rawPosts, url }, { seconds }) => {
    const handled = perSecond * seconds;
    const bodies = Array.from({ length: handled }, () => JSON.stringify(newReport(url, newId()).body));
    const milliseconds = await rawPosts.ask<number>({ url, bodies } satisfies RawPosts);
    return { handled, callbacks: (handled / milliseconds) * 1_000 };
  },
};

const hosts = { healthy: 40, hanging: 10 };
const load = { perSecond: 1, seconds: 20 };

/** Systems, each with healthy hosts. */
type HostsRun = { readonly run: CallbackRun; readonly healthy: readonly string[] }[];

const hangingGroup: Group<HostsRun> = {
  title: 'hanging callback hosts',
  needs: ['redis'],
  long: true,
  open: async (resources) => {
    const systems = [];
    for (let count = 0; count < 2; count += 1) {
      const run = await CallbackRun.start(await BenchEnvironment.start('redis', resources));
      systems.push({ run, healthy: await run.openConsumers('healthy', hosts.healthy) });
    }
    return systems;
  },
};

/** Both systems are measured at the same time, so that they share the noise. They swap roles after every round. */
const besideHanging: Point<HostsRun> = {
  title: 'a system with hanging hosts, and one without',
  measure: async (systems) => {
    const [alone, beside] = systems;
    if (!alone || !beside) throw new Error('Two systems are needed');
    systems.reverse();
    // New hosts in every round: the worker already knows that the old ones hang.
    const hanging = await beside.run.openConsumers('hanging', hosts.hanging);
    const [before, during] = await Promise.all([
      alone.run.measure(alone.healthy, [], load),
      beside.run.measure(beside.healthy, hanging, load),
    ]);
    return { ratio: median(during) / median(before) };
  },
};

export const callbacks = part(callbacksGroup, [
  {
    name: 'callbacks',
    title: 'callbacks to one consumer',
    figure: 'callbacks',
    unit: '/s',
    of: deliveredCallbacks,
    beside: plainPosts,
    bar: atLeast(0.2),
    limit: '16 attempts in flight to one host; the JavaScript of the worker takes a core',
  },
]);

export const hangingHosts = part(hangingGroup, [
  {
    name: 'callbacks-hanging',
    title: 'median time of callbacks while a fifth of all hosts hang, relative to none',
    figure: 'ratio',
    unit: '×',
    of: besideHanging,
    bar: atMost(1.1),
    limit: 'an organisation gets at most half of the free slots',
  },
]);
