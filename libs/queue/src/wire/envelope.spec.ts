import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readEnvelope } from './envelope.js';

describe('an envelope', () => {
  const request = { id: '1', name: 'a.b', deadline: 1 };
  const sealed = 'x';

  it('is read when it is whole', () => {
    const envelope = { v: 1, replyTo: 'gateway', requests: [request, { id: '2', name: 'a.c' }], sealed };
    expect(readEnvelope(envelope)).toEqual(envelope);
  });

  it('of a later version is refused with a word about it', () => {
    expect(() => readEnvelope({ v: 2, requests: [request], sealed })).toThrow('version 2');
  });

  it.each([
    [null],
    ['text'],
    [{}],
    [{ v: 1 }],
    [{ v: 1, requests: [], sealed }],
    [{ v: 1, requests: [null], sealed }],
    [{ v: 1, requests: [request] }],
    [{ v: 1, requests: [request], sealed: 1 }],
    [{ v: 1, requests: [{ ...request, deadline: 'soon' }], sealed }],
    [{ v: 1, requests: [request], sealed, replyTo: 7 }],
  ])('is refused when it is %j', (data) => {
    expect(() => readEnvelope(data)).toThrow();
  });

  it('is refused, never trusted, whatever lies in the place of one of its parts', () => {
    const notText = fc.anything().filter((value) => typeof value !== 'string');
    const part = fc.constantFrom('id', 'name');
    fc.assert(
      fc.property(part, notText, (name, value) => {
        expect(() => readEnvelope({ v: 1, requests: [{ ...request, [name]: value }], sealed })).toThrow(
          Error,
        );
      }),
    );
  });
});
