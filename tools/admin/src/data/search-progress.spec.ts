import { describe, expect, it } from '@jest/globals';
import { SearchProgress } from './search-progress.js';

describe('the progress of a search', () => {
  it('is printed every five seconds, also if nothing is found', () => {
    const lines: string[] = [];
    let now = 0;
    const progress = new SearchProgress(
      (line) => lines.push(line),
      () => now,
    );
    for (let slice = 0; slice < 12; slice += 1) {
      now += 1_000;
      progress.add('contact_row', 2_000);
    }
    expect(lines).toEqual(['contact_row: 10,000 rows searched', 'contact_row: 20,000 rows searched']);
  });
});
