import { newContext, succeed } from '@gangan/protocol';
import { newQueueKey, QueueSealer } from '@gangan/sealing';
import { describe, expect, it } from '@jest/globals';
import { Codec } from './codec.js';

const keys = [newQueueKey()];
const [gateway, worker] = [new Codec(new QueueSealer(keys)), new Codec(new QueueSealer(keys))];

describe('Codec, jobs', () => {
  const parcel = { data: { text: 'x' }, context: newContext() };
  const packed = ['1', '2'].map((id) => ({ request: { id, name: 'a.b' }, parcel: JSON.stringify(parcel) }));

  it('returns the parcels in order', () => {
    expect(worker.openJob(gateway.sealJob('me', packed))).toEqual([parcel, parcel]);
  });

  it('opens only for the same sender and the same requests', () => {
    const job = gateway.sealJob('me', packed);
    expect(() => worker.openJob({ ...job, replyTo: 'you' })).toThrow();
    expect(() => worker.openJob({ ...job, requests: [...job.requests].reverse() })).toThrow();
    expect(() => worker.openJob({ ...job, requests: job.requests.slice(0, 1) })).toThrow();
  });
});

describe('Codec, replies', () => {
  const replies = [{ id: '1', reply: JSON.stringify(succeed('yes')) }];

  it('opens only for the address they were sealed for', () => {
    const sealed = worker.sealReplies('me', replies);
    expect(gateway.openReplies('me', sealed)).toEqual([['1', { ok: true, data: 'yes' }]]);
    expect(() => gateway.openReplies('you', sealed)).toThrow();
  });

  it.each(['null', '{}', '{"ok":1}', '{"ok":false}', '[]'])('rejects a reply that is %s', (reply) => {
    const sealed = worker.sealReplies('me', [...replies, { id: '2', reply }]);
    expect(() => gateway.openReplies('me', sealed)).toThrow('not readable');
  });
});
