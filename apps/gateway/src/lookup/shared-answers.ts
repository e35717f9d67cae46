import { finalize, type Observable, share } from 'rxjs';

/** Lets those who want to know the same thing at the same time wait for one answer. */
export class SharedAnswers<T> {
  private readonly underWay = new Map<string, Observable<T>>();

  /** The answer to whoever asked first, or, if nobody has, to this question. */
  of(key: string, question: Observable<T>): Observable<T> {
    const asked = this.underWay.get(key);
    if (asked) return asked;
    const answer = question.pipe(
      finalize(() => this.underWay.delete(key)),
      share(),
    );
    this.underWay.set(key, answer);
    return answer;
  }
}
