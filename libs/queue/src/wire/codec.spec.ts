import { newContext, succeed } from '@gangan/protocol';
import { newSealingKey, QueueSealer } from '@gangan/sealing';
import { describe, expect, it } from '@jest/globals';
import { Codec } from './codec.js';

const keys = [newSealingKey()];
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

  describe('with a deadline', () => {
    const request = { id: '1', name: 'a.b', deadline: 1_000 };
    const job = gateway.sealJob('me', [{ request, parcel: JSON.stringify({ ...parcel, deadline: 1_000 }) }]);

    it('opens only with the same deadline', () => {
      expect(worker.openJob(job)).toEqual([{ ...parcel, deadline: 1_000 }]);
      const { id, name } = request;
      for (const altered of [
        { id, name },
        { id, name, deadline: 999 },
        { id, name, deadline: 1_001 },
      ]) {
        expect(() => worker.openJob({ ...job, requests: [altered] })).toThrow('deadline');
      }
    });

    it('opens a job of an earlier version, whose deadline is not sealed', () => {
      const old = gateway.sealJob('me', [{ request, parcel: JSON.stringify(parcel) }]);
      expect(worker.openJob(old)).toEqual([parcel]);
    });

    it('can be sealed again without a deadline for a replay', () => {
      const replayed = gateway.withoutDeadlines(job);
      expect(replayed.requests).toEqual([{ id: '1', name: 'a.b' }]);
      expect(worker.openJob(replayed)).toEqual([parcel]);
      expect(() => gateway.withoutDeadlines({ ...job, requests: [{ ...request, deadline: 2 }] })).toThrow(
        'deadline',
      );
    });
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
