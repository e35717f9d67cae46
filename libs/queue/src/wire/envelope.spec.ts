import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readEnvelope } from './envelope.js';

describe('an envelope', () => {
  const request = { id: '1', name: 'a.b', deadline: 1, sealed: 'x' };

  it('is read when it is whole', () => {
    const envelope = { v: 1, replyTo: 'gateway', requests: [request, { id: '2', name: 'a.c', sealed: 'y' }] };
    expect(readEnvelope(envelope)).toEqual(envelope);
  });

  it('of a later version is refused with a word about it', () => {
    expect(() => readEnvelope({ v: 2, requests: [request] })).toThrow('version 2');
  });

  it.each([
    [null],
    ['text'],
    [{}],
    [{ v: 1 }],
    [{ v: 1, requests: [] }],
    [{ v: 1, requests: [null] }],
    [{ v: 1, requests: [{ ...request, sealed: 1 }] }],
    [{ v: 1, requests: [{ ...request, deadline: 'soon' }] }],
    [{ v: 1, requests: [request], replyTo: 7 }],
  ])('is refused when it is %j', (data) => {
    expect(() => readEnvelope(data)).toThrow();
  });

  it('is refused, never trusted, whatever lies in the job', () => {
    fc.assert(
      fc.property(fc.anything(), (data) => {
        expect(() => readEnvelope(data)).toThrow(Error);
      }),
    );
  });
});
