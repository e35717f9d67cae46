import { newContext, succeed } from '@gangan/protocol';
import { newSealingKey } from '@gangan/sealing';
import { describe, expect, it } from '@jest/globals';
import { MasterKeys } from '../keys/queue-keys.js';
import { Codec } from './codec.js';

const keys = new MasterKeys([newSealingKey()]);
const [gateway, worker] = [new Codec('gateway', keys), new Codec('lookup', keys)];
const origin = { sender: 'gateway', lane: 'lookup', replyTo: 'me' };

describe('Codec, jobs', () => {
  const parcel = { data: { text: 'x' }, context: newContext() };
  const requests = ['1', '2'].map((id) => ({ id, name: 'a.b', organisation: 'o', deadline: 1_000 }));
  const packed = requests.map((request) => ({ request, parcel: JSON.stringify(parcel) }));
  const job = gateway.sealJob(origin, packed);
  const [one, two] = requests as [(typeof requests)[0], (typeof requests)[0]];

  it('returns the parcels in order', () => {
    expect(worker.openJob('lookup', job)).toEqual([parcel, parcel]);
  });

  it.each([
    ['sender', { sender: 'otp' }],
    ['address', { replyTo: 'you' }],
    ['order of its requests', { requests: [two, one] }],
    ['number of its requests', { requests: [one] }],
    ['contract', { requests: [one, { ...two, name: 'a.c' }] }],
    ['organisation', { requests: [one, { ...two, organisation: 'p' }] }],
    ['deadline', { requests: [one, { ...two, deadline: 1_001 }] }],
  ])('opens only with the same %s', (_, altered) => {
    expect(() => worker.openJob('lookup', { ...job, ...altered })).toThrow();
  });

  it('opens only in the lane for which it was sealed', () => {
    expect(() => worker.openJob('lookup-alone', job)).toThrow();
  });

  it('names the key that is missing', () => {
    const without = new Codec('lookup', { of: () => [] });
    expect(() => without.openJob('lookup', job)).toThrow(
      'QUEUE_KEYS of lookup has no key for gateway/lookup',
    );
  });

  it('can be sealed again without deadlines for a replay', () => {
    const replayed = gateway.withoutDeadlines('lookup', job);
    const withoutDeadline = requests.map(({ id, name, organisation }) => ({ id, name, organisation }));
    expect(replayed).toMatchObject({ sender: 'gateway', replyTo: 'me', requests: withoutDeadline });
    expect(worker.openJob('lookup', replayed)).toEqual([parcel, parcel]);
    expect(() => gateway.withoutDeadlines('lookup', { ...job, sender: 'otp' })).toThrow();
  });
});

describe('Codec, replies', () => {
  const replies = [{ id: '1', reply: JSON.stringify(succeed('yes')) }];

  it('opens only for the app and the address they were sealed for, and says from which lane they are', () => {
    const sealed = worker.sealReplies(origin, replies);
    expect(gateway.openReplies('me', sealed)).toEqual({
      lane: 'lookup',
      replies: [['1', { ok: true, data: 'yes' }]],
    });
    expect(() => gateway.openReplies('you', sealed)).toThrow();
    expect(() => new Codec('otp', keys).openReplies('me', sealed)).toThrow();
    expect(() => gateway.openReplies('me', sealed.replace('lookup', 'otp'))).toThrow();
  });

  it('does not open a job as replies', () => {
    const { sealed } = gateway.sealJob(origin, [{ request: { id: '1', name: 'a.b' }, parcel: '["1"]' }]);
    expect(() => gateway.openReplies('me', `lookup ${sealed}`)).toThrow();
  });

  it.each(['null', '{}', '{"ok":1}', '{"ok":false}', '[]'])('rejects a reply that is %s', (reply) => {
    const sealed = worker.sealReplies(origin, [...replies, { id: '2', reply }]);
    expect(() => gateway.openReplies('me', sealed)).toThrow('not readable');
  });
});
