import { describe, expect, it } from '@jest/globals';
import { type DataOf, defineEvent, defineRequest, type ReplyOf } from './contract.js';

class Question {
  text: string;
}
class Answer {
  value: number;
}

describe('a contract', () => {
  const one = defineRequest({ queue: 'q', name: 'one', deadlineMs: 1_000, request: Question, reply: Answer });
  const many = defineRequest({
    queue: 'q',
    name: 'many',
    deadlineMs: 1_000,
    request: Question,
    reply: [Answer],
  });
  const event = defineEvent({ queue: 'q', name: 'happened', event: Question });

  it('batches, weighs 1 and retries by default', () => {
    expect(one).toMatchObject({ kind: 'request', batch: true });
    expect(one.weigh({ text: '' })).toBe(1);
    expect(event).toMatchObject({ kind: 'event', attempts: 8, backoffMs: 500 });
  });

  it('is sent by the gateway and served by the app of its queue by default', () => {
    expect(one).toMatchObject({ senders: ['gateway'], servedBy: 'q' });
    const own = defineEvent({ queue: 'q', name: 'e', event: Question, senders: ['a'], servedBy: 'b' });
    expect(own).toMatchObject({ senders: ['a'], servedBy: 'b' });
  });

  it('gives both ends their types', () => {
    const asked: DataOf<typeof one> = { text: 'x' };
    const answered: ReplyOf<typeof one> = { value: 1 };
    const listed: ReplyOf<typeof many> = [answered];
    expect(many.reply).toEqual([Answer]);
    const received: DataOf<typeof event> = asked;
    // @ts-expect-error a reply of another shape does not compile
    const wrong: ReplyOf<typeof one> = { value: 'one' };
    expect([listed, received, wrong]).toHaveLength(3);
  });
});
