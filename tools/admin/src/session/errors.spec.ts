import { Refusal } from '@gangan/management';
import { describe, expect, it } from '@jest/globals';
import { describeFailure } from './errors.js';

describe('a refusal', () => {
  it('ends with the command for the next step, which names what it is about', () => {
    const refusal = new Refusal('conflict', 'It failed', { next: 'show_provider', subject: 'termii' });
    expect(describeFailure(refusal)).toBe('It failed. See `pnpm admin providers show termii`.');
  });
});
