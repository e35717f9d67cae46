import { newContext, succeed } from '@gangan/protocol';
import { newQueueKey, QueueSealer } from '@gangan/sealing';
import { describe, expect, it } from '@jest/globals';
import { Codec } from './codec.js';

const keys = [newQueueKey()];
const [gateway, worker] = [new Codec(new QueueSealer(keys)), new Codec(new QueueSealer(keys))];

describe('a job', () => {
  const parcel = { data: { text: 'x' }, context: newContext() };
  const packed = ['1', '2'].map((id) => ({ request: { id, name: 'a.b' }, parcel: JSON.stringify(parcel) }));

  it('gives its parcels back in order', () => {
    expect(worker.openJob(gateway.sealJob('me', packed))).toEqual([parcel, parcel]);
  });

  it('does not open for another asker, other requests or fewer of them', () => {
    const job = gateway.sealJob('me', packed);
    expect(() => worker.openJob({ ...job, replyTo: 'you' })).toThrow();
    expect(() => worker.openJob({ ...job, requests: [...job.requests].reverse() })).toThrow();
    expect(() => worker.openJob({ ...job, requests: job.requests.slice(0, 1) })).toThrow();
  });
});

describe('answers', () => {
  const replies = [{ id: '1', reply: JSON.stringify(succeed('yes')) }];

  it('come back to whom they are for, and open for nobody else', () => {
    const sealed = worker.sealReplies('me', replies);
    expect(gateway.openReplies('me', sealed)).toEqual([['1', { ok: true, data: 'yes' }]]);
    expect(() => gateway.openReplies('you', sealed)).toThrow();
  });

  it.each(['null', '{}', '{"ok":1}', '{"ok":false}', '[]'])('do not open where one is %s', (reply) => {
    const sealed = worker.sealReplies('me', [...replies, { id: '2', reply }]);
    expect(() => gateway.openReplies('me', sealed)).toThrow('not readable');
  });
});
