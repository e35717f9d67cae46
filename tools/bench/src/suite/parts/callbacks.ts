import { CallbackRun } from '../../callbacks/callback-run.js';
import { RawPosts } from '../../callbacks/raw-post-process.js';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import { part } from '../part.js';
import { atLeast, type Group, type Point } from '../scenario.js';

interface CallbacksRun {
  readonly callbacks: CallbackRun;
  readonly raw: RawPosts;
  readonly url: string;
}

const perSecond = 1_000;

/** A callback worker, one consumer, and a process that posts to it with undici. */
const callbacksGroup: Group<CallbacksRun> = {
  title: 'callbacks',
  open: ({ track }, work) =>
    BenchEnvironment.for('redis', track, async (environment) => {
      const callbacks = await CallbackRun.start(environment);
      const raw = await RawPosts.start(environment);
      const [url = ''] = await callbacks.openConsumers('healthy', 1);
      return work({ callbacks, raw, url });
    }),
};

const deliveredCallbacks: Point<CallbacksRun> = {
  title: 'the callback worker',
  measure: async ({ callbacks, url }, { seconds }) => ({
    handled: perSecond * seconds,
    callbacks: await callbacks.deliver(url, perSecond * seconds),
  }),
};

const rawPosts: Point<CallbacksRun> = {
  title: 'a loop of undici that posts the same bodies',
  measure: async ({ raw, url }, { seconds }) => ({
    handled: perSecond * seconds,
    callbacks: await raw.post(url, perSecond * seconds),
  }),
};

export const callbacks = part(
  callbacksGroup,
  [
    {
      name: 'callbacks',
      title: 'callbacks to one consumer',
      figure: 'callbacks',
      unit: '/s',
      of: deliveredCallbacks,
      beside: rawPosts,
      bar: atLeast(0.2),
      limit: '16 attempts in flight to one host; the JavaScript of the worker takes a core',
    },
  ],
  { needs: ['redis'] },
);
