import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { outcomes } from './answer-settings.js';
import type { AskSettings, HttpSettings } from './http-settings.js';
import { readAnswer, readAskAnswer, readItems } from './read-answer.js';

const request = { url: 'https://sms.example/' };
const json: HttpSettings = {
  request,
  answer: { code: '/status/code', accepted: ['0', 'ok'], reference: '/id', message: '/status/text' },
  outcomes: [
    { code: ['12', '13'], outcome: 'failed', reason: 'invalid_number' },
    { code: ['1'], outcome: 'throttled' },
    { status: 400, text: 'No Credit', outcome: 'account' },
    { status: 503, outcome: 'transient' },
  ],
};
const read = (settings: HttpSettings, status: number, body: unknown) =>
  readAnswer(settings, { status, text: typeof body === 'string' ? body : JSON.stringify(body) });

describe('the answer of an HTTP provider', () => {
  it('is accepted with its reference', () => {
    expect(read(json, 200, { id: 77, status: { code: 0 } })).toEqual({
      outcome: 'accepted',
      reference: '77',
    });
  });

  it('has a reference of any length, as a number or a text', () => {
    const reference = '3017544054459083819856413';
    for (const id of [reference, `"${reference}"`])
      expect(read(json, 200, `{"id": ${id}, "status": {"code": 0}}`)).toEqual({
        outcome: 'accepted',
        reference,
      });
  });

  it('has the reference of the first place that has one', () => {
    const settings: HttpSettings = {
      request,
      answer: { reference: ['/new_id', '/id', { match: '#(\\d+)' }] },
    };
    const referenceOf = (body: unknown) => read(settings, 200, body).reference;
    expect(referenceOf({ new_id: 'a', id: 'b' })).toBe('a');
    expect(referenceOf({ new_id: '', id: 'b' })).toBe('b');
    expect(referenceOf('sent #77')).toBe('77');
    expect(read(settings, 200, { new_id: null })).toMatchObject({ reason: 'unreadable_answer' });
  });

  it('is masked before it is cut, so that no part of a secret is left', () => {
    const text = `${'x'.repeat(298)}SECRET`;
    const masked = readAnswer({ request, answer: {} }, { status: 400, text }, (given) =>
      given.replaceAll('SECRET', '***'),
    );
    expect(masked.detail).toBe(`400 ${'x'.repeat(298)}**`);
  });

  it('may carry an error with status 200', () => {
    expect(read(json, 200, { status: { code: 12, text: 'no such number' } })).toEqual({
      outcome: 'failed',
      reason: 'invalid_number',
      detail: '200 12: no such number',
    });
    expect(read(json, 200, { status: { code: '1' } })).toMatchObject({
      outcome: 'throttled',
      reason: 'throttled',
    });
  });

  it('is refused with provider_error if no table lists its code', () => {
    const unlisted = { outcome: 'refused', reason: 'provider_error' };
    expect(read(json, 200, { id: 'x', status: { code: '99' } })).toMatchObject(unlisted);
    expect(read(json, 400, { status: { code: '99' } })).toMatchObject(unlisted);
    expect(read(json, 422, 'garbage')).toMatchObject(unlisted);
  });

  it('is compared with all conditions of a rule, without case', () => {
    expect(read(json, 400, { status: { text: 'you have no credit' } })).toMatchObject({ outcome: 'account' });
    expect(read(json, 404, { status: { text: 'you have no credit' } })).toMatchObject({ outcome: 'refused' });
    expect(read(json, 503, '')).toMatchObject({ outcome: 'transient' });
  });

  it('may mean something else in some hours: then it says when they end', () => {
    const settings: HttpSettings = {
      request,
      answer: { code: '/code' },
      outcomes: [
        { code: ['409'], hours: '20:00-08:00 Africa/Lagos', outcome: 'quiet' },
        { code: ['409'], outcome: 'failed', reason: 'dnd' },
      ],
    };
    const at = (receivedAt?: string) =>
      readAnswer(settings, {
        ...{ status: 200, text: '{"code": 409}' },
        ...(receivedAt !== undefined && { receivedAt: new Date(receivedAt) }),
      });
    const quiet = {
      ...{ outcome: 'quiet', reason: 'quiet_hours' },
      quietUntil: new Date('2026-11-18T07:00:00Z'),
    };
    expect(at('2026-11-17T19:00:00Z')).toMatchObject(quiet);
    expect(at('2026-11-18T06:59:59Z')).toMatchObject(quiet);
    for (const day of ['2026-11-17T18:59:59Z', '2026-11-18T07:00:00Z', undefined])
      expect(at(day)).toMatchObject({ outcome: 'failed', reason: 'dnd' });
  });

  it('is unknown if it may be an acceptance: a 5xx, or a 2xx that cannot be read', () => {
    expect(read(json, 500, 'oops')).toMatchObject({ outcome: 'unknown', reason: 'no_answer' });
    expect(read(json, 200, '<html>')).toMatchObject({ outcome: 'unknown', reason: 'unreadable_answer' });
    expect(read(json, 200, { status: { code: 'ok' } })).toMatchObject({ outcome: 'unknown' });
    expect(read(json, 200, '{"id": "x", "status": {"co')).toMatchObject({ outcome: 'unknown' });
  });

  it('has defaults for statuses that no rule lists', () => {
    const outcomeOf = (status: number) => read({ request, answer: {} }, status, '').outcome;
    expect([200, 202, 204].map(outcomeOf)).toEqual(['accepted', 'accepted', 'accepted']);
    const all = (outcome: string, ...statuses: readonly number[]): void => {
      expect([outcome, statuses.filter((status) => outcomeOf(status) !== outcome)]).toEqual([outcome, []]);
    };
    all('account', 302, 401, 402, 403);
    all('unknown', 408, 409, 425, 500, 502, 504, 599);
    all('throttled', 429);
    all('refused', 400, 404, 405, 410, 422);
    all('transient', 503);
  });

  it('is read with the rules of the operator first', () => {
    const settings: HttpSettings = {
      request,
      answer: {},
      firstOutcomes: [{ status: 503, outcome: 'unknown' }],
      outcomes: [{ status: '5xx', outcome: 'failed' }],
    };
    expect([500, 503].map((status) => read(settings, status, '').outcome)).toEqual(['failed', 'unknown']);
  });

  it('is not missing if a rule says that its outcome is unknown', () => {
    const settings: HttpSettings = {
      request,
      answer: { code: '/code' },
      outcomes: [{ code: ['5'], outcome: 'unknown' }],
    };
    const reasonOf = (status: number) => read(settings, status, { code: '5' }).reason;
    expect([200, 400, 408, 500, 503].map(reasonOf)).toEqual([
      'unclear_answer',
      'unclear_answer',
      'no_answer',
      'no_answer',
      'no_answer',
    ]);
  });

  it('may be plain text', () => {
    const text: HttpSettings = {
      request,
      answer: { code: { match: '^(\\w+)' }, accepted: ['OK'], reference: { match: '^OK (\\S+)' } },
      outcomes: [{ code: ['ERR2'], outcome: 'account' }],
    };
    expect(read(text, 200, 'OK 8123-1')).toEqual({ outcome: 'accepted', reference: '8123-1' });
    expect(read(text, 200, 'ERR2 no balance')).toMatchObject({ outcome: 'account' });
    expect(read(text, 200, 'ERR9')).toMatchObject({ outcome: 'refused', reason: 'provider_error' });
  });

  it('is read in linear time, whatever the pattern and the answer', () => {
    // `RegExp` does not end for these.
    const slow = [
      '^(\\w+)+$',
      '^(\\w*\\w*\\w*\\w*\\w*\\w*)!',
      '(a|a)*b',
      '(.*.*.*.*.*.*)=',
      '^(?:a?){64}(a{64})$',
    ];
    for (const match of slow) {
      const text: HttpSettings = { request, answer: { reference: { match } } };
      expect(read(text, 200, `${'a'.repeat(4_000)} `)).toMatchObject({ reason: 'unreadable_answer' });
    }
  });

  it('may have lines that end with a carriage return', () => {
    const text: HttpSettings = { request, answer: { reference: { match: '^OK (.*)' } } };
    expect(read(text, 200, 'OK 8123\r\nbalance 1\r\n')).toEqual({ outcome: 'accepted', reference: '8123' });
  });

  it('is accepted only with a status 2xx, whatever the body says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.json(), (status, body) => {
        const { outcome } = read(json, status, body);
        expect(outcomes).toContain(outcome);
        expect(outcome).not.toBe('accepted');
      }),
    );
  });
});

