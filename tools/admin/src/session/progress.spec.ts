import { describe, expect, it } from '@jest/globals';
import { Progress } from './progress.js';

const written = (isTerminal: boolean, act: (progress: Progress) => void): string => {
  let text = '';
  const progress = new Progress({ isTerminal, err: { write: (part) => (text += part) } }, 1_000, 'lines');
  act(progress);
  progress.end();
  return text;
};

describe('the progress of long work', () => {
  it('is a bar on a terminal, with remarks above it', () => {
    const text = written(true, (progress) => {
      progress.reach(500_000, 500);
      progress.remark('line 7: bad');
      progress.reach(1_000_000, 1_000);
    });
    const half = `[${'#'.repeat(15)}${'-'.repeat(15)}]  50 %  500,000 lines`;
    expect(text).toBe(
      `\r\x1b[K${half}\r\x1b[Kline 7: bad\n${half}\r\x1b[K[${'#'.repeat(30)}] 100 %  1,000,000 lines\n`,
    );
  });

  it('is a line at intervals without a terminal', () => {
    const text = written(false, (progress) => {
      for (let lines = 5_000; lines <= 1_000_000; lines += 5_000) progress.reach(lines, lines / 1_000);
      progress.remark('line 7: bad');
    });
    expect(text.split('\n')).toHaveLength(12);
    expect(text.split('\n')[0]).toBe('10 %  100,000 lines');
    expect(text).not.toContain('\r');
  });
});
