import { afterEach, describe, expect, it } from '@jest/globals';
import { Origins } from './origins.js';

const origins = new Origins(() => undefined, { origins: 2, idleMs: 1_000 });

afterEach(() => origins.close());

describe('kept origins', () => {
  it('are as many as are allowed; the one that was longest not used makes room', () => {
    const first = origins.of('http://a.example');
    const second = origins.of('http://b.example');
    expect(origins.of('http://a.example')).toBe(first);
    origins.of('http://c.example');
    expect(origins.size).toBe(2);
    expect(second.closed).toBe(true);
    expect(origins.of('http://a.example')).toBe(first);
    expect(first.closed).toBe(false);
  });
});
