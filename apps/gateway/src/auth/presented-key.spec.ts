import { describe, expect, it } from '@jest/globals';
import { presentedKey } from './authenticator.js';

describe('the presented key', () => {
  it('is the whole value of its one Authorization header', () => {
    expect(presentedKey(['Host', 'x', 'authorization', 'sk_test_demo', 'Accept', '*/*'])).toBe(
      'sk_test_demo',
    );
    expect(presentedKey(['AUTHORIZATION', 'sk_live_abc'])).toBe('sk_live_abc');
  });

  it.each([
    [['Host', 'x'], 'no header'],
    [['Authorization', ''], 'an empty one'],
    [['Authorization', ' '], 'a blank one'],
    [['Authorization', 'Bearer sk_test_demo'], 'a scheme'],
    [['Authorization', 'Basic c2tfdGVzdF9kZW1v'], 'another scheme'],
    [['Authorization', 'sk_test_demo sk_test_demo'], 'two keys in one header'],
    [['Authorization', 'sk_test_demo, sk_test_demo'], 'two headers joined by a proxy'],
    [['Authorization', 'sk_test_demo', 'authorization', 'sk_test_demo'], 'two headers'],
    [['Authorization', 'demo'], 'something else'],
    [['Authorization', 'sk_test_'], 'only a prefix'],
    [['Authorization', 'sk_test_dém'], 'other letters'],
    [['Authorization', `sk_test_${'x'.repeat(10_000)}`], 'a very long one'],
    [['X', 'authorization', 'Y', 'sk_test_demo'], 'the name of the header as a value'],
  ])('is undefined in %j (%s)', (rawHeaders) => {
    expect(presentedKey(rawHeaders)).toBeUndefined();
  });
});
