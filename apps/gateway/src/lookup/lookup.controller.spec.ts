import { describe, expect, it } from '@jest/globals';
import { firstValueFrom, Observable, Subject } from 'rxjs';
import { SharedReplies } from './lookup.controller.js';

describe('shared replies', () => {
  const shared = new SharedReplies<number>();
  let asked = 0;
  const question = (answer: Subject<number>) =>
    new Observable<number>((caller) => {
      asked += 1;
      return answer.subscribe(caller);
    });

  it('go to all concurrent requests, errors too; a later request is sent again', async () => {
    const first = new Subject<number>();
    const waiting = ['a', 'a', 'b'].map((key) => firstValueFrom(shared.get(key, question(first))));
    expect(asked).toBe(2);
    first.next(1);
    first.complete();
    expect(await Promise.all(waiting)).toEqual([1, 1, 1]);
    const second = new Subject<number>();
    const refused = ['a', 'a'].map((key) => firstValueFrom(shared.get(key, question(second))));
    second.error(new Error('no'));
    expect(await Promise.allSettled(refused)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect(asked).toBe(3);
    const third = new Subject<number>();
    const again = firstValueFrom(shared.get('a', question(third)));
    third.next(3);
    expect(await again).toBe(3);
  });
});
