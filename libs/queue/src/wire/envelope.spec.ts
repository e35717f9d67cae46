import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readEnvelope, readReplies } from './envelope.js';

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

  it('is refused, never trusted, whatever lies in the place of one of its parts', () => {
    const notText = fc.anything().filter((value) => typeof value !== 'string');
    const part = fc.constantFrom('id', 'name', 'sealed');
    fc.assert(
      fc.property(part, notText, (name, value) => {
        expect(() => readEnvelope({ v: 1, requests: [{ ...request, [name]: value }] })).toThrow(Error);
      }),
    );
  });
});

describe('answers', () => {
  it('are read when they are answers, and anything else is passed over', () => {
    expect(readReplies('[["1","sealed"],null,["2"],[3,"x"],["4","y","more"]]')).toEqual([
      ['1', 'sealed'],
      ['4', 'y', 'more'],
    ]);
    for (const payload of ['', 'garbage', 'null', '{}', '1']) expect(readReplies(payload)).toEqual([]);
  });
});
