import { currentContext, newContext, type RequestContext, runInContext } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { ThrottledErrorLog } from './report-errors.js';

describe('ThrottledErrorLog', () => {
  it('logs outside of the request that opened the connection', () => {
    const contexts: (RequestContext | undefined)[] = [];
    const note = (): void => void contexts.push(currentContext());
    const reporter = new ThrottledErrorLog({ info: note, warn: note, error: note }, 'a lane');
    runInContext(newContext(), () => {
      reporter.report(new Error('lost'));
    });
    expect(contexts).toEqual([undefined]);
  });
});
