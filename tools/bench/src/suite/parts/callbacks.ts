import { CallbackRun } from '../../callbacks/callback-run.js';
import { RawPosts } from '../../callbacks/raw-post-process.js';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import type { Group, Point } from '../scenario.js';

interface CallbacksRun {
  readonly callbacks: CallbackRun;
  readonly raw: RawPosts;
  readonly url: string;
}

const perSecond = 1_000;

/** A callback worker, one consumer, and a process that posts to it with undici. */
export const callbacksGroup: Group<CallbacksRun> = {
  title: 'callbacks',
  open: ({ track }, work) =>
    BenchEnvironment.for('redis', track, async (environment) => {
      const callbacks = await CallbackRun.start(environment);
      const raw = await RawPosts.start(environment);
      const [url = ''] = await callbacks.openConsumers('healthy', 1);
      return work({ callbacks, raw, url });
    }),
};

export const deliveredCallbacks: Point<CallbacksRun> = {
  title: 'the callback worker',
  measure: async ({ callbacks, url }, { seconds }) => ({
    callbacks: await callbacks.deliver(url, perSecond * seconds),
  }),
};

export const rawPosts: Point<CallbacksRun> = {
  title: 'a loop of undici that posts the same bodies',
  measure: async ({ raw, url }, { seconds }) => ({ callbacks: await raw.post(url, perSecond * seconds) }),
};
