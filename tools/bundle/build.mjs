// Bundles the executables of the apps and tools, each to the `dist` of its project.
import { readdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath, URL } from 'node:url';
import { bundle } from './bundle.mjs';
import { licencesOf } from './licences.mjs';

const root = new URL('../../', import.meta.url);
const apps = (await readdir(new URL('apps/', root))).filter((name) => name !== 'e2e');
const scripts = [
  ...apps.map((app) => [`apps/${app}`, 'main']),
  ['tools/admin', 'main'],
  ['tools/migrate', 'main'],
  ['tools/start', 'main'],
  ['tools/start', 'prepare'],
  ['tools/start', 'workers'],
];
const shared = 'tools/bundle';
for (const folder of new Set([shared, ...scripts.map(([project]) => project)])) {
  await rm(new URL(`${folder}/dist`, root), { recursive: true, force: true });
}
const entryPoints = scripts.map(([project, script]) => [
  `${project}/dist/${script}`,
  `${project}/src/${script}.ts`,
]);
const files = await bundle(Object.fromEntries(entryPoints), `${shared}/dist`);
await writeFile(new URL(`${shared}/dist/licences.txt`, root), await licencesOf(files, fileURLToPath(root)));
