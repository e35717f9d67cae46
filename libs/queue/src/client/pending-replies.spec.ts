import { setImmediate as turn } from 'node:timers/promises';
import { fail, succeed } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { PendingReplies } from './pending-replies.js';

describe('PendingReplies', () => {
  let pending: PendingReplies;
  const seen: string[] = [];
  beforeEach(() => {
    pending = new PendingReplies();
    seen.splice(0);
  });

  const wait = (id: string, waitMs = 60_000): void => {
    pending.add(id, waitMs, {
      lane: { kind: 'batch', name: 'lane' },
      arrived: () => seen.push(`${id} is here`),
      replied: ({ ok }) => seen.push(`${id} ${ok ? 'answered' : 'refused'}`),
      timedOut: () => seen.push(`${id} timed out`),
    });
  };

  it('pass replies on after the next requests were sent', async () => {
    wait('a');
    wait('b');
    pending.receive('lane', [
      ['a', succeed('yes')],
      ['b', fail(new Error('no'))],
    ]);
    expect(seen).toEqual(['a is here', 'b is here']);
    await turn();
    expect(seen.slice(2)).toEqual(['a answered', 'b refused']);
  });

  it('pass each reply on once, and none to a request that was forgotten', async () => {
    wait('a');
    wait('gone');
    pending.forget('gone');
    const answers = ['a', 'gone', 'unheard of'].map((id) => [id, succeed('yes')] as const);
    pending.receive('lane', answers);
    pending.receive('lane', answers);
    await turn();
    await turn();
    expect(seen.filter((line) => line.endsWith('answered'))).toEqual(['a answered']);
  });

  it('drop and count replies of a lane to which their request was not sent', async () => {
    wait('a');
    const answers = ['a', 'unheard of'].map((id) => [id, succeed('forged')] as const);
    expect(pending.receive('other', answers)).toBe(1);
    await turn();
    expect(seen).toEqual([]);
    expect(pending.receive('lane', answers)).toBe(0);
    await turn();
    expect(seen).toEqual(['a is here', 'a answered']);
  });

  it('time out earlier if their replies may be lost, but not requests that are added later', async () => {
    for (const id of ['a', 'answered']) wait(id);
    pending.timeOutAfter(1);
    wait('later');
    pending.forget('answered');
    await until('a request times out', () => seen.length > 0);
    expect(seen).toEqual(['a timed out']);
    pending.forget('later');
  });

  it('time out, and drop a reply that comes later', async () => {
    wait('a', 1);
    await until('the request times out', () => seen.length > 0);
    pending.receive('lane', [['a', succeed('late')]]);
    await turn();
    expect(seen).toEqual(['a timed out']);
  });
});
