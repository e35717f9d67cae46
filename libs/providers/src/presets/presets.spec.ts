import { describe, expect, it } from '@jest/globals';
import { presets } from './presets.js';

describe('presets', () => {
  it.each(Object.entries(presets))(
    'of %s have one full URL, so that a test server needs only that',
    (_, preset) => {
      const { url, ...request } = preset.settings.request;
      expect(url).toMatch(/^https:/);
      expect(JSON.stringify({ ...preset.settings, request })).not.toMatch(/https?:\/\//);
    },
  );
});
