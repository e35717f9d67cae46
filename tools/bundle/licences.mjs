import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The licence texts of the npm packages that these files belong to: they ask to be copied with the code. */
export async function licencesOf(files, root) {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  const texts = await Promise.all([...folders].map((folder) => licenceOf(join(root, folder))));
  return texts.sort().join(`\n${'-'.repeat(80)}\n\n`);
}

async function licenceOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const names = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = await Promise.all(names.map((file) => readFile(join(folder, file), 'utf8')));
  return [`${name} ${version} (${license})\n`, ...texts].join('\n');
}
