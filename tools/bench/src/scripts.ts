/** A bundle of this file is as far from the root of the repository as the file itself. */
export const projectFile = (name: string): URL => new URL(`../../../${name}`, import.meta.url);

export const appScript = (app: string): string => `apps/${app}/dist/main.js`;

/** A script of the bench for a process of its own; `tools/bundle/build-bench.mjs` lists them. */
export const benchScript = (name: string): string => `tools/bench/dist/${name}.js`;
