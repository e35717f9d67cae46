import { describe, expect, it } from '@jest/globals';
import { withPostgresOptions } from './postgres-options.js';

describe('withPostgresOptions', () => {
  it('adds settings after those of the URL', () => {
    const url = 'postgresql://user:p%40ss@localhost/gangan?sslmode=require&options=-c%20work_mem%3D64MB';
    expect(withPostgresOptions(url, { enable_seqscan: 'off' })).toEqual({
      connectionString: 'postgresql://user:p%40ss@localhost/gangan?sslmode=require',
      options: '-c work_mem=64MB -c enable_seqscan=off',
    });
  });
});
