import { describe, expect, it } from '@jest/globals';
import { firstValueFrom, Observable, Subject } from 'rxjs';
import { SharedAnswers } from './shared-answers.js';

describe('shared answers', () => {
  const shared = new SharedAnswers<number>();
  let asked = 0;
  const question = (answer: Subject<number>) =>
    new Observable<number>((caller) => {
      asked += 1;
      return answer.subscribe(caller);
    });

  it('are given to all who ask meanwhile, also when they are refusals, and then asked for again', async () => {
    const first = new Subject<number>();
    const waiting = ['a', 'a', 'b'].map((key) => firstValueFrom(shared.of(key, question(first))));
    expect(asked).toBe(2);
    first.next(1);
    first.complete();
    expect(await Promise.all(waiting)).toEqual([1, 1, 1]);
    const second = new Subject<number>();
    const refused = ['a', 'a'].map((key) => firstValueFrom(shared.of(key, question(second))));
    second.error(new Error('no'));
    expect(await Promise.allSettled(refused)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect(asked).toBe(3);
    const third = new Subject<number>();
    const again = firstValueFrom(shared.of('a', question(third)));
    third.next(3);
    expect(await again).toBe(3);
  });
});
