import { describe, expect, it } from '@jest/globals';
import { defineConfig } from './define-config.js';
import { describeVariables } from './runtime-config.js';
import { bool } from './validators.js';

describe('describeVariables', () => {
  class OwnConfig extends defineConfig({
    OWN_SWITCH: bool({ default: true, desc: 'Something of one app' }),
  }) {}
  const rows = describeVariables(OwnConfig);

  it('distinguishes required, optional and defaulted variables', () => {
    expect(rows).toContainEqual(expect.objectContaining({ name: 'DATABASE_URL', default: 'required' }));
    expect(rows).toContainEqual(expect.objectContaining({ name: 'REDIS_URL', default: '' }));
    expect(rows).toContainEqual(expect.objectContaining({ name: 'PORT', default: '3000' }));
    expect(rows).toContainEqual({ name: 'OWN_SWITCH', default: 'true', meaning: 'Something of one app' });
  });

  it('binds the internal port to loopback by default', () => {
    expect(rows).toContainEqual(expect.objectContaining({ name: 'METRICS_HOST', default: '127.0.0.1' }));
  });

  it('names files only for secrets', () => {
    expect(rows).toContainEqual({
      name: 'DATABASE_URL',
      default: 'required',
      meaning: 'The Postgres database (or DATABASE_URL_FILE)',
    });
    const words = rows.flatMap(({ meaning }) => meaning.replaceAll(')', '').split(' '));
    expect(words.filter((word) => word.endsWith('_FILE'))).toEqual([
      'DATABASE_URL_FILE',
      'REDIS_URL_FILE',
      'QUEUE_KEYS_FILE',
    ]);
  });

  it('describes each variable once', () => {
    expect(rows.every(({ meaning }) => meaning.length > 10)).toBe(true);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });
});
