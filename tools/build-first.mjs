// `node tools/build-first.mjs <tool> …`: builds what has changed, then runs the tool in this process.
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';
import { URL } from 'node:url';
import { build, isBuilt } from './start/build.mjs';

const [tool] = process.argv.splice(2, 1);
if (!isBuilt(tool)) {
  const remark = setTimeout(() => process.stderr.write('Building what has changed …\n'), 3_000);
  const failure = await build(tool);
  clearTimeout(remark);
  if (failure !== undefined) {
    process.stderr.write(`${failure}\nThe build failed; see above.\n`);
    process.exit(1);
  }
}
await import(new URL(`${tool}/dist/main.js`, import.meta.url));
