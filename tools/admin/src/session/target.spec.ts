import { describe, expect, it } from '@jest/globals';
import { describeTarget } from './target.js';

describe('the target of a command', () => {
  it.each([
    [
      'postgresql://ada:s%40cret@db.internal:6432/gangan?sslmode=verify-full',
      'gangan at db.internal:6432 as ada',
    ],
    ['postgresql://ada@db.internal/gangan', 'gangan at db.internal:5432 as ada'],
    [
      'postgresql://x/gangan?host=/run/postgresql&user=ada&password=s@cret',
      'gangan at /run/postgresql:5432 as ada',
    ],
    ['postgresql://a%2Fb:s@cret@[::1]:5433/my%20data', 'my data at [::1]:5433 as a/b'],
  ])('of %s is %s', (url, expected) => {
    expect(describeTarget(url)).toBe(`Database: ${expected}`);
  });

  it('names Redis without its password', () => {
    expect(describeTarget('postgresql://ada@db/gangan', 'rediss://:s@cret@cache:6380/0')).toBe(
      'Database: gangan at db:5432 as ada; queues: Redis 0 at cache:6380',
    );
  });
});
