/** A bundle of this file is as far from the root of the repository as the file itself. */
const root = new URL('../../../', import.meta.url);

export const appScript = (app: string): URL => new URL(`apps/${app}/dist/main.js`, root);

/** A script of the bench for a process of its own; `tools/bundle/build-bench.mjs` lists them. */
export const benchScript = (name: string): URL => new URL(`tools/bench/dist/${name}.js`, root);

/** A file of the bench that is not compiled. */
export const sourceFile = (name: string): URL => new URL(`tools/bench/src/${name}`, root);

export const projectFile = (name: string): URL => new URL(name, root);