describe('the answer to a batch', () => {
  const batch: HttpSettings = {
    request,
    answer: { ...json.answer, items: '/results', recipient: '/to' },
    outcomes: [
      ...(json.outcomes ?? []),
      { text: ['wrong sender', 'bad sender'], outcome: 'failed', reason: 'invalid_sender' },
    ],
  };
  const accepted = (to: string) => ({ to, id: `id-${to}`, status: { code: 0 } });
  const readBatch = (settings: HttpSettings, body: object, recipients = ['+1', '+2', '+3']) =>
    readItems(
      settings,
      { status: 200, text: JSON.stringify(body) },
      recipients.map((recipient, index) => ({ recipient, reference: `r${index}` })),
    );

  it('has a result for each recipient, in any order', () => {
    const results = [
      accepted('3'),
      { to: '1', status: { code: 12 } },
      { to: '+2', status: { code: 9, text: 'Bad Sender' } },
    ];
    expect(readBatch(batch, { results })).toMatchObject([
      { outcome: 'failed', reason: 'invalid_number' },
      { outcome: 'failed', reason: 'invalid_sender' },
      { outcome: 'accepted', reference: 'id-3' },
    ]);
  });

  it('with one message has its result, however the number is written', () => {
    expect(readBatch(batch, { results: [accepted('0803')] }, ['+234803'])).toMatchObject([
      { reference: 'id-0803' },
    ]);
  });

  it('may have the numbers in the national format', () => {
    const results = [accepted('08031234567'), accepted('8031234568'), accepted('002348031234569')];
    const recipients = ['+2348031234569', '+2348031234567', '+2348031234568'];
    expect(readBatch(batch, { results }, recipients)?.map(({ reference }) => reference)).toEqual([
      'id-002348031234569',
      'id-08031234567',
      'id-8031234568',
    ]);
  });

  it('may have our references, so that a recipient may get several messages', () => {
    const own = { ...batch, answer: { ...json.answer, items: '/results', ownReference: '/ref' } };
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('+1', '+2'), { minLength: 2, maxLength: 8 }),
        fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
        (recipients, order) => {
          const results = recipients
            .map((to, index) => ({
              ...accepted(to),
              id: `m${index}`,
              ref: `r${index}`,
              rank: order[index] ?? 0,
            }))
            .toSorted((one, other) => one.rank - other.rank);
          expect(readBatch(own, { results }, recipients)?.map(({ reference }) => reference)).toEqual(
            recipients.map((_, index) => `m${index}`),
          );
        },
      ),
    );
    expect(
      readBatch(own, { results: [{ ...accepted('1'), ref: 'r1' }] })?.map(({ outcome }) => outcome),
    ).toEqual(['unknown', 'accepted', 'unknown']);
  });

  it('leaves the outcome of a recipient without a result unknown', () => {
    const unknown = { outcome: 'unknown', reason: 'unreadable_answer' };
    expect(readBatch(batch, { results: [accepted('1'), {}] })).toMatchObject([
      { outcome: 'accepted' },
      unknown,
      unknown,
    ]);
  });

  it('may be in the order of the messages; if the count differs all outcomes are unknown', () => {
    const ordered = { ...batch, answer: { ...json.answer, items: '/results' } };
    const results = [accepted('x'), { status: { code: 12 } }];
    expect(readBatch(ordered, { results }, ['+1', '+2'])).toMatchObject([
      { reference: 'id-x' },
      { outcome: 'failed' },
    ]);
    expect(readBatch(ordered, { results })?.map(({ outcome }) => outcome)).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ]);
  });

  it('applies to all recipients if it has no results', () => {
    for (const body of [{ results: [] }, { results: 'none' }, {}, []])
      expect(readBatch(batch, body)).toBeUndefined();
    expect(readBatch(json, { results: [accepted('1')] })).toBeUndefined();
  });
});

