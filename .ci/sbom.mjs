// `pnpm sbom`: writes what production installs to sbom.cdx.json (CycloneDX), with the parts of the docs viewer.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';
import { pnpm } from './pnpm.mjs';

/** Its browser bundle contains its dependencies, which are therefore not installed: see .pnpmfile.mjs. */
const viewer = { group: '@scalar', name: 'api-reference' };
const folder = new URL('../apps/gateway/node_modules/@scalar/api-reference/', import.meta.url);
const output = 'sbom.cdx.json';

/**
 * The packages in a bundle, from the paths in its source map. Packages of other repositories have their version in the path
 * (`node_modules/.pnpm/vue@3.5.40/node_modules/vue/…`). Those of its own repository (`../../../themes/dist/…`) have the version
 * that the manifest asks for, if it names them.
 */
export function bundledParts(sources, { dependencies = {} }) {
  const parts = new Map();
  for (const source of sources) {
    const part = installedPart(source) ?? siblingPart(source, dependencies);
    if (part) parts.set(`${part.name} ${part.version ?? ''}`, part);
  }
  return [...parts.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
}

function installedPart(source) {
  const found = source.match(/^.*node_modules\/\.pnpm\/([^/]+)\/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (!found) return undefined;
  const [, entry, name] = found;
  const prefix = `${name.replace('/', '+')}@`;
  return entry.startsWith(prefix)
    ? { name, version: entry.slice(prefix.length).match(/^[^_(]+/)[0] }
    : { name };
}

function siblingPart(source, dependencies) {
  const [, folderName] = source.match(/^(?:\.\.\/){3}([a-z][a-z-]*)\/dist\//) ?? [];
  if (!folderName) return undefined;
  const name = `@scalar/${folderName}`;
  const version = dependencies[name];
  return /^\d/.test(version ?? '') ? { name, version } : { name };
}

/** The licence is known if production installs the same version too. */
export function withParts(bom, parts) {
  const refOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}${version ? `@${version}` : ''}`;
  const licences = new Map(bom.components.map(({ purl, licenses }) => [purl, licenses]));
  const components = parts.map((part) => {
    const [group, name] = part.name.startsWith('@') ? part.name.split('/') : [undefined, part.name];
    const [purl, licenses] = [refOf(part), licences.get(refOf(part))];
    return {
      type: 'library',
      ...(group && { group }),
      name,
      ...(part.version && { version: part.version }),
      purl,
      'bom-ref': `${viewer.group}/${viewer.name}#${purl}`,
      ...(licenses && { licenses }),
    };
  });
  const isViewer = ({ group, name }) => group === viewer.group && name === viewer.name;
  return {
    ...bom,
    components: bom.components.map((one) => (isViewer(one) ? { ...one, components } : one)),
  };
}

/** @throws if the viewer is not there with its version, its licence and its parts */
export function assertViewer({ components }) {
  const found = components.find(({ group, name }) => group === viewer.group && name === viewer.name);
  if (!found?.version || !found.licenses?.length || !(found.components?.length > 0))
    throw new Error(
      `${output} lacks ${viewer.group}/${viewer.name} with its version, its licence and its parts: its source map may have another form.`,
    );
}

function main() {
  const args = ['--prod', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--out', output];
  const { status, stdout, stderr } = pnpm('sbom', ...args);
  if (status !== 0) throw new Error(`pnpm sbom failed:\n${stdout}${stderr}`);
  const read = (path) => JSON.parse(readFileSync(new URL(path, folder), 'utf8'));
  const parts = bundledParts(read('dist/browser/standalone.js.map').sources, read('package.json'));
  const bom = withParts(JSON.parse(readFileSync(output, 'utf8')), parts);
  assertViewer(bom);
  writeFileSync(output, `${JSON.stringify(bom, undefined, 2)}\n`);
}

if (process.argv[1] === import.meta.filename) main();
