import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readEnvelope } from './envelope.js';

describe('readEnvelope', () => {
  const request = { id: '1', name: 'a.b', deadline: 1 };
  const [sender, sealed] = ['gateway', 'x'];

  it('reads a valid envelope', () => {
    const envelope = { v: 2, sender, replyTo: 'me', requests: [request, { id: '2', name: 'a.c' }], sealed };
    expect(readEnvelope(envelope)).toEqual(envelope);
  });

  it('names the version that it cannot read', () => {
    expect(() => readEnvelope({ v: 1, requests: [request], sealed })).toThrow('version 1');
  });

  it.each([
    [null],
    ['text'],
    [{}],
    [{ v: 2, sender }],
    [{ v: 2, sender, requests: [], sealed }],
    [{ v: 2, sender, requests: [null], sealed }],
    [{ v: 2, requests: [request], sealed }],
    [{ v: 2, sender: 7, requests: [request], sealed }],
    [{ v: 2, sender, requests: [{ ...request, organisation: 7 }], sealed }],
    [{ v: 2, sender, requests: [request] }],
    [{ v: 2, sender, requests: [request], sealed: 1 }],
    [{ v: 2, sender, requests: [{ ...request, deadline: 'soon' }], sealed }],
    [{ v: 2, sender, requests: [request], sealed, replyTo: 7 }],
  ])('rejects %j', (data) => {
    expect(() => readEnvelope(data)).toThrow();
  });

  it('rejects any value in place of a text', () => {
    const notText = fc.anything().filter((value) => typeof value !== 'string');
    const part = fc.constantFrom('id', 'name');
    fc.assert(
      fc.property(part, notText, (name, value) => {
        expect(() =>
          readEnvelope({ v: 2, sender, requests: [{ ...request, [name]: value }], sealed }),
        ).toThrow(Error);
      }),
    );
  });
});