describe('the answer to a long message', () => {
  const settings: HttpSettings = { ...json, answer: { ...json.answer, parts: '/parts' } };
  const accepted = (id: string) => ({ id, status: { code: 0 } });
  const refused = { status: { code: 12, text: 'no such number' } };

  it('may have a reference for each part', () => {
    expect(read(settings, 200, { parts: [accepted('a'), accepted('b'), accepted('c')] })).toEqual({
      outcome: 'accepted',
      reference: 'a',
      furtherReferences: ['b', 'c'],
    });
    expect(read(settings, 200, { parts: [accepted('a')] })).toEqual({ outcome: 'accepted', reference: 'a' });
  });

  it('is refused only if all parts are', () => {
    expect(read(settings, 200, { parts: [refused, refused] })).toMatchObject({ reason: 'invalid_number' });
    for (const parts of [
      [accepted('a'), refused],
      [refused, accepted('a')],
    ])
      expect(read(settings, 200, { parts })).toMatchObject({ outcome: 'unknown', reason: 'partly_accepted' });
  });

  it('without parts is read as a whole', () => {
    for (const body of [{}, { parts: [] }, { parts: {} }])
      expect(read(settings, 200, body)).toMatchObject({ outcome: 'unknown', reason: 'unreadable_answer' });
    expect(read(settings, 429, {})).toMatchObject({ outcome: 'throttled' });
  });
});

describe('the answer to a question about a message', () => {
  const ask: AskSettings = {
    request,
    answer: { items: '/results', code: '/state', accepted: ['SENT'], reference: '/id' },
    outcomes: [
      { code: ['REFUSED'], outcome: 'failed', reason: 'rejected' },
      { status: 404, outcome: 'not_found' },
    ],
  };
  const outcomeOf = (body: unknown, status = 200) =>
    readAskAnswer(ask, { status, text: JSON.stringify(body) }).outcome;

  it('is what the provider knows', () => {
    const text = JSON.stringify({ results: [{ state: 'SENT', id: 'm1' }] });
    expect(readAskAnswer(ask, { status: 200, text })).toEqual({ outcome: 'accepted', reference: 'm1' });
    expect(outcomeOf({ results: [{ state: 'REFUSED' }] })).toBe('failed');
    expect([outcomeOf({ results: [] }), outcomeOf({}, 404)]).toEqual(['not_found', 'not_found']);
  });

  it('is unknown if no rule lists it, so that no message is sent twice or fails', () => {
    expect([outcomeOf({ results: [{ state: 'NEW', id: 'x' }] }), outcomeOf({ results: [] }, 500)]).toEqual([
      'unknown',
      'unknown',
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), fc.json(), (status, text) => {
        fc.pre(status !== 404);
        expect(readAskAnswer(ask, { status, text }).outcome).toBe('unknown');
      }),
    );
  });
});
