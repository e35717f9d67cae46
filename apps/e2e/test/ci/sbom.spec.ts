import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';

interface Part {
  readonly name: string;
  readonly version?: string;
}

interface Component extends Part {
  readonly group?: string;
  readonly purl?: string;
  readonly licenses?: object[];
  readonly components?: object[];
}

interface Sbom {
  bundledParts(sources: string[], manifest: { dependencies?: Record<string, string> }): Part[];
  withParts(bom: { components: Component[] }, parts: Part[]): { components: Component[] };
  assertViewer(bom: { components: Component[] }): void;
}

const installed = (path: string): string => `../../../../node_modules/.pnpm/${path}`;
const viewer = { group: '@scalar', name: 'api-reference', version: '1.72.1', licenses: [{}] };

describe('.ci/sbom.mjs', () => {
  let sbom: Sbom;
  beforeAll(async () => {
    sbom = (await import(new URL('../../../../.ci/sbom.mjs', import.meta.url).href)) as Sbom;
  });

  it('finds the packages in a bundle, with their versions as far as the source map has them', () => {
    const sources = [
      installed('vue@3.5.40_typescript@5.9.3/node_modules/vue/dist/vue.js'),
      installed('vue@3.5.40_typescript@5.9.3/node_modules/vue/dist/other.js'),
      installed('@lezer+css@1.1.8/node_modules/@lezer/css/dist/index.js'),
      installed('cva@1.0.0-beta.4_typescript@5.9.3/node_modules/cva/index.js'),
      '../../../themes/dist/index.js',
      '../../../json-magic/dist/index.js',
      '../../src/standalone.ts',
    ];
    expect(sbom.bundledParts(sources, { dependencies: { '@scalar/themes': '0.18.0' } })).toEqual([
      { name: '@lezer/css', version: '1.1.8' },
      { name: '@scalar/json-magic' },
      { name: '@scalar/themes', version: '0.18.0' },
      { name: 'cva', version: '1.0.0-beta.4' },
      { name: 'vue', version: '3.5.40' },
    ]);
  });

  it('finds the parts of the installed docs viewer', () => {
    const folder = new URL('../../../gateway/node_modules/@scalar/api-reference/', import.meta.url);
    const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, folder), 'utf8'));
    const { sources } = read('dist/browser/standalone.js.map') as { sources: string[] };
    const parts = sbom.bundledParts(
      sources,
      read('package.json') as { dependencies: Record<string, string> },
    );
    expect(parts).toContainEqual({ name: 'vue', version: expect.stringMatching(/^3\./) });
    expect(parts.filter(({ version }) => version !== undefined).length).toBeGreaterThan(100);
  });

  it('adds them below the viewer, with the licences of those that are installed too', () => {
    const yaml = { name: 'yaml', version: '2.9.0', purl: 'pkg:npm/yaml@2.9.0', licenses: [{ id: 'ISC' }] };
    const parts = [
      { name: '@lezer/css', version: '1.1.8' },
      { name: 'yaml', version: '2.9.0' },
    ];
    const bom = sbom.withParts({ components: [viewer, yaml] }, parts);
    expect(bom.components[0]?.components).toMatchObject([
      { group: '@lezer', name: 'css', purl: 'pkg:npm/%40lezer/css@1.1.8' },
      { name: 'yaml', licenses: [{ id: 'ISC' }] },
    ]);
    expect(bom.components[1]).toEqual(yaml);
    sbom.assertViewer(bom);
  });

  it('fails if the viewer or its parts are missing', () => {
    for (const components of [[], [viewer], [{ ...viewer, components: [] }]])
      expect(() => {
        sbom.assertViewer({ components });
      }).toThrow('@scalar/api-reference');
  });
});
