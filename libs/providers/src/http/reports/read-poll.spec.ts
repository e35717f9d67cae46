import { describe, expect, it } from '@jest/globals';
import type { PollSettings } from './poll-settings.js';
import { readPoll } from './read-poll.js';
import type { ReportRule } from './report-settings.js';

const request = { url: '/messages/{provider_reference}' };
const states: ReportRule[] = [
  { status: ['delivered'], state: 'delivered' },
  { status: ['queued'], state: 'sent' },
  { code: ['27'], state: 'undelivered', reason: 'absent' },
  { status: ['failed'], state: 'undelivered' },
];
const read = (settings: Omit<PollSettings, 'request'>, text: string, status = 200, retryAfterMs?: number) =>
  readPoll({ request, ...settings }, states, { status, text, retryAfterMs });

describe('the state of a message that a provider was asked for', () => {
  it('is read like a report', () => {
    const settings = { status: '/state', code: '/error/id' };
    expect(read(settings, '{"state":"Delivered","error":null}')).toEqual({ state: 'delivered' });
    expect(read(settings, '{"state":"queued"}')).toEqual({ state: 'sent' });
    expect(read(settings, '{"state":"failed","error":{"id":27}}')).toEqual({
      state: 'undelivered',
      reason: 'absent',
    });
    expect(read(settings, '{"state":"failed"}')).toEqual({ state: 'undelivered', reason: 'provider_error' });
  });

  it('may be in a list or a plain text, and have rules of its own', () => {
    expect(read({ list: '/results', status: '/state' }, '{"results":[{"state":"delivered"}]}')).toEqual({
      state: 'delivered',
    });
    const own = {
      status: { match: '^STATUS (\\w+)' },
      states: [{ status: ['D'], state: 'delivered' } as const],
    };
    expect(read(own, 'STATUS D\r\n')).toEqual({ state: 'delivered' });
  });

  it.each([
    ['{"results":[]}', 200, 'the answer has no status'],
    ['{}', 200, 'the answer has no status'],
    ['<html>', 200, 'the answer has no status'],
    ['{"results":[{"state":"lost +2348031234567"}]}', 200, 'no rule lists the status "lost +…"'],
    ['{"results":[{"state":"delivered"}]}', 404, 'the status of the answer is 404'],
  ])('is not known after %s with the status %d', (text, status, fault) => {
    expect(read({ list: '/results', status: '/state' }, text, status)).toEqual({ fault });
  });

  it('is not known if the provider is overloaded, which may say when it can be asked again', () => {
    const settings = { status: '/state' };
    expect(read(settings, '', 429, 5_000)).toMatchObject({ retryAfterMs: 5_000 });
    expect(read(settings, '', 503)).toMatchObject({ retryAfterMs: 30_000 });
    expect(read(settings, '', 500)).not.toHaveProperty('retryAfterMs');
  });
});
