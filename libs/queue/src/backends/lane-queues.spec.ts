import { currentContext, newContext, type RequestContext, runInContext } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { LaneQueues } from './lane-queues.js';

type Opened = ConstructorParameters<typeof LaneQueues>[0] extends (lane: string) => infer Q ? Q : never;

describe('LaneQueues', () => {
  it('opens queues outside of the request that needed them first', async () => {
    const contexts: (RequestContext | undefined)[] = [];
    const queues = new LaneQueues(() => {
      contexts.push(currentContext());
      return { waitUntilReady: () => Promise.resolve() } as Opened;
    });
    await runInContext(newContext(), () => queues.get('lookup'));
    expect(contexts).toEqual([undefined]);
  });
});
